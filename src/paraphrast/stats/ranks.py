"""Ranks within bootstrap samples, without sorting a sample.

A sample is a count per item. It moves no value, so the sorted order of the data is also that of
every sample, and mean ranks are running sums of counts along that order. Arrays are (items,
samples) here: a row is gathered at once, and the running sum, which numpy takes one number at a
time, becomes a few sums of long rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paraphrast.stats.ordering import Order
from paraphrast.types import Floats

Columns = NDArray[np.float32] | Floats

_CHUNK = 64  # items of a chunk; the running sums of all chunks go in step
_EXACT = 1 << 23  # up to here halves are exact in single precision, which halves the traffic


class SampleRanks:
    """Mean ranks of one variable's items within samples."""

    def __init__(self, values: Floats) -> None:
        order = Order.by(values)
        chunks = -(-len(values) // _CHUNK)
        items = np.arange(chunks * _CHUNK)  # what pads the last chunk weighs nothing
        items[: len(values)] = order.order
        last = np.append(order.starts[1:], len(values)) - 1
        self._tied = order.tied
        self._items = items.reshape(-1, _CHUNK).T.ravel()  # the first of all chunks, the second, …
        self._last = last % _CHUNK * chunks + last // _CHUNK
        self._places = np.zeros(len(items), dtype=np.intp)
        self._places[: len(values)] = order.places if order.tied else self._last[order.places]

    def __call__(self, columns: Columns) -> tuple[Columns, Columns | None]:
        """Return each item's mean rank less one half, and the groups' weights if any are tied.

        With C the weight up to and including a group of weight t, its mean rank is C − t/2 + 1/2.
        """
        totals = columns.take(self._items, axis=0)
        upto = _running(totals)
        if self._tied:
            upto = upto.take(self._last, axis=0)
            totals = upto.copy()
            totals[1:] -= upto[:-1]
        upto -= totals * np.float32(0.5)
        return upto.take(self._places, axis=0), totals if self._tied else None


def _running(totals: Columns) -> Columns:
    """Return running sums down the columns of rows that hold the chunks in step."""
    samples = totals.shape[1]
    upto = totals.reshape(_CHUNK, -1).copy()
    for step in range(1, _CHUNK):
        upto[step] += upto[step - 1]
    before = np.cumsum(upto[-1].reshape(-1, samples), axis=0).ravel()
    upto[:, samples:] += before[:-samples]
    return upto.reshape(-1, samples)


def columns_of(weights: Floats) -> Columns:
    """Return weights (samples, items) as (items, samples), padded to whole chunks."""
    samples, items = weights.shape
    exact = weights.sum(axis=1).max() < _EXACT
    columns = np.zeros((-(-items // _CHUNK) * _CHUNK, samples), np.float32 if exact else np.float64)
    columns[:items] = weights.T
    return columns


def column_products(first: Columns, second: Columns) -> Floats:
    """Return Σ first · second down each column, in double precision.

    numpy adds up many short rows slowly, so they are first folded into few long ones.
    """
    whole = len(first) // _CHUNK * _CHUNK
    one, two = (part[:whole].reshape(_CHUNK, -1) for part in (first, second))
    folded = np.einsum("ki,ki->i", one, two, dtype=np.float64).reshape(-1, first.shape[1])
    rest = np.einsum("ki,ki->i", first[whole:], second[whole:], dtype=np.float64)
    products: Floats = folded.sum(axis=0) + rest
    return products
