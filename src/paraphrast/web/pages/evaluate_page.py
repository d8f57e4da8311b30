"""Evaluate metrics: how well do scores agree with people? From uploaded scores and ratings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from paraphrast.errors import ConfigError, InputError
from paraphrast.jobs.meta import correlate
from paraphrast.meta.stress.suite import stress_kinds, stress_pairs
from paraphrast.render.pages.meta_page import meta_body, meta_html
from paraphrast.web.api.request_errors import FieldError
from paraphrast.web.pages.job_page import DownloadFile, JobResult, start_job
from paraphrast.web.pages.page_frame import full_page, markup, sample
from paraphrast.web.pages.uploads import UploadFolder, read_form, text_of, texts_of
from paraphrast.web.queueing.long_jobs import LongJob

router = APIRouter(include_in_schema=False)
LEVELS = ("segment", "system", "summary", "pairwise")
STATISTICS = ("pearson", "spearman", "kendall", "kendall_c", "acc_eq", "pairwise_accuracy")
_SAMPLES = {"scores": "scores.jsonl", "ratings": "ratings.csv"}


@router.get("/evaluate")
async def evaluate_page(request: Request) -> Response:
    """Show the form."""
    counts = {"pairs": len(stress_pairs()), "kinds": len(stress_kinds())}
    return full_page(request, "evaluate.html", levels=LEVELS, statistics=STATISTICS, **counts)


@router.post("/evaluate")
async def evaluate_uploads(request: Request) -> Response:
    """Start correlating uploaded scores with uploaded ratings, or those of the example."""
    folder = UploadFolder()
    try:
        async with read_form(request) as form:
            work = await _request(form, folder)
    except Exception:
        folder.remove()
        raise
    return start_job(request, "Evaluating", work.run, folder=folder)


async def _request(form: FormData, folder: UploadFolder) -> EvaluationFiles:
    if text_of(form, "example"):
        files = {role: [folder.add(role, name, sample(name))] for role, name in _SAMPLES.items()}
        return EvaluationFiles(folder, files, "segment", ("pearson", "spearman"), {}, ())
    files = {role: await folder.take(role, form.getlist(role)) for role in _SAMPLES}
    if not files["scores"]:
        raise FieldError("scores", "Choose at least one file of scores.")
    if len(files["ratings"]) != 1:
        raise FieldError("ratings", "Choose one file of ratings.")
    level = text_of(form, "level") or "segment"
    if level not in LEVELS:
        raise FieldError("level", f"The level is one of {', '.join(LEVELS)}.")
    names = [one.strip() for one in text_of(form, "lower").split(",") if one.strip()]
    statistics = tuple(texts_of(form, "statistics"))
    return EvaluationFiles(folder, files, level, statistics, _columns(form), tuple(names))


def _columns(form: FormData) -> dict[str, str]:
    """Read "item=document, value=adequacy"."""
    found = {}
    for entry in filter(str.strip, text_of(form, "columns").split(",")):
        ours, equals, theirs = entry.partition("=")
        if not equals or not ours.strip() or not theirs.strip():
            raise FieldError("columns", "Write names of columns as item=document, value=adequacy.")
        found[ours.strip()] = theirs.strip()
    return found


@dataclass(frozen=True, slots=True)
class EvaluationFiles:
    """Uploaded scores and ratings, and how they are to be held against each other."""

    folder: UploadFolder
    files: Mapping[str, Any]
    level: str
    statistics: tuple[str, ...]
    columns: Mapping[str, str]
    lower: tuple[str, ...]

    def run(self, job: LongJob) -> JobResult:
        """Correlate, and say in errors what the sender called the files."""
        job.check()
        try:
            found = correlate(
                [file.path for file in self.files["scores"]],
                self.files["ratings"][0].path,
                level=self.level,
                statistics=self.statistics,
                columns=self.columns,
                lower=self.lower,
            )
        except (InputError, ConfigError) as error:
            raise InputError(self.folder.named(str(error))) from error
        report = self._named(found.to_dict())
        page = meta_html(report).encode()
        downloads = {
            "evaluation.html": DownloadFile("text/html; charset=utf-8", lambda: page),
            "evaluation.json": DownloadFile(
                "application/json", lambda: json.dumps(report, ensure_ascii=False).encode()
            ),
        }
        values = {"body": markup(meta_body(report)), "notes": report["notes"]}
        return JobResult("evaluation.html", values, downloads)

    def _named(self, report: dict[str, Any]) -> dict[str, Any]:
        """Give the report the name of the uploaded file, not that of our copy."""
        ratings = self.files["ratings"][0]
        text = json.dumps(report, ensure_ascii=False)
        plain = json.dumps(ratings.path.stem)[1:-1], json.dumps(ratings.stem)[1:-1]
        named: dict[str, Any] = json.loads(self.folder.named(text).replace(*plain))
        return named
