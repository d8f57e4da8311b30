"""Weighted inversions of one sequence under many weightings at once.

D(w) = Σ w_i w_j over positions i < j whose values fall, v_i > v_j: Kendall's discordant pairs.

Knight (1966, JASA 61) counts them by merge sort in O(n log n). The comparisons of that sort depend
on the sequence alone, so they are made once, here by halving the range of values instead of
positions (the same pairs, met in another order); each weighting then costs a gather, a running sum
and a product per level. Ranges of at most `_LEAF` values are finished with a small matrix product.
"""

from __future__ import annotations

import numpy as np

from paraphrast.stats.ordering import Ints
from paraphrast.types import Floats

_LEAF = 32


class Inversions:
    """The pairs that fall in a sequence: `items` in order of position, `values` beside them."""

    def __init__(self, items: Ints, values: Ints) -> None:
        count = len(items)
        levels = 0
        while -(-count // 2**levels) > _LEAF:
            levels += 1
        leaf = -(-count // 2**levels)
        size = leaf << levels
        place = np.arange(size)  # of a position among the values; equal ones rise, so none falls
        place[np.argsort(values, kind="stable")] = np.arange(count)
        owner = np.full(size, count)  # the padding belongs to an item past the last, of weight 0
        owner[:count] = items
        self._levels = [_Level(owner, place, size >> level) for level in range(levels)]
        self._leaf = _Leaf(owner, place, leaf)

    def __call__(self, weights: Floats) -> Floats:
        """Return D for each row of weights (samples, items)."""
        padded = np.zeros((len(weights), weights.shape[1] + 1))
        padded[:, :-1] = weights
        total = self._leaf(padded)
        for level in self._levels:
            total += level(padded)
        return total


class _Level:
    """Pairs with one value in the upper and one in the lower half of a range of `length`."""

    def __init__(self, owner: Ints, place: Ints, length: int) -> None:
        self._half = length // 2
        order = np.argsort(place // self._half, kind="stable")
        upper = np.sort(order.reshape(-1, 2, self._half)[:, 1], axis=1)
        lower = order.reshape(-1, 2, self._half)[:, 0]
        self._upper, self._lower = owner[upper.ravel()], owner[lower.ravel()]
        ranges = np.arange(len(lower))[:, None] * len(place)
        before = np.searchsorted((upper + ranges).ravel(), (lower + ranges).ravel())
        # one more column per range, because a running sum starts from nothing
        self._before = before + np.repeat(np.arange(len(lower)), self._half)

    def __call__(self, padded: Floats) -> Floats:
        ranges = len(self._upper) // self._half
        running = np.zeros((len(padded), ranges, self._half + 1))
        upper = padded.take(self._upper, axis=1).reshape(len(padded), ranges, self._half)
        np.cumsum(upper, axis=2, out=running[:, :, 1:])
        ahead = running.reshape(len(padded), -1).take(self._before, axis=1)
        pairs: Floats = np.einsum("ij,ij->i", ahead, padded.take(self._lower, axis=1))
        return pairs


class _Leaf:
    """Pairs within ranges of `length` values, by comparing all with all."""

    def __init__(self, owner: Ints, place: Ints, length: int) -> None:
        order = np.argsort(place // length, kind="stable").reshape(-1, length)
        values = place[order]
        # kept as single bytes, made numbers at each use: n × _LEAF of them are held per metric
        self._falls = np.triu(values[:, :, None] > values[:, None, :])
        self._items = owner[order.ravel()]

    def __call__(self, padded: Floats) -> Floats:
        ranges, length = self._falls.shape[:2]
        weights = padded.take(self._items, axis=1).reshape(len(padded), ranges, length)
        ahead = np.matmul(weights.transpose(1, 0, 2), self._falls.astype(np.float64))
        pairs: Floats = np.einsum("rsl,srl->s", ahead, weights)
        return pairs
