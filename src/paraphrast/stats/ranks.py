"""Ranks within bootstrap samples, without sorting a sample.

A sample is a count per item. It moves no value, so the sorted order of the data is also that of
every sample, and mean ranks are running sums of counts along that order.
"""

from __future__ import annotations

import numpy as np

from paraphrast.stats.ordering import Order
from paraphrast.types import Floats


class SampleRanks:
    """Mean ranks of one variable's items within samples."""

    def __init__(self, values: Floats) -> None:
        self._order = Order.by(values)
        self._last = np.append(self._order.starts[1:], len(values)) - 1

    def __call__(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return each item's mean rank less the mean of all, and Σ t³ over groups of t equals.

        With C the weight up to and including a group of weight t, its mean rank is C − t/2 + 1/2,
        and the mean of all ranks is (N + 1)/2.
        """
        totals = weights.take(self._order.order, axis=1)
        upto = np.cumsum(totals, axis=1)
        if self._order.tied:
            upto = upto.take(self._last, axis=1)
            totals = np.diff(upto, axis=1, prepend=0.0)
        cubes: Floats = np.einsum("ij,ij,ij->i", totals, totals, totals)
        upto -= totals * 0.5
        upto -= weights.sum(axis=1, keepdims=True) / 2
        return upto.take(self._order.places, axis=1), cubes
