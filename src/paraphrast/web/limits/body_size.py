"""Requests end where their limit is: in bytes, and in the time a client takes to send them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paraphrast.web.api.problem_answers import problem_response

_SENDING = 60.0  # seconds in which a body that is not a stream must have come
_SLOW = "the request did not come in time"


class _BodyRefused(HTTPException):
    """The body is too large, or comes too slowly; what reads it may answer, or this file does."""


class BodyLimit:
    """Refuses bodies that are too large (413) or come too slowly (408).

    `most` gives the limit of a path in bytes; None says that the path reads a stream, in pieces
    that have limits of their own.
    """

    def __init__(self, app: ASGIApp, most: Callable[[str], int | None]) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = self._most(scope["path"]) if scope["type"] == "http" else None
        if most is None:
            await self._app(scope, receive, send)
            return
        if _declared(scope) > most:
            await _answer(413, _large(most))(scope, receive, send)
            return
        seen, until, began, ended = 0, time.monotonic() + _SENDING, False, False

        async def limited() -> Message:
            nonlocal seen, ended
            if ended:  # what follows is the client's leaving, for which there is no hurry
                return await receive()
            try:
                async with asyncio.timeout(max(until - time.monotonic(), 0.0)):
                    message = await receive()
            except TimeoutError as error:
                raise _BodyRefused(408, _SLOW) from error
            seen += len(message.get("body", b""))
            ended = not message.get("more_body", False)
            if seen > most:
                raise _BodyRefused(413, _large(most))
            return message

        async def noticed(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await self._app(scope, limited, noticed)
        except _BodyRefused as error:
            if not began:
                await _answer(error.status_code, error.detail)(scope, receive, send)


def _declared(scope: Scope) -> int:
    """Return the length that the client declares; 0 where it declares none that can be read."""
    value = dict(scope["headers"]).get(b"content-length", b"0")
    return int(value) if value.isdigit() and len(value) < 20 else 0


def _large(most: int) -> str:
    return f"the request is larger than {most:,} bytes; send less at once"


def _answer(status: int, message: str) -> ASGIApp:
    code = "too_large" if status == 413 else "too_slow"
    return problem_response(status, code, message, headers={"Connection": "close"})
