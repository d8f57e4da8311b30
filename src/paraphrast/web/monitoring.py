"""Counts for Prometheus: requests, seconds, batches, what waits."""

from __future__ import annotations

import time
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class Monitor:
    """The figures of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter(
            "paraphrast_requests", "Requests answered.", labels, registry=self.registry
        )
        self._seconds = Histogram(
            "paraphrast_request_seconds", "Time to the end of an answer.", ("route",),
            registry=self.registry,
        )  # fmt: skip
        self._batches = Histogram(
            "paraphrast_batch_texts", "Texts read together.", ("line",), buckets=_SIZES,
            registry=self.registry,
        )  # fmt: skip
        self._busy = Counter(
            "paraphrast_batch_seconds", "Time spent on batches.", ("line",), registry=self.registry
        )
        self._waiting = Gauge(
            "paraphrast_waiting_texts", "Texts that wait.", ("line",), registry=self.registry
        )

        self.open = Gauge(
            "paraphrast_open_requests", "Requests being answered.", registry=self.registry
        )

    def batch(self, line: str, size: int, seconds: float) -> None:
        """Count a batch."""
        self._batches.labels(line).observe(size)
        self._busy.labels(line).inc(seconds)

    def watch_waiting(self, line: str, waiting: Callable[[], float]) -> None:
        """Take the number of waiting texts from a function."""
        self._waiting.labels(line).set_function(waiting)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def exposition(self) -> bytes:
        """Return everything in Prometheus's text format."""
        return generate_latest(self.registry)


_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class RequestCount:
    """Counts every request under the route that answered it; unknown paths share one name."""

    def __init__(self, app: ASGIApp, monitor: Monitor) -> None:
        self._app = app
        self._monitor = monitor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, started = 500, time.perf_counter()

        async def noticed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._monitor.open.inc()
        try:
            await self._app(scope, receive, noticed)
        finally:
            self._monitor.open.dec()
            route = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._monitor.request(method, route, status, time.perf_counter() - started)
