"""From rough neighbours to the right ones: score anew, leave out, order, cut at top-k.

What counts is defined on scores rounded to four decimals: of the candidates of a text that reach
the threshold, the `top_k` with the highest score, lower rows first where scores are equal. The
rough search gives more neighbours than that; where it cannot have given all that matter, it is
asked for more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.mine.exact import Found, Numbers
from paraphrast.corpora.mine.vectors import Array, Vectors
from paraphrast.corpora.text_store import Ints, Keys, batches

UNIT = 10_000  # a score of 1: scores have four decimals
MOST_TEXTS = 1 << 24  # so that a pair and its score fit into 64 bits
_BITS = 24
_MORE = 16  # neighbours beyond top-k that the rough search gives
_MOST = 4096  # and never more than this, or top-k
_WIDER = 4
_SCORED_AT_ONCE = 4096
_ASKED_AT_ONCE = 1 << 20
_NONE = np.iinfo(np.int64).max

Packed = NDArray[np.uint64]


class NeighbourSearch(Protocol):
    """A way to find neighbours; their scores may be off by `slack`."""

    slack: float

    def nearest(self, queries: Array, most: int, lowest: float) -> tuple[Array, Numbers]:
        """Return scores above `lowest` and candidates for each query; −1 is none."""
        ...

    def sweep(self, queries: Vectors, most: int, lowest: float) -> Iterator[Found]:
        """Yield the same for all queries, in order."""
        ...


@dataclass(frozen=True, slots=True)
class SearchSide:
    """The texts of one source, as far as the search needs them."""

    vectors: Vectors
    keys: Keys
    usable: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which pairs are wanted."""

    top_k: int
    threshold: float
    keep_trivial: bool = False

    @property
    def least(self) -> int:
        """The lowest score, in units of the last decimal."""
        return math.ceil(self.threshold * UNIT - 1e-6)


class Neighbours:
    """Finds for each text of `ours` its neighbours in `theirs`, which may be the same side."""

    def __init__(
        self, ours: SearchSide, theirs: SearchSide, search: NeighbourSearch, wanted: Wanted
    ) -> None:
        self._ours, self._theirs = ours, theirs
        self._search = search
        self._wanted = wanted
        self._lowest = (wanted.least - 0.5) / UNIT - search.slack

    def pairs(self, advance: Callable[[int], None]) -> Iterator[Packed]:
        """Yield packed pairs; inside one side most come twice, once from each text."""
        most = min(len(self._theirs.vectors), self._wanted.top_k + _MORE)
        sweep = self._search.sweep(self._ours.vectors, most, self._lowest)
        for first, scores, numbers in sweep:
            queries = np.arange(first, first + len(scores))
            found, open_rows = self._settled(queries, scores, numbers)
            yield found
            yield from self._asked_again(queries[open_rows], most)
            advance(len(queries))

    def of(self, queries: Ints) -> Iterator[Packed]:
        """Yield the packed pairs of some texts only."""
        yield from self._asked_again(queries, (self._wanted.top_k + _MORE) // _WIDER)

    def _asked_again(self, queries: Ints, most: int) -> Iterator[Packed]:
        """Search wider and wider, until nothing that is missing could matter."""
        limit = min(len(self._theirs.vectors), max(_MOST, 2 * self._wanted.top_k))
        while len(queries):
            most = min(limit, most * _WIDER)
            left = []
            for part in batches(len(queries), max(1, _ASKED_AT_ONCE // most)):
                asked = queries[part.start : part.stop]
                vectors = self._ours.vectors.take(asked)
                scores, numbers = self._search.nearest(vectors, most, self._lowest)
                found, open_rows = self._settled(asked, scores, numbers, last=most == limit)
                yield found
                left.append(asked[open_rows])
            queries = np.concatenate(left)

    def _settled(
        self, queries: Ints, scores: Array, numbers: Numbers, *, last: bool = False
    ) -> tuple[Packed, NDArray[np.bool_]]:
        """Return the pairs of the queries that need no wider search, and which ones do."""
        candidates = numbers.astype(np.int64)
        rows, columns = np.nonzero(self._allowed(queries, candidates))
        exact = self._scores(queries[rows], candidates[rows, columns])
        high = exact >= self._wanted.least
        rows, columns, exact = rows[high], columns[high], exact[high]
        order = np.full(candidates.shape, _NONE)
        order[rows, columns] = ((UNIT - exact) << _BITS) | candidates[rows, columns]
        order.sort(axis=1)
        kept = order[:, : self._wanted.top_k]
        lacking = np.zeros(len(queries), dtype=np.bool_)
        if not last:
            lacking = self._open(kept, scores, numbers) & self._ours.usable[queries]
        real = (kept < _NONE) & ~lacking[:, None]
        asked = np.broadcast_to(queries[:, None], kept.shape)
        return self._packed(asked[real], kept[real]), lacking

    def _allowed(self, queries: Ints, candidates: Ints) -> NDArray[np.bool_]:
        good = (candidates >= 0) & self._theirs.usable[candidates]
        good &= self._ours.usable[queries][:, None]
        if self._ours is self._theirs:
            good &= candidates != queries[:, None]
        if not self._wanted.keep_trivial:
            good &= self._theirs.keys[candidates] != self._ours.keys[queries][:, None]
        return good

    def _scores(self, queries: Ints, candidates: Ints) -> Ints:
        """Return cosines in units of the last decimal, the same whatever the blocks were."""
        found = np.empty(len(queries), dtype=np.int64)
        for part in batches(len(queries), _SCORED_AT_ONCE):
            here = slice(part.start, part.stop)
            one = self._ours.vectors.take(queries[here]).astype(np.float64)
            two = self._theirs.vectors.take(candidates[here]).astype(np.float64)
            cosines = np.einsum("ij,ij->i", one, two)
            found[here] = np.clip(np.rint(cosines * UNIT), -UNIT, UNIT)
        return found

    def _open(self, kept: Ints, scores: Array, numbers: Numbers) -> NDArray[np.bool_]:
        """Tell which rows may lack a neighbour: more may lie where the search stopped."""
        full = (numbers >= 0).all(axis=1) & (numbers.shape[1] < len(self._theirs.vectors))
        few = kept[:, -1] == _NONE
        if not self._search.slack:  # an approximate search is only asked for enough
            return np.asarray(full & few)
        worst = (UNIT - (kept[:, -1] >> _BITS) - 0.5) / UNIT
        beyond = scores.min(axis=1) + self._search.slack  # no other is nearer than this
        return np.asarray(full & (beyond >= np.where(few, self._lowest, worst)))

    def _packed(self, queries: Ints, kept: Ints) -> Packed:
        """Score, text and text in one number: sorted, the best pairs come first."""
        candidates = kept & (MOST_TEXTS - 1)
        one, two = queries, candidates
        if self._ours is self._theirs:
            one, two = np.minimum(queries, candidates), np.maximum(queries, candidates)
        best = (kept >> _BITS) << 2 * _BITS
        return (best | (one << _BITS) | two).astype(np.uint64)


def unpacked(packed: Packed) -> tuple[NDArray[np.float64], Ints, Ints]:
    """Return scores, and the numbers of both texts."""
    values = packed.astype(np.int64)
    mask = MOST_TEXTS - 1
    scores = (UNIT - (values >> 2 * _BITS)) / UNIT
    return scores, (values >> _BITS) & mask, values & mask
