"""Distances and common subsequences of pairs of sequences, with a bound on the work.

Both compare each token of one side with each of the other: 64 cells of that table are one machine
instruction, but a pair of lines of 5 MB still has 10¹² of them. A pair above the limit is measured
only if it differs little, which a band along the diagonal can prove; otherwise it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import LCSseq, Levenshtein

from paraphrast.errors import InputError

Sequences = Sequence[Sequence[Hashable]]

WORD_CELLS = 1 << 36  # 262,144 words by as many: half a minute
CHARACTER_CELLS = 1 << 38  # the small alphabet of characters is some four times as fast
_BAND = 1000  # of the first try


class LongPair(InputError):
    """A pair too long to be compared; `place` is that of its reference, once it is known."""

    def __init__(self, left: int, right: int, place: int | None = None) -> None:
        super().__init__(
            f"the candidate has {left:,} tokens and a reference {right:,}, too many to compare "
            "each with each; cut the texts into several segments, or leave this metric out"
        )
        self.left, self.right, self.place = left, right, place

    def __reduce__(self) -> tuple[type[LongPair], tuple[int, int, int | None]]:
        """Keep the numbers when the error crosses a process boundary."""
        return LongPair, (self.left, self.right, self.place)

    def at(self, place: int) -> LongPair:
        """Return the error with the reference's place."""
        return LongPair(self.left, self.right, place)


def lcs_lengths(
    left: Sequences, right: Sequences, *, most: int | None = None
) -> NDArray[np.float64]:
    """Return the longest common subsequence length of each pair, fastest for strings.

    `most` is the number of cells above which a pair is measured in a band or refused.
    """

    def banded(one: Sequence[Hashable], other: Sequence[Hashable], band: int) -> int | None:
        longer = max(len(one), len(other))
        missing = LCSseq.distance(one, other, score_cutoff=band)
        return None if missing > band else longer - int(missing)

    return _compared(left, right, LCSseq.similarity, banded, most or WORD_CELLS)


def edit_distances(
    left: Sequences, right: Sequences, *, most: int | None = None
) -> NDArray[np.float64]:
    """Return the Levenshtein distance of each pair, fastest for strings.

    `most` is the number of cells above which a pair is measured in a band or refused.
    """

    def banded(one: Sequence[Hashable], other: Sequence[Hashable], band: int) -> int | None:
        distance = int(Levenshtein.distance(one, other, score_cutoff=band))
        return None if distance > band else distance

    return _compared(left, right, Levenshtein.distance, banded, most or WORD_CELLS)


def _compared(
    left: Sequences,
    right: Sequences,
    scorer: Any,
    banded: Callable[[Sequence[Hashable], Sequence[Hashable], int], int | None],
    most: int,
) -> NDArray[np.float64]:
    sizes = np.array([list(map(len, left)), list(map(len, right))], dtype=np.int64)
    long = np.flatnonzero(sizes[0] * sizes[1] > most).tolist()
    if long:
        left, right = list(left), list(right)
    found: dict[int, int] = {}
    for place in long:
        found[place] = _long_pair(left[place], right[place], banded, most, place)
        left[place] = right[place] = ""  # type: ignore[index]
    compared = process.cpdist(left, right, scorer=scorer, dtype=np.int64).astype(np.float64)
    compared[long] = list(found.values())
    return compared


def _long_pair(
    one: Sequence[Hashable],
    other: Sequence[Hashable],
    banded: Callable[[Sequence[Hashable], Sequence[Hashable], int], int | None],
    most: int,
    place: int,
) -> int:
    """Measure a pair in wider and wider bands, as long as all of them have few enough cells."""
    longer = max(len(one), len(other))
    band = min(_BAND, longer)
    while 4 * band * longer <= most:
        if (measured := banded(one, other, band)) is not None:
            return measured
        if band == longer:
            break
        band = min(4 * band, longer)
    raise LongPair(len(one), len(other), place)
