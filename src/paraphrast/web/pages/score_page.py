"""Score files: upload candidates, references and sources, and watch them being scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from paraphrast.errors import ConfigError
from paraphrast.io import Field
from paraphrast.jobs.scoring.score import build_metrics
from paraphrast.jobs.scoring.scored_files import Inputs
from paraphrast.metrics.requests import split_requests
from paraphrast.web.api.request_errors import FieldError
from paraphrast.web.api.waiting import service_of
from paraphrast.web.limits.allowed_metrics import checked_metrics
from paraphrast.web.pages.job_page import start_job
from paraphrast.web.pages.page_frame import full_page, sample
from paraphrast.web.pages.score_files import ScoreFilesRequest
from paraphrast.web.pages.uploads import (
    UploadedFile,
    UploadFolder,
    read_form,
    text_of,
    texts_of,
)

router = APIRouter(include_in_schema=False)
_CHOICES = (
    ("Words in common", ("bleu", "chrf++", "rougeL", "ter", "meteor")),
    ("Meaning", ("parableu", "entailment", "paratag", "bertscore", "embedding_cosine")),
    ("Needs sources", ("rouge_p", "pinc", "self_bleu_source")),
)
_USUAL = ("bleu", "chrf++", "rougeL", "parableu")
_SAMPLES = {
    "candidates": ("copycat.txt", "rewriter.txt"),
    "references": ("references.jsonl",),
    "sources": ("sources.txt",),
}


@router.get("/score")
async def score_page(request: Request) -> Response:
    """Show the form."""
    return full_page(request, "score.html", choices=_CHOICES, usual=_USUAL)


@router.post("/score")
async def score_uploads(request: Request) -> Response:
    """Start scoring what was uploaded, or the example."""
    folder = UploadFolder()
    try:
        async with read_form(request) as form:
            work = await _request(form, folder, service_of(request).place())
        build_metrics(work.metrics or None, work.inputs.kinds())
        work.options()
    except Exception:
        folder.remove()
        raise
    return start_job(request, "Scoring", work.run, folder=folder)


async def _request(
    form: FormData, folder: UploadFolder, place: Mapping[str, Any]
) -> ScoreFilesRequest:
    files = await _files(form, folder)
    test = text_of(form, "test") or "bootstrap"
    return ScoreFilesRequest(_inputs(form, files), folder, _metrics(form), test, place)


async def _files(form: FormData, folder: UploadFolder) -> Mapping[str, list[UploadedFile]]:
    if text_of(form, "example"):
        return {
            role: [folder.add(role, name, sample(name)) for name in names]
            for role, names in _SAMPLES.items()
        }
    found = {role: await folder.take(role, form.getlist(role)) for role in _SAMPLES}
    if not found["candidates"]:
        raise FieldError("candidates", "Choose at least one file of candidates.")
    if len(found["sources"]) > 1:
        raise FieldError("sources", "A segment has one source: choose one file of sources.")
    return found


def _inputs(form: FormData, files: Mapping[str, list[UploadedFile]]) -> Inputs:
    def field(file: UploadedFile, role: str) -> Field:
        column = text_of(form, f"{role}_column") if file.path.suffix != ".txt" else ""
        return Field(str(file.path), column or None, role=role)

    candidates: dict[str, list[Field]] = {}
    for file in files["candidates"]:
        name, number = file.stem, 2
        while name in candidates:
            name, number = f"{file.stem} {number}", number + 1
        candidates[name] = [field(file, "candidate")]
    references = [field(file, "reference") for file in files["references"]]
    sources = [field(file, "source") for file in files["sources"]]
    return Inputs(candidates, references, sources[0] if sources else None)


def _metrics(form: FormData) -> tuple[str, ...]:
    """Return the metrics that were ticked and those that were typed."""
    typed = split_requests(text_of(form, "more_metrics"))
    found = list(dict.fromkeys([*texts_of(form, "metrics"), *typed]))
    try:
        checked_metrics(found)
    except ConfigError as error:
        raise FieldError("metrics", str(error)) from error
    return tuple(found)
