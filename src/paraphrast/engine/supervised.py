"""A worker process under supervision: if it dies, another takes over, and knows why.

A shard whose worker dies is tried again; after a second death it is worked on row by row, and a
row on which two workers died is set aside. So neither a stray kill nor a row that a native library
cannot bear stops a job, and a single kill changes nothing. One that dies while it starts is
replaced too, and so is one that was stopped and does not go on. A worker is asked to end before it
is killed, so that it can end what it has started.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import IO, Any

from paraphrast.engine.child import BOOT, GRACE
from paraphrast.engine.shards import Counts
from paraphrast.engine.standstill import Standstill, end
from paraphrast.engine.step import Step
from paraphrast.engine.task import Task
from paraphrast.errors import InputError, ParaphrastError

TRIES = 2  # of a whole shard, and of a row
STARTS = 3  # of a process that dies before its step is open
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
    _standstill: Standstill | None = None

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
        for _ in range(STARTS):
            self._start()
            try:
                self._send(_here())
                self._send(("open", self.step))
                self._receive()
            except Died:
                self.close()
                if self._stopped:
                    raise
            else:
                return
        raise InputError(
            f"the worker process of step {self.step.name} died {STARTS} times while it was "
            "starting; perhaps memory ran out (try fewer --jobs)"
        )

    def _start(self) -> None:
        taking, self._orders = _pipe("wb")
        self._answers, giving = _pipe_back()
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", BOOT, str(taking), str(giving)],
            pass_fds=(taking, giving),
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt is for the parent, which then closes this one
        )
        os.close(taking)
        os.close(giving)
        number = self._process.pid
        self._standstill = Standstill(f"a worker of step {self.step.name}", lambda: [number])
        self._standstill.start()

    def stop(self) -> None:
        """End the process from another thread; the one that waits for it gets `Died`."""
        self._stopped = True
        if (process := self._process) is not None:
            if process.returncode is None:
                end(process.pid)
            late = threading.Timer(GRACE, _kill_late, (process,))
            late.daemon = True
            late.start()

    def close(self) -> None:
        """End the process and whatever it has started."""
        if self._process is None:
            return
        if self._standstill is not None:
            self._standstill.close()
        end(self._process.pid)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        _kill(self._process)
        self._process.wait()
        for pipe in (self._orders, self._answers):
            if pipe is not None:
                with suppress(OSError):  # what was still to be sent
                    pipe.close()
        self._process = self._orders = self._answers = self._standstill = None

    def _ask(self, task: Task) -> Counts:
        if self._stopped:
            raise Died(None)
        self.open()
        if self._stopped:  # while it was starting
            raise Died(None)
        self._send(("do", task))
        found: Counts = self._receive()
        return found

    def _send(self, message: Any) -> None:
        assert self._orders is not None
        try:
            pickle.dump(message, self._orders)
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


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with its group, whatever is left of it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _kill_late(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that has not ended yet; of one that has, the number may be another's."""
    if process.poll() is None:
        _kill(process)


def _here() -> list[str]:
    """Return where this process finds modules, for the child to find the step's there too.

    The working folder comes last, as loaders that put nothing on the path (pytest's) read from it.
    """
    working = os.getcwd()
    return list(dict.fromkeys([*(path or working for path in sys.path), working]))


def _pipe(mode: str) -> tuple[int, IO[bytes]]:
    """Return the end that the child reads and the file that this process writes."""
    reading, writing = os.pipe()
    return reading, os.fdopen(writing, mode)


def _pipe_back() -> tuple[IO[bytes], int]:
    """Return the file that this process reads and the end that the child writes."""
    reading, writing = os.pipe()
    return os.fdopen(reading, "rb"), writing
