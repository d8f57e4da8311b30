"""Forbidden strings, which never come to stand in a text, and where other strings stand free.

Both look at the surface, not at sub-words: a string is recognised however it is cut into pieces.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def forbidden_in(text: str, forbid: Iterable[str]) -> str | None:
    """Return the first forbidden string that the text contains."""
    return next((each for each in forbid if _forbidden_pattern(each).search(text)), None)


def survives(string: str, text: str) -> bool:
    """Whether a kept string stands in the text as such, not as a part of a longer word or number.

    >>> survives("5", "15 or 5.2"), survives("Martin", "Martin's")
    (False, True)
    """
    return next(free_places(string, text), None) is not None


def free_places(string: str, text: str) -> Iterator[int]:
    """Yield where a string stands in the text as such."""
    start = text.find(string)
    while start >= 0:
        if _stands_free(text, start, start + len(string)):
            yield start
        start = text.find(string, start + 1)


@lru_cache(maxsize=4096)
def _forbidden_pattern(string: str) -> re.Pattern[str]:
    body = re.escape(string.strip())
    before = r"(?<!\w)" if string[:1].isspace() else ""
    after = r"(?!\w)" if string[-1:].isspace() else ""
    return re.compile(before + body + after, re.IGNORECASE)


def _stands_free(text: str, start: int, end: int) -> bool:
    """Whether what stands there is not a part of a longer word or number."""
    before, after = text[max(start - 2, 0) : start], text[end : end + 2]
    if _is_bound(text[start]) and before and _is_bound(before[-1]):
        return False
    if _is_bound(text[end - 1]) and after and _is_bound(after[0]):
        return False
    if text[start].isdigit() and before[-1:] in (".", ",") and before[:1].isdigit():
        return False
    return not (text[end - 1].isdigit() and after[:1] in (".", ",") and after[1:].isdigit())


def _is_bound(character: str) -> bool:
    """Whether a character binds to its like: scripts without case are written without spaces."""
    return character == "_" or character.isdigit() or character.lower() != character.upper()


class Forbidden:
    """The sub-words that would complete a forbidden string after a given text.

    A string is cut at every place: where the text ends in the first part, the sub-words that begin
    with the second are banned. If a string asks for the edge of a word after it, that leaves those
    that go on with a letter. One that stops there is banned too, though a longer word might follow:
    otherwise nothing but a letter could come next, and words would be glued together.
    """

    def __init__(self, forbid: Sequence[str], pieces: Sequence[str]) -> None:
        self._after: dict[str, list[tuple[bool, Ints]]] = defaultdict(list)
        surfaces = _Surfaces(pieces if forbid else ())
        inside: set[int] = set()
        for string in forbid:
            body, opens, closes = string.strip().lower(), string[0].isspace(), string[-1].isspace()
            inside.update(surfaces.containing(body, opens, closes))
            for cut in range(0 if opens else 1, len(body)):
                ids = surfaces.completing(body[cut:], closes)
                if ids:
                    self._after[body[:cut]].append((opens, np.array(ids, np.int64)))
        self._always = np.array(sorted(inside), np.int64)
        self._longest = max(map(len, self._after), default=-1)

    def banned(self, text: str) -> list[Ints]:
        """Return the sub-words that may not follow the text, in several arrays."""
        found = [self._always] if len(self._always) else []
        if self._longest < 0:
            return found
        tail = text[-self._longest - 1 :].lower()
        for length in range(min(self._longest, len(tail)) + 1):
            start = len(tail) - length
            at_edge = not (start and _in_word(tail[start - 1]))
            for opens, ids in self._after.get(tail[start:], ()):
                if at_edge or not opens:
                    found.append(ids)
        return found


class _Surfaces:
    """What sub-words look like, in lower case, sorted and joined for quick look-up."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._sorted = sorted((piece.lower(), number) for number, piece in enumerate(pieces))
        self._joined = "\0".join(piece for piece, _ in self._sorted)
        lengths = [len(piece) + 1 for piece, _ in self._sorted]
        self._starts = np.cumsum([0, *lengths])

    def completing(self, rest: str, closes: bool) -> list[int]:
        """Return the sub-words that begin with the rest of a string (and go on with no letter)."""
        first = bisect_left(self._sorted, (rest, -1))
        last = bisect_left(self._sorted, (rest + "\U0010ffff", -1))
        length = len(rest)
        return [
            number
            for piece, number in self._sorted[first:last]
            if not closes or len(piece) == length or not _in_word(piece[length])
        ]

    def containing(self, body: str, opens: bool, closes: bool) -> Iterator[int]:
        """Yield the sub-words that hold a string, and the edges of words it asks for."""
        edges = (r"(?<![\w\0])" if opens else "", r"(?!\w)" if closes else "")
        for match in re.finditer(edges[0] + re.escape(body) + edges[1], self._joined, re.DOTALL):
            place = int(np.searchsorted(self._starts, match.start(), side="right")) - 1
            if match.start() > self._starts[place] or not opens:
                yield self._sorted[place][1]


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"
