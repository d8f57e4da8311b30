"""A watch over processes that are stopped (SIGSTOP): nobody else would notice, and all wait.

A process that is busy, however long, is not stopped. One that stays stopped is told of and ended;
who supervises it replaces it as one that died.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress

LOOK = 1.0  # seconds between two looks
LOOKS = 60  # that find it stopped before it is ended: somebody may be looking at it


class Standstill:
    """Looks at children of this process, from a thread of its own, until it is closed.

    `numbers` returns those that there are now, `what` names them in the warning, and `ended` are
    those that were ended.
    """

    def __init__(self, what: str, numbers: Callable[[], Iterable[int]]) -> None:
        self.ended: list[int] = []
        self._what, self._numbers = what, numbers
        self._looks: Counter[int] = Counter()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to look, where the system can tell; once more changes nothing."""
        if self._thread is None and hasattr(os, "waitid"):
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Look no more; the processes stay as they are."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(LOOK)  # while Python ends, the thread does not, and is no trouble

    def _watch(self) -> None:
        while not self._over.wait(LOOK):
            for number in self._numbers():
                self._count(number)

    def _count(self, number: int) -> None:
        self._looks[number] = self._looks[number] + 1 if _is_stopped(number) else 0
        if self._looks[number] == LOOKS:
            logging.getLogger(__name__).warning(
                "note: %s (process %d) has been stopped for %.0f seconds; another takes its place",
                self._what, number, LOOK * LOOKS,
            )  # fmt: skip
            self.ended.append(number)
            end(number)


def end(number: int) -> None:
    """Ask a process to end, also one that is stopped, which hears it when it goes on."""
    for each in (signal.SIGTERM, signal.SIGCONT):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(number, each)


def _is_stopped(number: int) -> bool:
    try:
        flags = os.WSTOPPED | os.WNOHANG | os.WNOWAIT  # whoever waits for it still hears of it
        return os.waitid(os.P_PID, number, flags) is not None
    except ChildProcessError:  # it has ended
        return False
