"""The line before the models: bounded, in order, and read in batches across clients."""

from __future__ import annotations

import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from paraphrast.errors import ParaphrastError
from paraphrast.web.queueing.turns import Turns

_SOONEST, _LATEST = 1, 60  # seconds of Retry-After
_MEMORY = 0.8  # how much of the measured speed is kept when a batch adds its own


class QueueFull(Exception):
    """More is waiting than is ever wanted; `retry_after` is in seconds."""

    def __init__(self, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(f"too much is waiting; try again in {retry_after} s")


class ServerStopping(Exception):
    """The server takes nothing new on, for it is about to end."""


@dataclass(frozen=True, slots=True)
class BatchedWork:
    """A function of a list, one answer for each item; requests of equal `key` are read together."""

    key: Hashable
    function: Callable[[list[Any]], Sequence[Any]]


@dataclass(slots=True)
class WaitingRequest:
    """Items of one client, and where the answers go."""

    work: BatchedWork
    items: list[Any]
    size: int  # what it counts for: its items, or the texts in one of them
    answers: Future[list[Any]] = field(default_factory=Future)


class WorkQueue:
    """One thread that takes requests in order, and with the first all that can be read with it."""

    def __init__(
        self,
        name: str,
        *,
        most_waiting: int,
        batch: int,
        turns: Turns,
        watch: Callable[[int, float], None] = lambda _size, _seconds: None,
    ) -> None:
        self._most_waiting = most_waiting
        self._batch = batch
        self._turns = turns
        self._watch = watch
        self._line: deque[WaitingRequest] = deque()
        self._waiting = 0
        self._changed = threading.Condition()
        self._stopping = False
        self._speed = 0.0  # items per second, of the last batches
        self._thread = threading.Thread(target=self._serve, name=f"paraphrast-{name}", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """The number of items that wait."""
        return self._waiting

    def submit(
        self, work: BatchedWork, items: Sequence[Any], *, size: int | None = None
    ) -> Future[list[Any]]:
        """Put a request in line; where it is full, raise QueueFull."""
        request = WaitingRequest(work, list(items), len(items) if size is None else size)
        with self._changed:
            if self._stopping:
                raise ServerStopping("the server is about to end")
            if self._waiting and self._waiting + request.size > self._most_waiting:
                raise QueueFull(self._retry_after())
            self._line.append(request)
            self._waiting += request.size
            self._changed.notify()
        return request.answers

    def stop(self) -> None:
        """Take nothing new on, and return when all that was in line is answered."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        self._thread.join()

    def _retry_after(self) -> int:
        expected = self._waiting / self._speed if self._speed else _SOONEST
        return int(min(max(expected + 0.999, _SOONEST), _LATEST))

    def _serve(self) -> None:
        while (batch := self._next()) is not None:
            wanted = [one for one in batch if one.answers.set_running_or_notify_cancel()]
            if wanted:
                started = time.perf_counter()
                with self._turns, warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    _answer(wanted)
                self._measure(sum(one.size for one in wanted), time.perf_counter() - started)

    def _next(self) -> list[WaitingRequest] | None:
        """Wait for a request, and take those of the same kind with it; None is the end."""
        with self._changed:
            while not self._line:
                if self._stopping:
                    return None
                self._changed.wait()
            first = self._line.popleft()
            batch, size = [first], first.size
            for other in list(self._line):
                if other.work.key == first.work.key and size + other.size <= self._batch:
                    self._line.remove(other)
                    batch.append(other)
                    size += other.size
            self._waiting -= size
        return batch

    def _measure(self, items: int, seconds: float) -> None:
        speed = items / max(seconds, 1e-6)
        self._speed = _MEMORY * self._speed + (1 - _MEMORY) * speed if self._speed else speed
        self._watch(items, seconds)


def _answer(requests: list[WaitingRequest]) -> None:
    """Answer all requests together; where that fails, each by itself, so that none harms others."""
    try:
        found = list(requests[0].work.function([item for one in requests for item in one.items]))
    except Exception as error:  # noqa: BLE001  whatever it is belongs to the client who waits for it
        if len(requests) > 1 and isinstance(error, ParaphrastError):
            for one in requests:
                _answer([one])
            return
        for one in requests:
            one.answers.set_exception(error)
        return
    start = 0
    for one in requests:
        one.answers.set_result(found[start : start + len(one.items)])
        start += len(one.items)
