"""Tests of the difference between two correlations that share a variable."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paraphrast.errors import ConfigError, InputError
from paraphrast.stats import checks
from paraphrast.stats.correlation import CORRELATIONS, standardise
from paraphrast.stats.kernels import Statistic, kernel
from paraphrast.stats.ordering import average_ranks
from paraphrast.stats.student import student_p
from paraphrast.types import Floats

_BLOCK = 1 << 20  # exchanges held at a time
_ONE = 1 - 1e-12  # a correlation this near to ±1 is ±1 but for rounding


class UndefinedTest(InputError):
    """A test that has no value on these data, where other tests may have one."""


@dataclass(frozen=True, slots=True)
class Williams:
    """Williams' t with n − 3 degrees of freedom; `p` is two-sided."""

    t: float
    degrees: int
    p: float


def williams(
    first: ArrayLike, second: ArrayLike, human: ArrayLike, *, statistic: Statistic = "pearson"
) -> Williams:
    """Test whether two metrics correlate differently with the same ratings (Williams 1959).

    t = (r₁₃ − r₂₃) √((n − 1)(1 + r₁₂)) /
    √(2K (n − 1)/(n − 3) + (r₁₃ + r₂₃)² (1 − r₁₂)³ / 4), K = 1 − r₁₂² − r₁₃² − r₂₃² + 2 r₁₂r₁₃r₂₃,
    as Graham and Baldwin (2014) use it for metrics. A metric never differs from itself: t = 0
    where r₁₂ is 1. Where it is −1, t is 0/0 and undefined: UndefinedTest.
    """
    x, y, z = (
        checks.vector(v, n) for v, n in ((first, "first"), (second, "second"), (human, "human"))
    )
    size = len(z)
    if size < 4:
        raise InputError(f"Williams' test needs at least 4 items; got {size}")
    correlation = CORRELATIONS[statistic]
    r12, r13, r23 = correlation(x, y), correlation(x, z), correlation(y, z)
    if r12 < -_ONE:
        raise UndefinedTest(
            "Williams' test is undefined between a metric and its mirror image; "
            "give both the same direction"
        )
    rest = max(0.0, 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23)
    spread = 2 * rest * (size - 1) / (size - 3) + (r13 + r23) ** 2 / 4 * (1 - r12) ** 3
    if r12 > _ONE or spread <= 0:  # the metrics are the same, up to a linear map
        return Williams(0.0, size - 3, 1.0)
    t = (r13 - r23) * math.sqrt((size - 1) * (1 + r12) / spread)
    return Williams(t, size - 3, student_p(t, size - 3))


def permutation_p(
    blocks: Sequence[tuple[Floats, Floats, Floats]],
    *,
    statistic: Statistic = "pearson",
    samples: int = 1000,
    seed: int = 0,
    clusters: Sequence[NDArray[np.int64]] | None = None,
) -> float:
    """Return the two-sided p-value of exchanging two metrics item by item.

    With `clusters`, for each block a number from 0 for each item, the items of a cluster are
    exchanged together.

    Each block is (first metric, second metric, ratings) of one group; the statistic is the mean
    difference of correlations over blocks. Both metrics are standardised before (ranked, for rank
    correlations), so that an exchange is fair (Deutsch et al. 2021). An exchange that leaves a
    metric constant counts as extreme, which can only raise p.
    """
    if not blocks:
        raise InputError("there are no items to exchange")
    if samples < 1:
        raise ConfigError(f"samples is {samples}; make at least one exchange")
    rng = np.random.default_rng(seed)
    total = np.zeros(samples)
    observed = 0.0
    for place, (first, second, human) in enumerate(blocks):
        checks.same_length(first, second, "the first metric", "the second")
        scores, ratings = checks.table([first, second], human)
        ranked = scores if statistic == "pearson" else [average_ranks(row) for row in scores]
        one, two = (standardise(row) for row in ranked)
        correlation = CORRELATIONS[statistic]
        observed += correlation(one, ratings) - correlation(two, ratings)
        units = np.arange(len(ratings)) if clusters is None else clusters[place]
        total += _exchanged(one, two, ratings, statistic, _swaps(samples, units, rng))
    slack = 1e-12 * max(1.0, abs(observed))
    extreme = np.isnan(total) | (np.abs(total) >= abs(observed) - slack)
    return (int(extreme.sum()) + 1) / (samples + 1)


def _swaps(samples: int, units: NDArray[np.int64], rng: np.random.Generator) -> Iterator[Floats]:
    """Yield fair coins (some samples, items) as 0 and 1, in blocks; one for each unit."""
    step = max(1, _BLOCK // len(units))
    for start in range(0, samples, step):
        tossed = rng.random((min(step, samples - start), int(units.max()) + 1)) < 0.5
        yield tossed[:, units].astype(np.float64)


def _exchanged(
    one: Floats, two: Floats, human: Floats, statistic: Statistic, swaps: Iterator[Floats]
) -> Floats:
    """Return the differences of correlations after exchanges.

    The scores of both metrics are pooled and ranked once. An exchange then only says which of the
    two scores of an item belongs to whom: a weighting by 0 and 1, as a bootstrap sample is one.
    """
    mixed = kernel(statistic, np.concatenate([one, two])[None], np.tile(human, 2))
    differences = [
        mixed(np.hstack([1 - swap, swap])) - mixed(np.hstack([swap, 1 - swap])) for swap in swaps
    ]
    return np.concatenate(differences)[:, 0]
