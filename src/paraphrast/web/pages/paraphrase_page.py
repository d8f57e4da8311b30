"""Paraphrase: a way of writing, a number, the words that changed, why others were refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from paraphrast.generation.generate_options import GenerateOptions
from paraphrast.generation.paraphraser import Paraphraser
from paraphrast.jobs.generate import TaggedChoice, tagged_choices
from paraphrast.jobs.model_signature import generator_signature
from paraphrast.web.api.generate_routes import check_length, generation_options
from paraphrast.web.api.request_errors import FieldError
from paraphrast.web.api.waiting import service_of
from paraphrast.web.limits.text_limits import check_texts
from paraphrast.web.pages.job_page import JobResult, start_job
from paraphrast.web.pages.marked_words import new_words, text_pieces
from paraphrast.web.pages.page_frame import full_page
from paraphrast.web.pages.uploads import read_form, text_of
from paraphrast.web.queueing.long_jobs import LongJob
from paraphrast.web.service import Service

router = APIRouter(include_in_schema=False)
_MOST_LINES = 20
_MOST_NUMBER = 10
_EXAMPLE = (
    "After a long debate, the city council approved the plan for a new library.\n"
    "Researchers predicted 23 more cases a year for every 10,000 women on the therapy."
)


@dataclass(frozen=True, slots=True)
class WritingPreset:
    """A way of writing: its name, what it is for, and the options behind it."""

    name: str
    words: str
    options: Mapping[str, Any]


PRESETS = {
    "careful": WritingPreset("Careful", "The usual way: the meaning first.", {}),
    "bold": WritingPreset("In other words", "At least three words in ten differ.",
                          {"novelty": 0.3}),
    "varied": WritingPreset("Varied", "As unlike each other as can be.", {"diverse": True}),
    "reordered": WritingPreset("Turned round", "Begins with what stood at the end.",
                               {"method": "beam", "beams": 10, "reverse": 6.0}),
}  # fmt: skip


@router.get("/paraphrase")
async def paraphrase_page(request: Request) -> Response:
    """Show the form."""
    return full_page(request, "paraphrase.html", presets=PRESETS, example=_EXAMPLE)


@router.post("/paraphrase")
async def paraphrase_texts(request: Request) -> Response:
    """Start writing paraphrases of each line."""
    async with read_form(request) as form:
        work = _request(form, service_of(request))
    return start_job(request, "Writing", work.run, total=len(work.texts))


def _request(form: FormData, service: Service) -> ParaphraseRequest:
    lines = [line.strip() for line in text_of(form, "texts").splitlines() if line.strip()]
    if not lines:
        raise FieldError("texts", "There is no text yet: write a sentence, or take the example.")
    if len(lines) > _MOST_LINES:
        raise FieldError("texts", f"At most {_MOST_LINES} lines at once.")
    check_texts(service.options, "texts", lines)
    for line in lines:
        check_length("texts", line)
    preset = PRESETS.get(text_of(form, "preset") or "careful")
    if preset is None:
        raise FieldError("preset", "There is no such way of writing.")
    number = text_of(form, "n") or "3"
    if not number.isdecimal() or not 1 <= int(number) <= _MOST_NUMBER:
        raise FieldError("n", f"The number must lie between 1 and {_MOST_NUMBER}.")
    keep = [one.strip() for one in text_of(form, "keep").split(",") if one.strip()]
    options = generation_options({"n": int(number), "keep": keep, **preset.options})
    return ParaphraseRequest(tuple(lines), replace(options, **service.place()))


@dataclass(frozen=True, slots=True)
class ParaphraseRequest:
    """Texts to paraphrase, and how."""

    texts: tuple[str, ...]
    options: GenerateOptions

    def run(self, job: LongJob) -> JobResult:
        """Write paraphrases one text after another, so that others have their turn."""
        writer = Paraphraser(self.options)
        found: list[TaggedChoice] = []
        for text in self.texts:
            found += tagged_choices(writer, [text], explain=True)
            job.advance(1)
        values = {
            "choices": [_shown(one) for one in found],
            "notes": writer.notes(),
            "signatures": [generator_signature(self.options)],
        }
        return JobResult("paraphrases.html", values)


def _shown(found: TaggedChoice) -> dict[str, Any]:
    """Return a choice with the new words of each paraphrase marked."""
    candidates = [
        {
            "text": kept.text,
            "pieces": text_pieces(
                kept.text,
                pair.b.to_dict(),
                "The original",
                new=new_words(pair.a.words, pair.b.words),
            ),
            "same": kept.scores.get("same"),
            "novelty": 1 - kept.scores["rougeL"] if "rougeL" in kept.scores else None,
            "why": kept.why,
        }
        for kept, pair in zip(found.choice.candidates, found.tagged, strict=True)
    ]
    return {
        "source": found.choice.source,
        "candidates": candidates,
        "rejected": list(dict.fromkeys(found.choice.rejected)),
        "note": found.choice.note,
    }
