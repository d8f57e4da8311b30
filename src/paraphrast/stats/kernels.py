"""Correlations of many metrics with one variable, under many weightings of the items at once.

A kernel is made from scores (metrics, items) and ratings (items,), and called with whole-number
weights (samples, items) that say how often each item is drawn; it returns (samples, metrics). The
result equals the plain statistic of the items repeated as drawn. It is NaN where a sample leaves a
variable constant: callers count and name those. Nothing here checks input; see `checks`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from paraphrast.stats.inversions import Inversions
from paraphrast.stats.ordering import Order
from paraphrast.stats.ranks import Columns, SampleRanks, column_products, columns_of
from paraphrast.types import Floats

Statistic = Literal["pearson", "spearman", "kendall_b", "kendall_c"]
Kernel = Callable[[Floats], Floats]

_PART = 1 << 18  # weights looked at together
_DEPTH, _ALONE = 64, 1 << 18  # items of a piece; multiplications OpenBLAS does in one thread
_CANCELLED = 1e-9  # share of Σ w x² left after the mean is taken off, below which digits are lost


class Pearson:
    """Weighted sums of x, y, x², y² and xy, all from one product of matrices."""

    def __init__(self, metrics: Floats, human: Floats) -> None:
        rows = np.array([scaled(row) for row in (*metrics, human)])
        self._metrics, self._human = rows[:-1], rows[-1]
        self._columns = np.vstack([rows, rows**2, self._metrics * self._human]).T.copy()

    def __call__(self, weights: Floats) -> Floats:
        width = len(self._metrics) + 1
        sums = _product(weights, self._columns) / weights.sum(axis=1, keepdims=True)
        means, squares, products = np.split(sums, [width, 2 * width], axis=1)
        spread = squares - means**2
        covariance = products - means[:, :-1] * means[:, -1:]
        values = _ratio(covariance, spread[:, :-1], spread[:, -1:])
        lost = spread <= _CANCELLED * squares
        for metric in np.flatnonzero((lost[:, :-1] | lost[:, -1:]).any(axis=0)).tolist():
            rows = lost[:, metric] | lost[:, -1]
            values[rows, metric] = self._again(weights[rows], metric)
        return values

    def _again(self, weights: Floats, metric: int) -> Floats:
        """Return r in two passes, the mean first, for samples nearly or wholly constant."""
        x, y = self._metrics[metric], self._human
        weights = weights / weights.sum(axis=1, keepdims=True)
        from_x, from_y = x - (weights @ x)[:, None], y - (weights @ y)[:, None]
        covariance = np.einsum("ij,ij,ij->i", weights, from_x, from_y)
        spread_x = np.einsum("ij,ij,ij->i", weights, from_x, from_x)
        spread_y = np.einsum("ij,ij,ij->i", weights, from_y, from_y)
        spread_x[_constant(weights, x)] = 0.0
        spread_y[_constant(weights, y)] = 0.0
        return _ratio(covariance, spread_x, spread_y)


class Spearman:
    """Pearson's r of the ranks within each sample, exactly, from orders sorted once.

    The ranks 1…N have Σ (r − r̄)² = (N³ − Σ t³)/12 for groups of t equal values.
    """

    def __init__(self, metrics: Floats, human: Floats) -> None:
        self._metrics = [SampleRanks(row) for row in metrics]
        self._human = SampleRanks(human)

    def __call__(self, weights: Floats) -> Floats:
        drawn = weights.sum(axis=1)
        columns = columns_of(weights)
        ranks, groups = self._human(columns)
        # centred they sum to 0 in each sample, so the ranks of the metrics need no centre
        centred = (ranks - drawn / 2) * columns
        untied = _spread(columns, drawn)
        human = untied if groups is None else _spread(groups, drawn)
        values = np.empty((len(weights), len(self._metrics)))
        for metric, ranked in enumerate(self._metrics):
            ranks, groups = ranked(columns)
            spread = untied if groups is None else _spread(groups, drawn)
            values[:, metric] = _ratio(column_products(ranks, centred), spread, human)
        return values


class Kendall:
    """Kendall's τ-b or τ-c from discordant and tied pairs; copies of an item are tied pairs."""

    def __init__(self, metrics: Floats, human: Floats, *, variant: Literal["b", "c"]) -> None:
        self._variant = variant
        self._human = Order.by(human)
        self._metrics = [Order.by(row) for row in metrics]
        self._both = [Order.by(human, row) for row in metrics]
        # ties of `human` come with rising metric scores, so only discordant pairs fall
        self._falling = [
            Inversions(both.order, alone.places[both.order])
            for both, alone in zip(self._both, self._metrics, strict=True)
        ]

    def __call__(self, weights: Floats) -> Floats:
        values = np.empty((len(weights), len(self._metrics)))
        human = self._human.totals(weights)
        for metric, order in enumerate(self._metrics):
            values[:, metric] = self._tau(metric, weights, order.totals(weights), human)
        return values

    def _tau(self, metric: int, weights: Floats, groups: Floats, human: Floats) -> Floats:
        drawn = weights.sum(axis=1)
        pairs = drawn * (drawn - 1) / 2
        untied_x, untied_y = pairs - _tied_pairs(groups), pairs - _tied_pairs(human)
        neither = untied_x + untied_y - pairs + _tied_pairs(self._both[metric].totals(weights))
        balance = neither - 2 * self._falling[metric](weights)
        values = _ratio(balance, untied_x, untied_y)
        if self._variant == "c":
            distinct = np.minimum((groups > 0).sum(axis=1), (human > 0).sum(axis=1))
            most = drawn**2 / 2 * (np.maximum(distinct, 2) - 1) / np.maximum(distinct, 2)
            values = np.where(np.isnan(values), np.nan, balance / most)
        return values


def kernel(statistic: Statistic, metrics: Floats, human: Floats) -> Kernel:
    """Return the kernel of a statistic for checked scores and ratings."""
    match statistic:
        case "pearson":
            return Pearson(metrics, human)
        case "spearman":
            return partial(_in_parts, Spearman(metrics, human))
        case "kendall_b":
            return partial(_in_parts, Kendall(metrics, human, variant="b"))
        case "kendall_c":
            return partial(_in_parts, Kendall(metrics, human, variant="c"))


def _in_parts(correlations: Kernel, weights: Floats) -> Floats:
    """Call a kernel with a few samples at a time, whose working arrays stay in the cache.

    Parts are worked on by as many threads as there are processors: numpy's loops let others run.
    Each sample's result depends on that sample alone, so the number of threads changes nothing.
    """
    step = max(4, _PART // weights.shape[1])
    parts = [weights[start : start + step] for start in range(0, len(weights), step)]
    if len(parts) == 1:
        return correlations(weights)
    with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1)) as pool:
        return np.concatenate(list(pool.map(correlations, parts)))


def _product(weights: Floats, columns: Floats) -> Floats:
    """Return weights @ columns, in pieces too small for BLAS to share out between threads.

    Its threads wait for each other by spinning: on a machine with other work the plain product was
    measured 15 times slower than this, and on an idle one about as fast.
    """
    items, width = columns.shape
    whole = items // _DEPTH * _DEPTH
    deep = columns[:whole].reshape(-1, _DEPTH, width)
    sums = np.empty((len(weights), width))
    step = max(1, _ALONE // (_DEPTH * width))
    for start in range(0, len(weights), step):
        part = weights[start : start + step]
        layers = part[:, :whole].reshape(len(part), -1, _DEPTH).transpose(1, 0, 2)
        rest = part[:, whole:] @ columns[whole:]
        sums[start : start + step] = np.matmul(layers, deep).sum(axis=0) + rest
    return sums


def scaled(values: Floats) -> Floats:
    """Return the values moved and scaled to mean 0 and largest magnitude 1."""
    moved: Floats = values / np.abs(values).max()  # first, so that no sum or square overflows
    moved -= moved.mean()
    moved /= np.abs(moved).max()
    return moved


def _ratio(covariance: Floats, one: Floats, other: Floats) -> Floats:
    """Return covariance / √(one · other) within [−1, 1], NaN where a spread is not positive."""
    defined = (one > 0) & (other > 0)
    root = np.sqrt(np.where(defined, one, np.nan)) * np.sqrt(np.where(defined, other, np.nan))
    values: Floats = np.clip(covariance / root, -1.0, 1.0)
    return values


def _spread(groups: Columns, drawn: Floats) -> Floats:
    weights = groups.astype(np.float64)
    spread: Floats = (drawn * drawn * drawn - column_products(weights * weights, weights)) / 12
    return spread


def _constant(weights: Floats, values: Floats) -> NDArray[np.bool_]:
    low = np.where(weights > 0, values, np.inf).min(axis=1)
    high = np.where(weights > 0, values, -np.inf).max(axis=1)
    same: NDArray[np.bool_] = low == high
    return same


def _tied_pairs(groups: Floats) -> Floats:
    pairs: Floats = (np.einsum("ij,ij->i", groups, groups) - groups.sum(axis=1)) / 2
    return pairs
