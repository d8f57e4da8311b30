"""Where the shards of a step are worked on: processes of this machine, or a Ray cluster."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from paraphrast.engine.cores import check_limit, cores
from paraphrast.engine.shards import Counts
from paraphrast.engine.step import Step
from paraphrast.engine.supervised import Supervised
from paraphrast.engine.task import Task
from paraphrast.errors import ConfigError

ENGINES = ("local", "ray")


class Engine(Protocol):
    """Works on tasks and yields their counts in any order; the files are there by then."""

    def work(self, step: Step, tasks: Sequence[Task]) -> Iterator[Counts]: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Local:
    """So many processes of this machine, each under supervision."""

    jobs: int = 1

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise ConfigError(f"jobs must be at least 1; got {self.jobs}")
        check_limit("jobs", self.jobs)

    def close(self) -> None:
        """Nothing stays open between steps."""

    def work(self, step: Step, tasks: Sequence[Task]) -> Iterator[Counts]:
        waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        for task in tasks:
            waiting.put(task)
        done: queue.SimpleQueue[Counts | Exception] = queue.SimpleQueue()
        workers = [Supervised(step) for _ in range(min(self.jobs, len(tasks)))]
        threads = [
            threading.Thread(target=_drive, args=(worker, waiting, done), daemon=True)
            for worker in workers
        ]
        try:
            for thread in threads:
                thread.start()
            for _ in tasks:
                found = done.get()
                if isinstance(found, Exception):
                    raise found
                yield found
        finally:
            _empty(waiting)
            for worker in workers:
                worker.stop()
            for thread in threads:
                if thread.ident is not None:  # an interrupt may come before its start
                    thread.join()


def _drive(
    worker: Supervised,
    waiting: queue.SimpleQueue[Task],
    done: queue.SimpleQueue[Counts | Exception],
) -> None:
    """Give tasks to one worker until there are none, or one fails."""
    try:
        while True:
            done.put(worker.do(waiting.get_nowait()))
    except queue.Empty:
        return
    except Exception as error:  # noqa: BLE001  (raised again where the result is awaited)
        done.put(error)
    finally:
        worker.close()


def _empty(waiting: queue.SimpleQueue[Task]) -> None:
    while True:
        try:
            waiting.get_nowait()
        except queue.Empty:
            return


def make_engine(name: str, *, jobs: int | None = None, address: str | None = None) -> Engine:
    """Return the engine of that name; `jobs` is by default one for each core.

    A Ray that is not installed, or that does not answer, is an error here.
    """
    if name not in ENGINES:
        raise ConfigError(f"unknown engine {name!r}; known: {', '.join(ENGINES)}")
    if name == "local":
        if address is not None:
            raise ConfigError("an address is that of a Ray cluster; add --engine ray")
        return Local(cores() if jobs is None else jobs)
    from paraphrast.engine.ray import Ray

    cluster = Ray(jobs=jobs, address=address)
    cluster.check()
    return cluster
