"""Long work on a page: its progress, a button that cancels it, its result, its downloads."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from paraphrast.web.api.waiting import service_of
from paraphrast.web.pages.page_frame import fragment
from paraphrast.web.pages.uploads import UploadFolder
from paraphrast.web.queueing.long_jobs import LongJob

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class JobResult:
    """What a finished job shows, and what can be downloaded of it."""

    template: str
    values: dict[str, Any]
    downloads: dict[str, DownloadFile] = field(default_factory=dict)  # by the name of the file


@dataclass(frozen=True, slots=True)
class DownloadFile:
    """A file that is written when it is asked for."""

    media_type: str
    content: Callable[[], bytes]


def start_job(
    request: Request,
    kind: str,
    run: Callable[[LongJob], JobResult],
    *,
    folder: UploadFolder | None = None,
    total: int | None = None,
) -> Response:
    """Start long work and show its progress; where too much waits, its files are removed."""
    job = LongJob(kind, run, folder.path if folder else None, total=total)
    try:
        service_of(request).jobs.start(job)
    except Exception:
        if folder is not None:
            folder.remove()
        raise
    return _shown(request, job)


def _shown(request: Request, job: LongJob) -> Response:
    found = job.result if job.state == "done" else None
    values = found.values if isinstance(found, JobResult) else {}
    template = found.template if isinstance(found, JobResult) else "job.html"
    downloads = list(found.downloads) if isinstance(found, JobResult) else []
    return fragment(request, template, job=job, downloads=downloads, **values)


def _job(request: Request, ident: str) -> LongJob:
    job = service_of(request).jobs.find(ident)
    if job is None:
        raise HTTPException(404, "this result is gone: results are kept for an hour")
    return job


@router.get("/jobs/{ident}")
async def job_page(request: Request, ident: str) -> Response:
    """Show how far a job has come, or its result."""
    return _shown(request, _job(request, ident))


@router.post("/jobs/{ident}/cancel")
async def cancel_job(request: Request, ident: str) -> Response:
    """Cancel a job; it ends at its next step."""
    job = _job(request, ident)
    job.cancel()
    return _shown(request, job)


@router.get("/jobs/{ident}/{name}")
async def job_download(request: Request, ident: str, name: str) -> Response:
    """Return a file of a result: one of those that the result names, never a path."""
    job = _job(request, ident)
    found = job.result if job.state == "done" else None
    file = found.downloads.get(name) if isinstance(found, JobResult) else None
    if file is None:
        raise HTTPException(404, "this result has no such file")
    content = await anyio.to_thread.run_sync(file.content)
    safe = re.sub(r"[^\w.-]", "_", name)
    headers = {
        "Content-Disposition": f'attachment; filename="{safe}"',
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    }
    return Response(content, media_type=file.media_type, headers=headers)
