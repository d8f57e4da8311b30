"""Where the words of two texts differ when both are read from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class WordChange:
    """Words of one text and what the other has in their place; either span may be empty."""

    a: Span
    b: Span

    @property
    def size(self) -> int:
        """The words of the longer side."""
        return max(self.a[1] - self.a[0], self.b[1] - self.b[0])


def word_changes(a: Sequence[str], b: Sequence[str]) -> list[WordChange]:
    """Return the differences between two lists of words, in whatever case, in their order.

    >>> word_changes("It rose by 3 %".split(), "It fell by 3 % today".split())
    [WordChange(a=(1, 2), b=(1, 2)), WordChange(a=(5, 5), b=(5, 6))]
    """
    one, other = ([word.casefold() for word in words] for words in (a, b))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return [
        WordChange((start_a, end_a), (start_b, end_b))
        for kind, start_a, end_a, start_b, end_b in matcher.get_opcodes()
        if kind != "equal"
    ]
