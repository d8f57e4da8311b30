"""Pages of others cannot use this server through their readers' browsers."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from paraphrast.web.api.problem_answers import problem_response

_SAFE = ("GET", "HEAD")
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}


class OriginGuard:
    """Refuses what a page of another origin sent, and names that were rebound to this machine.

    Browsers send `Origin` and `Sec-Fetch-Site`; other programs need not. On a loopback address
    `Host` must name this machine: a page may point a name of its own at 127.0.0.1.
    """

    def __init__(self, app: ASGIApp, *, loopback: bool) -> None:
        self._app = app
        self._loopback = loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (reason := self._refusal(scope)):
            await problem_response(403, "wrong_origin", reason)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> str:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._loopback and _without_port(host).lower() not in _LOOPBACK:
            return "the Host of the request is not this machine; ask 127.0.0.1 or localhost"
        if scope["method"] in _SAFE and headers.get("sec-fetch-mode") in (None, "navigate"):
            return ""
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "the request comes from a page of another site"
        origin = headers.get("origin")
        if origin is not None and origin != f"{scope['scheme']}://{host}":
            return "the request comes from a page of another origin"
        return ""


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host
