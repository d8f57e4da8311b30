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

_WIDTH = 25
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
    """The last column's value; outside the beam, as if every column past the edge rose by one."""
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
        self._extend(candidate[len(self.rows) : end])
        return self._trace(candidate, end)

    def _extend(self, words: str) -> None:
        full = self.full
        rises, falls = self.rows[-1][:2] if self.rows else (full, 0)
        for word in words:
            match = self.matches.get(word, 0)
            level = ((((match & rises) + rises) ^ rises) | match | falls) & full
            up = falls | (full ^ (level | rises))
            shifted = up << 1 | 1
            rises = ((level & rises) << 1 | ~(level | shifted)) & full
            falls = level & shifted
            self.rows.append(Row(rises, falls, 0, match | (full ^ level), up))

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


class Strip(NamedTuple):
    """The part of one row that the beam covers, as masks over the columns."""

    within: int
    """Columns with a diagonal predecessor inside the beam."""
    below: int
    """Columns with a predecessor straight above inside the beam."""
    before: int
    """Column 0 and those left of the beam, moved one bit up, as the carried steps are."""
    edge: int
    """The beam's first column, unless that is column 0."""
    after: int
    """Columns right of the beam."""


class BeamMatrix(EditMatrix):
    """The matrix of tercom's beam: cells far from the pseudo-diagonal do not exist.

    Inside the beam neighbours still differ by at most one, as its edges never move back. Missing
    cells are given values that can tie with a real path but not beat it: left of the beam, one
    above the first column; right of it, one more per column, and no match across the gap. The
    masks of `Strip` keep the ties out of the alignment.
    """

    def __init__(self, reference: str, length: int) -> None:
        super().__init__(reference)
        self.strips = list(_strips(length, len(reference)))

    def align(self, candidate: str, kept: int = 0) -> Alignment:
        del self.rows[kept:]
        self.rows.extend(self._grow(candidate, kept))
        return self._trace(candidate, len(candidate))

    def distance(self, candidate: str, kept: int = 0, changed: int = _NEVER) -> int:
        """The beam's distance; only words `kept` to `changed` differ from the last one aligned."""
        corner = self.rows[kept - 1].corner if kept else len(self.reference)
        for at, row in enumerate(self._grow(candidate, kept), kept):
            corner = row.corner
            # Once a row has the shape it had before, all further rows do, at a constant offset.
            if at >= changed and row[:2] == self.rows[at][:2]:
                return self.rows[-1].corner + corner - self.rows[at].corner
        return corner

    def _grow(self, candidate: str, kept: int) -> Iterator[Row]:
        full, last = self.full, len(self.reference) - 1
        rises, falls, corner = self.rows[kept - 1][:3] if kept else (full, 0, last + 1)
        for word, (within, below, before, edge, after) in zip(
            candidate[kept:], self.strips[kept:], strict=True
        ):
            match = self.matches.get(word, 0) & within
            level = ((((match & rises) + rises) ^ rises) | match | falls) & full
            up = falls | (full ^ (level | rises))
            fall = level & rises
            corner += (up >> last) - (fall >> last)
            shifted = up << 1 | before
            rises = (((fall << 1) & ~before) | ~(level | shifted)) & full & ~edge
            falls = level & shifted | edge
            if after:
                corner += (after & ~rises).bit_count() + (after & falls).bit_count()
                rises, falls = rises | after, falls & ~after
            yield Row(rises, falls, corner, (match | ~level) & within, up & below)


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


def _strips(length: int, columns: int) -> Iterator[Strip]:
    ratio = columns / length
    width = _WIDTH if ratio / 2 <= _WIDTH else math.ceil(ratio / 2 + _WIDTH)
    full = (1 << columns) - 1
    first, stop = 0, columns + 1
    for row in range(1, length + 1):
        above_first, above_stop = first, stop
        # The product is rounded as sacrebleu rounds it: that decides a column now and then.
        middle = math.floor(row * ratio)
        first = max(0, middle - width)
        stop = columns + 1 if row == length else min(columns + 1, middle + width)
        yield Strip(
            within=_columns(max(first, above_first + 1), min(stop, above_stop + 1)),
            below=_columns(max(first, above_first, 1), min(stop, above_stop)),
            before=(1 << max(first, 1)) - 1,
            edge=1 << (first - 1) if first else 0,
            after=full & ~((1 << (stop - 1)) - 1),
        )


def _columns(first: int, stop: int) -> int:
    """The bits of columns `first` to `stop` - 1; column 1 is bit 0."""
    return max(0, (1 << (stop - 1)) - (1 << (first - 1)))
