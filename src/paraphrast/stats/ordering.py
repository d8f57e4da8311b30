"""The order of a variable's values, sorted once and then read under any weighting of the items.

A bootstrap sample is a count per item. It moves no value, so the sorted order of the data is also
that of every sample, and the ranks within a sample are running sums of counts along that order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.types import Floats

Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Order:
    """Items in ascending order and the groups of items with equal values."""

    order: Ints  # items, ascending
    starts: Ints  # where in `order` each group begins
    places: Ints  # the group of each item

    @classmethod
    def by(cls, *keys: Floats) -> Order:
        """Sort by the first key, then by the next; items equal in all keys form a group."""
        order = np.lexsort(keys[::-1])
        new = np.zeros(len(order), dtype=bool)
        new[:1] = True
        for key in keys:
            ordered = key[order]
            new[1:] |= ordered[1:] != ordered[:-1]
        places = np.empty(len(order), dtype=np.intp)
        places[order] = np.cumsum(new) - 1
        return cls(order, np.flatnonzero(new), places)

    @property
    def tied(self) -> bool:
        """Whether any two items are equal."""
        return len(self.starts) < len(self.order)

    def totals(self, weights: Floats) -> Floats:
        """Return the weight of each group (samples, groups); in item order where nothing is tied."""
        if not self.tied:
            return weights
        ordered = weights.take(self.order, axis=1)
        return np.add.reduceat(ordered, self.starts, axis=1)

    def ranks(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return each item's mean rank less the mean of all ranks, and Σ t³ over groups of weight t.

        With C the weight up to and including a group, its mean rank is C − (t − 1)/2 and the
        mean of all ranks is (N + 1)/2, so what is returned is C − t/2 − N/2.
        """
        totals = weights.take(self.order, axis=1)
        upto = np.cumsum(totals, axis=1)
        everything = upto[:, -1:].copy()
        if self.tied:
            upto = upto.take(np.append(self.starts[1:], len(self.order)) - 1, axis=1)
            totals = np.diff(upto, axis=1, prepend=0.0)
        cubes = np.einsum("ij,ij->i", totals * totals, totals)
        totals += everything
        totals *= 0.5
        upto -= totals
        return upto.take(self.places, axis=1), cubes


def average_ranks(values: Floats) -> Floats:
    """Return ranks from 1 to n; equal values share the mean of theirs."""
    if not len(values):
        return np.empty(0)
    centred, _ = Order.by(values).ranks(np.ones((1, len(values))))
    ranks: Floats = centred[0] + (len(values) + 1) / 2
    return ranks
