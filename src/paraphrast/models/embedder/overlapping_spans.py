"""Long texts in overlapping windows, put together again: nothing is cut off.

Each sub-word takes its state from the window in which it stands farthest from an edge, so it has
seen as much of the text on both sides as a window can show.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple


class Window(NamedTuple):
    """Sub-words `begin` to `end` of a text are read; the states of `first` to `last` are kept."""

    begin: int
    end: int
    first: int
    last: int


def windows(length: int, size: int) -> list[Window]:
    """Cover a text of so many sub-words by windows of at most `size` that overlap by half or more.

    The windows are spread evenly, so the last is as long as the others.
    """
    if length <= size:
        return [Window(0, length, 0, length)]
    step = max(size // 2, 1)
    count = -(-(length - size) // step) + 1
    begins = [(length - size) * number // (count - 1) for number in range(count)]
    # between two windows the border lies in the middle of what they share
    borders = [(later + sooner + size) // 2 for sooner, later in pairwise(begins)]
    return [
        Window(begin, begin + size, first, last)
        for begin, first, last in zip(begins, [0, *borders], [*borders, length], strict=True)
    ]
