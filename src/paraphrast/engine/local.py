"""Map a function over chunks on this machine, in order, with a bounded number in flight."""

from __future__ import annotations

import multiprocessing
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from paraphrast.errors import ConfigError, ParaphrastError

T = TypeVar("T")
R = TypeVar("R")


def map_chunks(work: Callable[[T], R], chunks: Iterable[T], *, jobs: int = 1) -> Iterator[R]:
    """Yield `work(chunk)` for each chunk, in the order given, whatever the number of processes."""
    if jobs < 1:
        raise ConfigError(f"jobs must be at least 1; got {jobs}")
    if jobs == 1:
        yield from map(work, chunks)
        return
    with ProcessPoolExecutor(jobs, mp_context=_context()) as pool:
        waiting: deque[Future[R]] = deque()
        try:
            for chunk in chunks:
                waiting.append(pool.submit(work, chunk))
                if len(waiting) >= 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise ParaphrastError(
                "a worker process was killed, perhaps for lack of memory; try fewer --jobs"
            ) from error
        finally:
            for future in waiting:
                future.cancel()


def _context() -> multiprocessing.context.BaseContext:
    """Fork where that is safe: it starts at once and needs no guard in the user's script."""
    safe = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    return multiprocessing.get_context("fork" if safe else "spawn")
