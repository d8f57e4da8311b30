"""Exact nearest neighbours by cosine: products of blocks, and the best of each row so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.mine.vectors import Array, Ints, Vectors

Numbers = NDArray[np.int32]
Found = tuple[int, Array, Numbers]
"""The number of the first query, then scores and candidates of that one and those after it."""

STEP = 2048  # rows and columns of one product
_MOST_HELD = 1 << 25  # neighbours of all queries that may be held at once: 256 MB
_MOST_OF_A_BLOCK = 1 << 20
ROUNDING = 1e-5  # more than 32-bit sums of products of unit vectors are ever off


@dataclass(frozen=True, slots=True)
class Best:
    """The highest scores of each row so far, in no order; −inf and −1 where there are none yet."""

    scores: Array
    numbers: Numbers

    @classmethod
    def none(cls, rows: int, most: int) -> Best:
        shape = (rows, most)
        return cls(np.full(shape, -np.inf, dtype=np.float32), np.full(shape, -1, dtype=np.int32))

    def part(self, first: int, count: int) -> Best:
        """Return some of the rows; what they take, this one has too."""
        rows = slice(first, first + count)
        return Best(self.scores[rows], self.numbers[rows])

    def offer(self, scores: Array, first: int, lowest: float) -> None:
        """Take what is better out of scores [rows, candidates], of candidates from `first` on."""
        bar = np.maximum(self.scores.min(axis=1), np.float32(lowest))
        rows, columns = np.nonzero(scores > bar[:, None])
        if not len(rows):
            return
        counts = np.bincount(rows, minlength=len(self.scores))
        touched = np.flatnonzero(counts)
        place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        dense = np.cumsum(counts > 0) - 1  # the place of a row among those touched
        shape = (len(touched), int(counts.max()))
        new_scores = np.full(shape, -np.inf, dtype=np.float32)
        new_numbers = np.full(shape, -1, dtype=np.int32)
        new_scores[dense[rows], place] = scores[rows, columns]
        new_numbers[dense[rows], place] = columns + first
        self._merge(touched, new_scores, new_numbers)

    def _merge(self, rows: Ints, scores: Array, numbers: Numbers) -> None:
        most = self.scores.shape[1]
        all_scores = np.concatenate([self.scores[rows], scores], axis=1)
        all_numbers = np.concatenate([self.numbers[rows], numbers], axis=1)
        best = np.argpartition(all_scores, -most, axis=1)[:, -most:]
        self.scores[rows] = np.take_along_axis(all_scores, best, axis=1)
        self.numbers[rows] = np.take_along_axis(all_numbers, best, axis=1)


class ExactSearch:
    """Every candidate is looked at."""

    slack = ROUNDING

    def __init__(self, candidates: Vectors) -> None:
        self._candidates = candidates

    def nearest(self, queries: Array, most: int, lowest: float) -> tuple[Array, Numbers]:
        """Return scores above `lowest` and numbers of the nearest candidates of each query."""
        best = Best.none(len(queries), most)
        for first, block in self._candidates.blocks(STEP):
            best.offer(queries @ block.T, first, lowest)
        return best.scores, best.numbers

    def sweep(self, queries: Vectors, most: int, lowest: float) -> Iterator[Found]:
        """Yield the same for all queries, in order, a block at a time."""
        if queries is self._candidates and len(queries) * most <= _MOST_HELD:
            yield from self._mutual(most, lowest)
            return
        for first, block in queries.blocks(max(1, min(STEP, _MOST_OF_A_BLOCK // most))):
            yield first, *self.nearest(block, most, lowest)

    def _mutual(self, most: int, lowest: float) -> Iterator[Found]:
        """Multiply each pair of blocks once, for both: half the work."""
        vectors = self._candidates
        best = Best.none(len(vectors), most)
        for row, one in vectors.blocks(STEP):
            ours = best.part(row, len(one))
            for column, two in vectors.blocks(STEP, start=row):
                scores = one @ two.T
                ours.offer(scores, column, lowest)
                if column > row:
                    best.part(column, len(two)).offer(scores.T, row, lowest)
            yield row, ours.scores, ours.numbers
