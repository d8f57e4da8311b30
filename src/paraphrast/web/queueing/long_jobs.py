"""Work that takes longer than a page may wait: it shows progress, and can be cancelled."""

from __future__ import annotations

import secrets
import shutil
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from paraphrast.errors import ParaphrastError
from paraphrast.web.queueing.turns import Turns
from paraphrast.web.queueing.work_queue import QueueFull, ServerStopping

JobState = Literal["waiting", "running", "done", "failed", "cancelled"]
_MOST_JOBS = 20  # kept or waiting; the oldest finished one goes first
_MOST_WAITING = 8
_KEPT = 3600.0  # seconds after its end that a result is kept
_RETRY = 5


class JobCancelled(Exception):
    """Someone cancelled the job, or its time is over."""


@dataclass(slots=True, eq=False)
class LongJob:
    """One piece of long work: what it is, how far it has come, what came of it."""

    kind: str
    run: Callable[[LongJob], Any]
    folder: Path | None = None  # of its own; it is removed with the job
    time_limit: float = 3600.0
    ident: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    state: JobState = "waiting"
    done: int = 0
    total: int | None = None
    result: Any = None
    message: str = ""
    ended: float = 0.0
    turns: Turns | None = None
    _started: float = 0.0
    _cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "failed", "cancelled")

    def cancel(self) -> None:
        """Ask the job to end at its next step."""
        self._cancelled.set()
        if self.state == "waiting":
            self._end("cancelled", "cancelled")

    def advance(self, count: int) -> None:
        """Count items as done, let others have their turn, and end here if that was asked for."""
        self.done += count
        self.check()
        if self.turns is not None:
            self.turns.hand_on()

    def check(self) -> None:
        """End here if the job was cancelled or has used up its time."""
        if self._cancelled.is_set():
            raise JobCancelled("cancelled")
        if time.monotonic() - self._started > self.time_limit:
            raise JobCancelled(f"stopped after {self.time_limit:,.0f} s, which is the limit")

    def work(self, turns: Turns, report: Callable[[Exception], None]) -> None:
        """Do the job in this thread."""
        if self._cancelled.is_set():
            self._end("cancelled", "cancelled")
            return
        self.state, self._started, self.turns = "running", time.monotonic(), turns
        try:
            with turns:
                self.result = self.run(self)
            self._end("done", "")
        except JobCancelled as end:
            self._end("cancelled", str(end))
        except ParaphrastError as error:
            self._end("failed", str(error))
        except Exception as error:  # noqa: BLE001  a defect of ours must not stop the server
            report(error)
            self._end("failed", "something went wrong inside paraphrast; this is a bug of ours")

    def _end(self, state: JobState, message: str) -> None:
        self.message, self.ended, self.state = message, time.monotonic(), state


class LongJobs:
    """All long jobs of a server: one runs at a time, some wait, some results are kept."""

    def __init__(self, turns: Turns, report: Callable[[Exception], None]) -> None:
        self._turns = turns
        self._report = report
        self._jobs: dict[str, LongJob] = {}
        self._guard = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="paraphrast-job")
        self._stopping = False

    def start(self, job: LongJob) -> LongJob:
        """Put a job in line, or raise QueueFull."""
        with self._guard:
            if self._stopping:
                raise ServerStopping("the server is about to end")
            self._forget()
            if sum(not one.is_over for one in self._jobs.values()) >= _MOST_WAITING:
                raise QueueFull(_RETRY)
            self._jobs[job.ident] = job
        self._pool.submit(job.work, self._turns, self._report)
        return job

    def find(self, ident: str) -> LongJob | None:
        """Return a job by its name, which nobody can guess."""
        return self._jobs.get(ident)

    @property
    def unfinished(self) -> int:
        """The number of jobs that run or wait."""
        return sum(not job.is_over for job in list(self._jobs.values()))

    def stop(self) -> None:
        """Cancel what waits, finish what runs, remove all files."""
        with self._guard:
            self._stopping = True
        for job in list(self._jobs.values()):
            if job.state == "waiting":
                job.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for job in list(self._jobs.values()):
            _remove(job)
        self._jobs.clear()

    def _forget(self) -> None:
        """Drop the results that are old, and the oldest where there are too many."""
        over = sorted((job for job in self._jobs.values() if job.is_over), key=lambda j: j.ended)
        surplus = len(self._jobs) - _MOST_JOBS + 1
        for place, job in enumerate(over):
            if place < surplus or time.monotonic() - job.ended > _KEPT:
                _remove(self._jobs.pop(job.ident))


def _remove(job: LongJob) -> None:
    if job.folder is not None:
        shutil.rmtree(job.folder, ignore_errors=True)
