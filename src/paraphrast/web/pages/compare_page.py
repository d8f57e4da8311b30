"""Compare two texts: a verdict in words, the words that differ, the metrics."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from paraphrast.errors import MissingExtra
from paraphrast.jobs.explain import LEXICAL
from paraphrast.jobs.scoring.score import score
from paraphrast.results import Report
from paraphrast.web.api.batched_verbs import judging
from paraphrast.web.api.request_errors import FieldError
from paraphrast.web.api.waiting import answers, service_of
from paraphrast.web.limits.text_limits import check_texts
from paraphrast.web.pages.marked_words import text_pieces
from paraphrast.web.pages.page_frame import fragment, full_page

router = APIRouter(include_in_schema=False)
MODEL = "mini"
_ARROWS = {"higher": "↑", "lower": "↓", "near 1": "→ 1"}
_EXAMPLES = (
    ("Same, in other words",
     "The city council approved the plan for a new library after a long debate.",
     "After debating for a long time, the council of the city agreed to the new library."),
    ("One detail differs",
     "The company sold 40 trucks to Poland in March.",
     "The firm sold 25 trucks to Norway in March."),
    ("One says more",
     "Maria, who won the race, comes from Lisbon.",
     "Maria comes from Lisbon."),
    ("A contradiction",
     "The bridge will stay open to cars during the repairs.",
     "During the repairs the bridge will be closed to cars."),
)  # fmt: skip


@router.get("/")
async def compare_page(request: Request) -> Response:
    """Show the form; texts of a permanent link stand in the fragment, which no server sees."""
    return full_page(request, "compare.html", examples=_EXAMPLES)


@router.post("/compare")
async def compare_result(
    request: Request, a: Annotated[str, Form()] = "", b: Annotated[str, Form()] = ""
) -> Response:
    """Show the verdict on two texts."""
    service = service_of(request)
    a, b = (text.replace("\r\n", "\n") for text in (a, b))
    for field, text in (("The first text", a), ("The second text", b)):
        if not text.strip():
            raise FieldError(field, f"{field} is empty: write or paste something.")
        check_texts(service.options, field, text)
    work = judging(service, MODEL)
    (verdict,) = await answers(request, service.models.submit(work, [(a, b)]))
    waiting = service.once(lambda: _lexical(a, b), size=1, with_model=False)
    (metrics,) = await answers(request, waiting)
    return fragment(
        request,
        "verdict.html",
        verdict=verdict,
        sides=(
            ("First text", text_pieces(a, verdict["tags"]["a"], "The second text")),
            ("Second text", text_pieces(b, verdict["tags"]["b"], "The first text")),
        ),
        metrics=_metric_rows(metrics),
        signatures=[verdict["signature"], *(one.signature for one in metrics)],
    )


def _lexical(a: str, b: str) -> Report:
    """Score the second text against the first, with METEOR where its tables are installed."""
    try:
        return score([b], [a], [a], metrics=[*LEXICAL, "meteor"])
    except MissingExtra:
        return score([b], [a], [a], metrics=LEXICAL)


def _metric_rows(report: Report) -> list[dict[str, Any]]:
    return [
        {
            "name": one.metric,
            "arrow": _ARROWS[one.better],
            "better": one.better,
            "value": f"{one.score:.{one.digits}f}",
        }
        for one in report
    ]
