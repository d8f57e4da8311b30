"""Pearson's r, Spearman's ρ and Kendall's τ-b and τ-c between two variables.

All raise `InputError` where the statistic is undefined (fewer than two items, a constant variable)
and for numbers that are not finite; none ever returns NaN. The range is [−1, 1].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from paraphrast.stats import checks
from paraphrast.stats.kernels import kernel
from paraphrast.stats.ordering import average_ranks
from paraphrast.types import Floats

Statistic = Literal["pearson", "spearman", "kendall_b", "kendall_c"]


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Return Σ (x − x̄)(y − ȳ) / √(Σ (x − x̄)² Σ (y − ȳ)²)."""
    first, second = checks.pair(x, y)
    return _cosine(standardise(first), standardise(second))


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Return Pearson's r of the ranks; equal values share the mean of their ranks."""
    first, second = checks.pair(x, y)
    return _cosine(standardise(average_ranks(first)), standardise(average_ranks(second)))


def kendall_b(x: ArrayLike, y: ArrayLike) -> float:
    """Return (C − D) / √((P − T_x)(P − T_y)), in O(n log n) (Kendall 1945; Knight 1966).

    C and D count concordant and discordant pairs, P all n(n − 1)/2 pairs, T_x and T_y those with
    equal values in x and in y.
    """
    return _kendall("kendall_b", x, y)


def kendall_c(x: ArrayLike, y: ArrayLike) -> float:
    """Return 2 (C − D) / (n² (m − 1)/m), in O(n log n) (Stuart 1953).

    m is the smaller of the numbers of distinct values in x and in y.
    """
    return _kendall("kendall_c", x, y)


def correlate(
    metrics: ArrayLike, human: ArrayLike, *, statistic: Statistic = "pearson"
) -> Floats:
    """Return the correlation of each row of `metrics` (metrics, items) with `human` (items,)."""
    scores, ratings = checks.table(metrics, human)
    return np.array([CORRELATIONS[statistic](row, ratings) for row in scores])


def correlation_matrix(metrics: ArrayLike, *, statistic: Statistic = "pearson") -> Floats:
    """Return the correlations between the rows of `metrics` (metrics, items), 1 on the diagonal."""
    scores, _ = checks.table(metrics, np.atleast_2d(np.asarray(metrics))[0])
    if statistic in ("pearson", "spearman"):
        ranked = scores if statistic == "pearson" else [average_ranks(row) for row in scores]
        units = np.array([standardise(row) for row in ranked])
        matrix = np.clip(units @ units.T, -1.0, 1.0)
    else:
        matrix = np.empty((len(scores), len(scores)))
        for row, values in enumerate(scores):
            across = kernel(statistic, scores[row:], values)(np.ones((1, len(values))))
            matrix[row, row:] = matrix[row:, row] = across[0]
    np.fill_diagonal(matrix, 1.0)
    return matrix


def standardise(values: Floats) -> Floats:
    """Return the values less their mean, over their norm.

    Dividing by the largest first keeps squares from overflowing; the second subtraction takes off
    what the first left by rounding where the spread is small beside the mean.
    """
    scaled = values / np.abs(values).max()
    scaled -= scaled.mean()
    scaled /= np.abs(scaled).max()
    scaled -= scaled.mean()
    unit: Floats = scaled / np.sqrt(scaled @ scaled)
    return unit


def _cosine(first: Floats, second: Floats) -> float:
    return float(np.clip(first @ second, -1.0, 1.0))


def _kendall(statistic: Statistic, x: ArrayLike, y: ArrayLike) -> float:
    first, second = checks.pair(x, y)
    return float(kernel(statistic, first[None], second)(np.ones((1, len(first))))[0, 0])


CORRELATIONS: dict[Statistic, Callable[[ArrayLike, ArrayLike], float]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall_b": kendall_b,
    "kendall_c": kendall_c,
}
