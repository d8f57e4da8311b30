"""Edit-distance matrices as bit vectors: the alignment and the beam that TER is built on.

A matrix has one row per candidate word and one column per reference word. Neighbouring cells
differ by at most one, so a row is held as two integers of one bit per column: where the value
rises and where it falls from the column before (Myers 1999, Hyyrö 2003). Python's integers have
any width, so a row costs about a dozen operations whatever the reference's length.

Words come as single characters of a string: equality is all that counts here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

_WIDTH = 25  # columns of the beam on either side of the pseudo-diagonal
_NEVER = 1 << 30


class Alignment(NamedTuple):
    """How the cheapest rewriting pairs the two sides, ties going to the diagonal, then deletion."""

    consumed: list[int]
    """Per number of reference words read, the number of candidate words read by then."""
    candidate_gap: list[int]
    """Per candidate word, how many right words stand before the first wrong one, from it on."""
    reference_gap: list[int]
    """The same for the reference."""


class Row(NamedTuple):
    """One row: the state the next row grows from, and the moves that lead here."""

    rises: int
    falls: int
    corner: int
    """The last column's value."""
    diagonal: int
    """Columns whose cheapest predecessor is one row and one column back."""
    down: int
    """Columns that cost one more than the row before; read only where `diagonal` is clear."""


class EditMatrix:
    """The plain Levenshtein matrix."""

    def __init__(self, reference: str) -> None:
        self.reference = reference
        self.full = (1 << len(reference)) - 1
        self.matches: dict[str, int] = {}
        for column, word in enumerate(reference):
            self.matches[word] = self.matches.get(word, 0) | 1 << column
        self.rows: list[Row] = []

    def align(self, candidate: str, kept: int = 0) -> Alignment:
        """Align `candidate`, whose first `kept` words are those of the last one aligned."""
        # A shared end always aligns with itself, as the diagonal is preferred: no rows needed.
        end = len(candidate) - _shared_end(candidate, self.reference)
        del self.rows[kept:]
        words = candidate[len(self.rows) : end]
        self.rows += self._grow(words, [self.full] * len(words), len(self.rows))
        return self._trace(candidate, end)

    def _grow(self, words: str, masks: list[int], kept: int) -> Iterator[Row]:
        """The rows of `words`, below the first `kept`; each matches only within its mask."""
        full, last = self.full, len(self.reference) - 1
        rises, falls, corner = self.rows[kept - 1][:3] if kept else (full, 0, last + 1)
        for word, within in zip(words, masks, strict=True):
            match = self.matches.get(word, 0) & within
            level = ((((match & rises) + rises) ^ rises) | match | falls) & full
            up = falls | (full ^ (level | rises))
            down = level & rises
            corner += (up >> last) - (down >> last)
            shifted = up << 1 | 1
            rises = (down << 1 | ~(level | shifted)) & full
            falls = level & shifted
            yield Row(rises, falls, corner, match | (within & ~level), up)

    def _trace(self, candidate: str, end: int) -> Alignment:
        reference, rows = self.reference, self.rows
        i, j = len(candidate), len(reference)
        consumed = [0] * (j + 1)
        candidate_gap = [0] * i + [_NEVER]
        reference_gap = [0] * j + [_NEVER]
        while i and j:
            if i > end or rows[i - 1].diagonal >> (j - 1) & 1:
                consumed[j] = i
                i, j = i - 1, j - 1
                if candidate[i] == reference[j]:
                    candidate_gap[i] = candidate_gap[i + 1] + 1
                    reference_gap[j] = reference_gap[j + 1] + 1
            elif rows[i - 1].down >> (j - 1) & 1:
                i -= 1
            else:
                consumed[j] = i
                j -= 1
        return Alignment(consumed, candidate_gap, reference_gap)


class BeamMatrix(EditMatrix):
    """The matrix of tercom's beam: only cells near the pseudo-diagonal count.

    Here the other cells stay, but no match may lead from, to or between them. That is enough: a
    detour outside the beam then costs at least the larger of the rows and the columns between its
    ends, and walking along the beam's edge costs just that, as the edge moves by at most one
    column in every row (references no longer than candidates) or by at least one (the others).
    """

    def __init__(self, reference: str, length: int) -> None:
        super().__init__(reference)
        self.masks = list(_beam(length, len(reference)))

    def align(self, candidate: str, kept: int = 0) -> Alignment:
        del self.rows[kept:]
        self.rows.extend(self._grow(candidate[kept:], self.masks[kept:], kept))
        return self._trace(candidate, len(candidate))

    def distance(self, candidate: str, kept: int = 0, changed: int = _NEVER) -> int:
        """The beam's distance; only words `kept` to `changed` differ from the last one aligned."""
        corner = self.rows[kept - 1].corner if kept else len(self.reference)
        for at, row in enumerate(self._grow(candidate[kept:], self.masks[kept:], kept), kept + 1):
            corner = row.corner
            # Once a row has the shape it had before, all further rows do, at a constant offset.
            if at >= changed and row[:2] == self.rows[at - 1][:2]:
                return self.rows[-1].corner + corner - self.rows[at - 1].corner
        return corner


def beam_is_idle(length: int, reference_length: int, distance: int) -> bool:
    """Whether the beam cannot change a distance, or the alignment behind it: proved, not tested.

    At row i every path of cost d through column j = i + e spends at least |e| before and |s - e|
    after, where s is the difference of the lengths; so |e - s·i/n| <= (d + |s|) / 2, the distance
    from the pseudo-diagonal. Two columns are left for the rounding of the pseudo-diagonal and for
    the beam's open right edge. Failing that, a beam that reaches every column is idle too.
    """
    gap = abs(length - reference_length)
    return distance + gap <= 2 * (_WIDTH - 2) or reference_length < _WIDTH


def _shared_end(one: str, other: str) -> int:
    shared, most = 0, min(len(one), len(other))
    while shared < most and one[-1 - shared] == other[-1 - shared]:
        shared += 1
    return shared


def _beam(length: int, columns: int) -> Iterator[int]:
    """Per row, the columns that lie in the beam together with their diagonal predecessor."""
    ratio = columns / length
    width = _WIDTH if ratio / 2 <= _WIDTH else math.ceil(ratio / 2 + _WIDTH)
    first, stop = 0, columns + 1
    for row in range(1, length + 1):
        # Rounded as sacrebleu rounds it, floating point and all: that can decide a column.
        middle = math.floor(row * ratio)
        # Bit 0 is column 1, so the columns one after the last row's are its own numbers as bits.
        above = (1 << stop) - (1 << first)
        first, stop = max(0, middle - width), min(columns + 1, middle + width)
        yield above & ((1 << stop - 1) - (1 << max(first - 1, 0)))
