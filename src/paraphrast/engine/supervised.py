"""A worker process under supervision: if it dies, another takes over, and knows why.

A shard whose worker dies is tried again; after a second death it is worked on row by row, and a
row on which two workers died is set aside. So neither a stray kill nor a row that a native library
cannot bear stops a job, and a single kill changes nothing.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import IO, Any

from paraphrast.engine.shards import Counts
from paraphrast.engine.step import Step
from paraphrast.engine.task import Task
from paraphrast.errors import InputError, ParaphrastError

TRIES = 2  # of a whole shard, and of a row
MOST = 20  # rows of one shard that may kill a worker


class Died(Exception):
    """The process has gone; `place` is the row that it was at, if it was careful."""

    def __init__(self, place: int | None) -> None:
        super().__init__(place)
        self.place = place


@dataclass
class Supervised:
    """One worker process; `step` is open in it, or will be when it is needed."""

    step: Step
    _process: subprocess.Popen[bytes] | None = None
    _orders: IO[bytes] | None = None
    _answers: IO[bytes] | None = None
    _stopped: bool = False

    def do(self, task: Task) -> Counts:
        """Work on a shard, whatever dies on the way."""
        deaths, by_row = 0, Counter[int]()
        while True:
            try:
                return self._ask(task)
            except Died as died:
                self.close()
                if self._stopped:
                    raise
                if died.place is None:
                    deaths += 1
                    if deaths > TRIES + 1:
                        raise self._broken(task, f"it died {deaths} times") from None
                    task = replace(task, careful=deaths >= TRIES)
                    continue
                by_row[died.place] += 1
                aside = tuple(place for place, count in by_row.items() if count >= TRIES)
                if len(aside) > MOST:
                    raise self._broken(task, f"it died on {len(aside)} rows") from None
                task = replace(task, poisonous=aside)

    def open(self) -> None:
        """Start the process and open the step in it, if that has not happened yet."""
        if self._process is not None:
            return
        taking, self._orders = _pipe("wb")
        self._answers, giving = _pipe_back()
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "paraphrast.engine.child", str(taking), str(giving)],
            pass_fds=(taking, giving),
            stdin=subprocess.DEVNULL,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
            },
            start_new_session=True,  # an interrupt is for the parent, which then closes this one
        )
        os.close(taking)
        os.close(giving)
        try:
            self._send("open", self.step)
            self._receive()
        except Died:
            self.close()
            if self._stopped:
                raise
            raise InputError(
                f"the worker process of step {self.step.name} died while it was starting"
            ) from None

    def stop(self) -> None:
        """End the process from another thread; the one that waits for it gets `Died`."""
        self._stopped = True
        if self._process is not None:
            self._kill(self._process)

    def close(self) -> None:
        """End the process and whatever it has started."""
        if self._process is None:
            return
        self._kill(self._process)
        self._process.wait()
        for pipe in (self._orders, self._answers):
            if pipe is not None:
                with suppress(OSError):  # what was still to be sent
                    pipe.close()
        self._process = self._orders = self._answers = None

    @staticmethod
    def _kill(process: subprocess.Popen[bytes]) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def _ask(self, task: Task) -> Counts:
        if self._stopped:
            raise Died(None)
        self.open()
        self._send("do", task)
        found: Counts = self._receive()
        return found

    def _send(self, kind: str, value: Any) -> None:
        assert self._orders is not None
        try:
            pickle.dump((kind, value), self._orders)
            self._orders.flush()
        except BrokenPipeError:
            raise Died(None) from None

    def _receive(self) -> Any:
        assert self._answers is not None
        place: int | None = None
        while True:
            try:
                kind, value = pickle.load(self._answers)  # noqa: S301  (from our own child)
            except (EOFError, pickle.UnpicklingError):
                raise Died(place) from None
            if kind == "row":
                place = value
            elif kind == "error":
                raise value
            elif kind == "bug":
                raise RuntimeError(f"in step {self.step.name}:\n{value}")
            else:
                return value

    def _broken(self, task: Task, what: str) -> ParaphrastError:
        return InputError(
            f"the worker process of step {self.step.name} cannot do shard {task.number}: {what}; "
            "perhaps memory ran out (try fewer --jobs), or what the step calls is broken"
        )


def _here() -> str:
    """Return where this process finds modules, for the child to find the step's there too."""
    return os.pathsep.join(path or os.getcwd() for path in sys.path)


def _pipe(mode: str) -> tuple[int, IO[bytes]]:
    """Return the end that the child reads and the file that this process writes."""
    reading, writing = os.pipe()
    return reading, os.fdopen(writing, mode)


def _pipe_back() -> tuple[IO[bytes], int]:
    """Return the file that this process reads and the end that the child writes."""
    reading, writing = os.pipe()
    return os.fdopen(reading, "rb"), writing
