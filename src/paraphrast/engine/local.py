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
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from typing import TypeVar

from paraphrast.engine.cores import check_limit
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

    The workers end when this generator does, and when this process dies, however that happens.
    """
    if jobs < 1:
        raise ConfigError(f"jobs must be at least 1; got {jobs}")
    check_limit("jobs", jobs)
    if jobs == 1:
        yield from map(work, chunks)
        return
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(1)  # a worker that imports an unguarded script; the parent tells the user
    context = _context()
    orders, stop = context.Pipe(duplex=False)
    starts, started = context.Pipe(duplex=False)
    with (
        orders,
        stop,
        starts,
        started,
        ProcessPoolExecutor(
            jobs, mp_context=context, initializer=_begin, initargs=(orders, started)
        ) as pool,
    ):
        complete = False
        try:
            yield from _in_order(pool, work, chunks, 2 * jobs)
            complete = True
        except BrokenProcessPool as error:
            if context.get_start_method() == "fork" or starts.poll():
                raise ParaphrastError(_KILLED) from error
            raise ConfigError(_UNGUARDED) from error
        finally:
            if not complete:  # do not wait for results that nobody will read
                stop.send_bytes(b"stop")
                pool.shutdown(wait=True, cancel_futures=True)


def _in_order(
    pool: ProcessPoolExecutor, work: Callable[[T], R], chunks: Iterable[T], most: int
) -> Iterator[R]:
    waiting: deque[Future[R]] = deque()
    for chunk in chunks:
        waiting.append(pool.submit(work, chunk))
        if len(waiting) >= most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _begin(orders: Connection, started: Connection) -> None:
    """Prepare a worker: an interrupt is for the parent, and the worker ends with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    started.send_bytes(b"started")
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
