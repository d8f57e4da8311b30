"""Errors on pages: a sentence in the place of the result, or a page of its own."""

from __future__ import annotations

import json

from fastapi import Request
from starlette.responses import Response

from paraphrast.web.pages.page_frame import fragment

_TITLES = {
    404: "There is nothing here",
    408: "The upload took too long",
    413: "That is too much at once",
    422: "Something is missing or wrong",
    429: "Too much is waiting",
}


def wants_page(request: Request) -> bool:
    """Whether a person reads the answer."""
    path = request.url.path
    machine = path.startswith(("/v1/", "/mcp", "/static/")) or path in ("/healthz", "/readyz")
    asks = "text/html" in request.headers.get("accept", "") or "hx-request" in request.headers
    return asks and not machine


def problem_page(request: Request, answer: Response) -> Response:
    """Return an error of the API as a part of a page."""
    if not answer.body:
        return answer
    message = json.loads(bytes(answer.body))["error"]["message"]
    title = _TITLES.get(answer.status_code, "Something went wrong")
    page = fragment(
        request, "problem.html", status=answer.status_code, title=title, message=message
    )
    if "retry-after" in answer.headers:
        page.headers["Retry-After"] = answer.headers["retry-after"]
    return page
