"""Requests end where their limit is: in bytes, and in the time a client takes to send them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paraphrast.web.api.problem_answers import problem_response

_SENDING = 60.0  # seconds in which a body that is not a stream must have come


class _BodyTooLarge(Exception):
    """The body goes on beyond its limit."""


class _BodyTooSlow(Exception):
    """The body did not come in time."""


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
            await _too_large(most)(scope, receive, send)
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
                raise _BodyTooSlow from error
            seen += len(message.get("body", b""))
            ended = not message.get("more_body", False)
            if seen > most:
                raise _BodyTooLarge
            return message

        async def noticed(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await self._app(scope, limited, noticed)
        except (_BodyTooLarge, _BodyTooSlow) as error:
            if not began:
                large = isinstance(error, _BodyTooLarge)
                answer = _too_large(most) if large else _TOO_SLOW
                await answer(scope, receive, send)


def _declared(scope: Scope) -> int:
    """Return the length that the client declares; 0 where it declares none that can be read."""
    value = dict(scope["headers"]).get(b"content-length", b"0")
    return int(value) if value.isdigit() and len(value) < 20 else 0


def _too_large(most: int) -> ASGIApp:
    message = f"the request is larger than {most:,} bytes; send less at once"
    return problem_response(413, "too_large", message, headers={"Connection": "close"})


_TOO_SLOW = problem_response(
    408, "too_slow", f"the request did not come within {_SENDING:.0f} s",
    headers={"Connection": "close"},
)  # fmt: skip
