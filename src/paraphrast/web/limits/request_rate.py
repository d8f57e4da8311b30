"""How often one client may ask: a bucket of tokens for each address."""

from __future__ import annotations

import math
import time
from collections import OrderedDict

from starlette.types import ASGIApp, Receive, Scope, Send

from paraphrast.web.api.problem_answers import problem_response

_BURST = 2.0  # seconds' worth that may come at once
_MOST_CLIENTS = 10_000
_FREE = ("/healthz", "/readyz", "/static/")


class RateLimit:
    """Answers 429 to a client that asks more often than `rate` times a second; 0 is no limit."""

    def __init__(self, app: ASGIApp, rate: float) -> None:
        self._app = app
        self._rate = rate
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        free = scope["type"] != "http" or not self._rate or scope["path"].startswith(_FREE)
        wait = 0.0 if free else self._wait((scope.get("client") or ("",))[0], time.monotonic())
        if not wait:
            await self._app(scope, receive, send)
            return
        message = f"more than {self._rate:g} requests a second; wait a moment"
        headers = {"Retry-After": str(math.ceil(wait))}
        await problem_response(429, "too_many", message, headers=headers)(scope, receive, send)

    def _wait(self, client: str, now: float) -> float:
        """Take a token and return 0, or return the seconds until there is one."""
        most = max(self._rate * _BURST, 1.0)
        tokens, then = self._buckets.pop(client, (most, now))
        tokens = min(most, tokens + (now - then) * self._rate)
        taken = tokens >= 1
        self._buckets[client] = (tokens - taken, now)
        if len(self._buckets) > _MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if taken else (1 - tokens) / self._rate
