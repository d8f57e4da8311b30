"""Crash-test metrics on the stress suite: ours, or any whose scores of its pairs are uploaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from paraphrast.errors import ConfigError, InputError
from paraphrast.jobs.stress import StressOptions, pairs_in_steps, run_stress
from paraphrast.meta.stress.suite import stress_pairs
from paraphrast.metrics.requests import split_requests
from paraphrast.render.pages.stress_page import stress_body, stress_html
from paraphrast.web.api.request_errors import FieldError
from paraphrast.web.api.waiting import service_of
from paraphrast.web.limits.allowed_metrics import checked_metrics
from paraphrast.web.pages.job_page import DownloadFile, JobResult, start_job
from paraphrast.web.pages.page_frame import markup
from paraphrast.web.pages.uploads import UploadedFile, UploadFolder, read_form, text_of
from paraphrast.web.queueing.long_jobs import LongJob

router = APIRouter(include_in_schema=False)
_EXAMPLE = ("bleu", "chrf++")
_MOST_METRICS = 10


@router.get("/stress/pairs.tsv")
async def stress_pairs_file() -> Response:
    """Return the pairs in the order in which scores of them must be."""
    rows = ["id\ttext1\ttext2", *(f"{one.id}\t{one.text1}\t{one.text2}" for one in stress_pairs())]
    headers = {"Content-Disposition": 'attachment; filename="pairs.tsv"'}
    kind = "text/tab-separated-values"
    return Response("\n".join(rows) + "\n", media_type=kind, headers=headers)


@router.post("/stress")
async def stress_uploads(request: Request) -> Response:
    """Start testing uploaded scores and metrics of ours, or those of the example."""
    folder = UploadFolder()
    try:
        async with read_form(request) as form:
            work = await _request(form, folder, service_of(request).place())
    except Exception:
        folder.remove()
        raise
    total = pairs_in_steps(len(work.metrics), edges=False) if work.metrics else None
    return start_job(request, "Testing", work.run, folder=folder, total=total)


async def _request(form: FormData, folder: UploadFolder, place: Mapping[str, Any]) -> StressFiles:
    if text_of(form, "example"):
        return StressFiles(folder, [], _EXAMPLE, (), place)
    files = await folder.take("scores", form.getlist("stress_scores"))
    metrics = tuple(split_requests(text_of(form, "stress_metrics")))
    if not files and not metrics:
        raise FieldError("stress_scores", "Choose a file of scores, or name a metric.")
    if len(metrics) > _MOST_METRICS:
        raise FieldError("stress_metrics", f"At most {_MOST_METRICS} metrics at once.")
    try:
        checked_metrics([*metrics])
    except ConfigError as error:
        raise FieldError("stress_metrics", str(error)) from error
    lower = tuple(one.strip() for one in text_of(form, "lower").split(",") if one.strip())
    return StressFiles(folder, files, metrics, lower, place)


@dataclass(frozen=True, slots=True)
class StressFiles:
    """Uploaded scores of the suite's pairs, metrics of ours, and where models run."""

    folder: UploadFolder
    files: list[UploadedFile]
    metrics: tuple[str, ...]
    lower: tuple[str, ...]
    place: Mapping[str, Any]

    def run(self, job: LongJob) -> JobResult:
        """Test, and say in errors what the sender called the files."""
        try:
            options = StressOptions(
                scores=[str(file.path) for file in self.files] or None,
                lower=self.lower or None,
                edges=False,
                **self.place,
            )
            found = run_stress(self.metrics or None, options, job.advance)
        except (InputError, ConfigError) as error:
            raise InputError(self.folder.named(str(error))) from error
        report = self._named(found.to_dict())
        page = stress_html(report).encode()
        text = json.dumps(report, ensure_ascii=False).encode()
        downloads = {
            "stress.html": DownloadFile("text/html; charset=utf-8", lambda: page),
            "stress.json": DownloadFile("application/json", lambda: text),
        }
        values = {"body": markup(stress_body(report)), "notes": report.get("notes") or []}
        return JobResult("evaluation.html", values, downloads)

    def _named(self, report: dict[str, Any]) -> dict[str, Any]:
        """Call a metric without a name as its sender calls the file."""
        text = self.folder.named(json.dumps(report))
        for file in self.files:
            text = text.replace(json.dumps(file.path.stem), json.dumps(file.stem))
        named: dict[str, Any] = json.loads(text)
        return named
