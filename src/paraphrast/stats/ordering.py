"""The order of a variable's values and its ties, found once and then read under any weighting."""

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
        """Return the weight of each group (samples, groups); by item where nothing is tied."""
        if not self.tied:
            return weights
        ordered = weights.take(self.order, axis=1)
        return np.add.reduceat(ordered, self.starts, axis=1)


def average_ranks(values: Floats) -> Floats:
    """Return ranks from 1 to n; equal values share the mean of theirs."""
    order = Order.by(values)
    ends = np.append(order.starts[1:], len(values))
    ranks: Floats = ((order.starts + ends + 1) / 2)[order.places]
    return ranks
