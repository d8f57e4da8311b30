"""Wait for an answer from the line, but no longer than the client does."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Any

from fastapi import Request

from paraphrast.web.api.request_errors import ClientGone
from paraphrast.web.service import Service


def service_of(request: Request) -> Service:
    """Return the service behind a request."""
    service: Service = request.app.state.service
    return service


async def answers(request: Request, waiting: Future[list[Any]]) -> list[Any]:
    """Return the answers; where the client leaves or time is over, the request leaves the line."""
    limit = service_of(request).options.time_limit
    answer: asyncio.Future[Any] = asyncio.wrap_future(waiting)
    gone: asyncio.Future[Any] = asyncio.ensure_future(_gone(request))
    try:
        first = asyncio.FIRST_COMPLETED
        done, _ = await asyncio.wait({answer, gone}, timeout=limit, return_when=first)
        if answer in done:
            found: list[Any] = answer.result()
            return found
        waiting.cancel()
        raise ClientGone if gone in done else TimeoutError
    finally:
        gone.cancel()
        answer.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
