"""Whose turn it is: a fair lock that long work hands on between two of its batches."""

from __future__ import annotations

import threading
from collections import deque
from types import TracebackType


class Turns:
    """A lock given in the order in which it was asked for.

    One instance of each model serves everybody. Long work calls `hand_on` between batches: whoever
    waits goes first, and the long work goes on after them.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._line: deque[threading.Event] = deque()

    def __enter__(self) -> Turns:
        mine = threading.Event()
        with self._guard:
            self._line.append(mine)
            if self._line[0] is mine:
                mine.set()
        mine.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        with self._guard:
            self._line.popleft()
            if self._line:
                self._line[0].set()

    def hand_on(self) -> None:
        """Let those who wait now go first."""
        if len(self._line) > 1:
            self._leave()
            self.__enter__()
