"""Map a function over chunks on this machine, in order, with a bounded number in flight."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from typing import Generic, Self, TypeVar

from paraphrast.engine.cores import check_limit
from paraphrast.engine.standstill import Standstill
from paraphrast.errors import ConfigError, ParaphrastError

T = TypeVar("T")
R = TypeVar("R")

_UNGUARDED = (
    "the worker processes could not start: each imports the script that runs, and the script "
    'began its work anew instead; put its calls under  if __name__ == "__main__":  or leave jobs '
    "at 1"
)
_KILLED = "a worker process was killed, perhaps for lack of memory; try fewer --jobs"


def map_chunks(work: Callable[[T], R], chunks: Iterable[T], *, jobs: int = 1) -> Iterator[R]:
    """Yield `work(chunk)` for each chunk, in the order given, whatever the number of processes.

    The workers end when this generator does, and when this process dies, however that happens. If
    one stays stopped, all are replaced, and what was under way is done again.
    """
    if jobs < 1:
        raise ConfigError(f"jobs must be at least 1; got {jobs}")
    check_limit("jobs", jobs)
    if jobs == 1:
        yield from map(work, chunks)
        return
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(1)  # a worker that imports an unguarded script; the parent tells the user
    queue = _Queue(work, iter(chunks), 2 * jobs)
    while not queue.done:
        with _Workers(jobs) as workers:
            yield from queue.results(workers)


@dataclass(slots=True)
class _Given(Generic[T, R]):
    """A chunk that was given to workers, and where its result will be."""

    chunk: T
    result: Future[R] | None = None

    @property
    def is_lost(self) -> bool:
        """Whether its workers are gone and have not done it."""
        if self.result is None or self.result.cancelled():
            return True
        return self.result.done() and isinstance(self.result.exception(), BrokenProcessPool)


@dataclass(slots=True)
class _Queue(Generic[T, R]):
    """Chunks in order, at most `most` of them under way at once."""

    work: Callable[[T], R]
    chunks: Iterator[T]
    most: int
    done: bool = False
    _under_way: deque[_Given[T, R]] = field(default_factory=deque)

    def results(self, workers: _Workers) -> Iterator[R]:
        """Yield results, to the last or until the workers have to be replaced."""
        try:
            for given in self._under_way:
                if given.is_lost:
                    given.result = workers.submit(self.work, given.chunk)
            for chunk in self.chunks:
                self._under_way.append(_Given(chunk))
                self._under_way[-1].result = workers.submit(self.work, chunk)
                if len(self._under_way) >= self.most:
                    yield self._first()
            while self._under_way:
                yield self._first()
            self.done = True
        except BrokenProcessPool as error:
            workers.check_replaceable(error)

    def _first(self) -> R:
        """Return the next result; until it is there, its chunk stays in the queue."""
        awaited = self._under_way[0].result
        assert awaited is not None
        found = awaited.result()
        self._under_way.popleft()
        return found


class _Workers:
    """So many worker processes; they end with the block, at once if it is left early."""

    def __init__(self, jobs: int) -> None:
        context = _context()
        self._forked = context.get_start_method() == "fork"
        self._orders, self._stop = context.Pipe(duplex=False)
        self._starts, self._started = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            jobs, mp_context=context, initializer=_begin, initargs=(self._orders, self._started)
        )
        self._numbers: list[int] = []
        self._standstill = Standstill("a worker", self._running)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._standstill.close()
        if kind is not None:  # do not wait for results that nobody will read
            self._stop.send_bytes(b"stop")
        self._pool.shutdown(wait=True, cancel_futures=kind is not None)
        for pipe in (self._orders, self._stop, self._starts, self._started):
            pipe.close()

    def submit(self, work: Callable[[T], R], chunk: T) -> Future[R]:
        """Give a chunk to the workers."""
        result = self._pool.submit(work, chunk)
        self._standstill.start()  # now, because a fork wants no thread before it
        return result

    def check_replaceable(self, error: BrokenProcessPool) -> None:
        """Tell the user why workers died, unless one had been stopped and was ended here."""
        self._standstill.close()
        if self._standstill.ended:
            return
        if self._forked or self._running():
            raise ParaphrastError(_KILLED) from error
        raise ConfigError(_UNGUARDED) from error

    def _running(self) -> list[int]:
        """Return the numbers of the workers that have said that they started."""
        while self._starts.poll():
            self._numbers.append(int(self._starts.recv_bytes()))
        return self._numbers


def _begin(orders: Connection, started: Connection) -> None:
    """Prepare a worker: an interrupt is for the parent, and the worker ends with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    started.send_bytes(b"%d" % os.getpid())
    threading.Thread(target=_end_with_parent, args=(orders,), daemon=True).start()


def _end_with_parent(orders: Connection) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel, orders])
    os._exit(1)


def _context() -> BaseContext:
    """Fork where that is safe: it starts at once and needs no guard in the user's script."""
    safe = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    return multiprocessing.get_context("fork" if safe else "spawn")
