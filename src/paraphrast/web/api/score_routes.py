"""/v1/score and /v1/compare: metrics of one system or of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from fastapi import APIRouter, Request

from paraphrast.errors import ConfigError
from paraphrast.jobs.scoring.score import compare as compare_systems
from paraphrast.jobs.scoring.score import score as score_system
from paraphrast.results import Report
from paraphrast.web.api.answers import CompareAnswer, SystemScores, finite_values
from paraphrast.web.api.bodies import (
    COMPARED,
    SCORED,
    CompareBody,
    CompareTexts,
    ScoreBody,
    ScoreTexts,
    chosen_options,
)
from paraphrast.web.api.request_errors import ERRORS, FieldError
from paraphrast.web.api.waiting import answers, service_of
from paraphrast.web.limits.allowed_metrics import checked_metrics, models_of
from paraphrast.web.limits.text_limits import check_count, check_texts
from paraphrast.web.service import Service

router = APIRouter(prefix="/v1", tags=["scores"], responses=ERRORS)
_MOST_METRICS = 40
_MOST_ROUNDS = 10_000
_MOST_SYSTEMS = 20


@router.post("/score", response_model=SystemScores)
async def score(request: Request, body: ScoreBody) -> Any:
    """Score candidates against references, sources, or on their own."""
    (report,) = await answers(request, scoring(service_of(request), body))
    return system_scores(report, values=body.segments)


@router.post("/compare", response_model=CompareAnswer)
async def compare(request: Request, body: CompareBody) -> Any:
    """Compare systems: intervals, and Holm-corrected paired tests against a baseline."""
    (found,) = await answers(request, comparing(service_of(request), body))
    reports = {
        name: system_scores(one, values=body.segments) for name, one in found.systems.items()
    }
    return finite_values(found.to_dict()) | {"systems": reports}


def scoring(service: Service, body: ScoreTexts) -> Future[list[Any]]:
    """Check a request to score, and put it in line."""
    _check(service, body, {"candidates": body.candidates})
    return _begun(service, body, score_system, chosen_options(body, SCORED))


def comparing(service: Service, body: CompareTexts) -> Future[list[Any]]:
    """Check a request to compare, and put it in line."""
    if len(body.candidates) > _MOST_SYSTEMS:
        raise FieldError("candidates", f"at most {_MOST_SYSTEMS} systems are compared at once")
    systems = {f"candidates.{name}": texts for name, texts in body.candidates.items()}
    _check(service, body, systems)
    return _begun(service, body, compare_systems, chosen_options(body, COMPARED))


def system_scores(report: Report, *, values: bool) -> dict[str, Any]:
    """Return a report as plain values, those of the segments too if they are wanted."""
    found: dict[str, Any] = finite_values(report.to_dict())
    if values:
        columns = {name: column.tolist() for name, column in report.segment_values.items()}
        found["values"] = finite_values(columns)
    return found


def _begun(
    service: Service,
    body: ScoreTexts | CompareTexts,
    function: Callable[..., Any],
    chosen: Mapping[str, Any],
) -> Future[list[Any]]:
    models = models_of(body.metrics or [])
    size = max(len(body.references or ()), _segments(body))

    def run() -> Any:
        with service.states.using(*models):
            return function(
                body.candidates,
                body.references,
                body.sources,
                metrics=body.metrics,
                segments=body.segments,
                **service.place(),
                **chosen,
            )

    return service.once(run, size=size, with_model=bool(models))


def _segments(body: ScoreTexts | CompareTexts) -> int:
    given = body.candidates
    return len(given) if isinstance(given, list) else sum(map(len, given.values()))


def _check(
    service: Service, body: ScoreTexts | CompareTexts, systems: Mapping[str, list[Any]]
) -> None:
    for field, texts in systems.items():
        check_count(service.options, field, _count(texts))
        check_texts(service.options, field, texts)
    for field, column in (("references", body.references), ("sources", body.sources)):
        if column is not None:
            check_count(service.options, field, len(column))
            check_texts(service.options, field, column)
    if len(body.metrics or ()) > _MOST_METRICS:
        raise FieldError("metrics", f"at most {_MOST_METRICS} metrics at once")
    for name in ("samples", "trials"):
        if (getattr(body, name, None) or 0) > _MOST_ROUNDS:
            raise FieldError(name, f"at most {_MOST_ROUNDS:,} over the web")
    _check_lengths(body)
    try:
        checked_metrics(body.metrics)
    except ConfigError as error:
        raise FieldError("metrics", str(error)) from error


def _check_lengths(body: ScoreTexts | CompareTexts) -> None:
    """Refuse columns of different lengths, by their names."""
    given = body.candidates
    first = given if isinstance(given, list) else next(iter(given.values()), [])
    others = {} if isinstance(given, list) else {f"candidates.{n}": t for n, t in given.items()}
    columns: dict[str, Any] = {**others, "references": body.references, "sources": body.sources}
    for field, column in columns.items():
        if column is not None and len(column) != len(first):
            raise FieldError(
                field, f"{len(column)} segments, where the candidates have {len(first)}"
            )


def _count(texts: list[Any]) -> int:
    """Count texts; a set of candidates counts with all of its texts."""
    return sum(1 if isinstance(one, str) else max(len(one), 1) for one in texts)
