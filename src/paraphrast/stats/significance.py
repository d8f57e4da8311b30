"""Tests of the difference between two correlations that share a variable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from paraphrast.errors import InputError
from paraphrast.stats import checks
from paraphrast.stats.correlation import CORRELATIONS, standardise
from paraphrast.stats.kernels import Statistic
from paraphrast.stats.ordering import average_ranks
from paraphrast.types import Floats

_STEPS = 300
_SMALL = 1e-300


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
    as Graham and Baldwin (2014) use it for metrics.
    """
    x, y, z = (
        checks.vector(v, n) for v, n in ((first, "first"), (second, "second"), (human, "human"))
    )
    size = len(z)
    if size < 4:
        raise InputError(f"Williams' test needs at least 4 items; got {size}")
    correlation = CORRELATIONS[statistic]
    r12, r13, r23 = correlation(x, y), correlation(x, z), correlation(y, z)
    rest = max(0.0, 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23)
    spread = 2 * rest * (size - 1) / (size - 3) + (r13 + r23) ** 2 / 4 * (1 - r12) ** 3
    if spread <= 0:  # the metrics are the same, up to a linear map
        return Williams(0.0, size - 3, 1.0)
    t = (r13 - r23) * math.sqrt((size - 1) * (1 + r12) / spread)
    return Williams(t, size - 3, student_p(t, size - 3))


def student_p(t: float, degrees: int) -> float:
    """Return the two-sided p-value of Student's t: I_x(ν/2, 1/2) at x = ν / (ν + t²)."""
    whole = degrees + t * t
    return _incomplete_beta(degrees / 2, 0.5, degrees / whole, t * t / whole)


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function by its continued fraction.

    `rest` is 1 − x, given apart because near x = 1 the subtraction would lose its digits.
    """
    if x <= 0 or rest <= 0:
        return float(rest <= 0)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, rest) / b


def _fraction(a: float, b: float, x: float) -> float:
    """Evaluate the fraction by Lentz's method."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away(1 + term * d)
            c = _away(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _away(value: float) -> float:
    return value if abs(value) > _SMALL else _SMALL


def permutation_p(
    blocks: Sequence[tuple[Floats, Floats, Floats]],
    *,
    statistic: Statistic = "pearson",
    samples: int = 1000,
    seed: int = 0,
) -> float:
    """Return the two-sided p-value of exchanging two metrics item by item.

    Each block is (first metric, second metric, ratings) of one group; the statistic is the mean
    difference of correlations over blocks. Both metrics are standardised before (ranked, for rank
    correlations), so that an exchange is fair (Deutsch et al. 2021).
    """
    correlation = CORRELATIONS[statistic]
    rng = np.random.default_rng(seed)
    ranked = statistic != "pearson"
    total = np.zeros(samples)
    observed = 0.0
    for first, second, human in blocks:
        one, two = (standardise(average_ranks(v) if ranked else v) for v in (first, second))
        observed += correlation(one, human) - correlation(two, human)
        total += _exchanged(one, two, human, statistic, samples, rng)
    slack = 1e-12 * max(1.0, abs(observed))
    extreme = int((np.abs(total) >= abs(observed) - slack).sum())
    return (extreme + 1) / (samples + 1)


def _exchanged(
    one: Floats,
    two: Floats,
    human: Floats,
    statistic: Statistic,
    samples: int,
    rng: np.random.Generator,
) -> Floats:
    """Return the differences of correlations after random exchanges."""
    swaps = rng.random((samples, len(human))) < 0.5
    if statistic == "pearson":
        return _linear(np.where(swaps, two, one), human) - _linear(np.where(swaps, one, two), human)
    correlation = CORRELATIONS[statistic]
    return np.array(
        [
            correlation(np.where(swap, two, one), human)
            - correlation(np.where(swap, one, two), human)
            for swap in swaps
        ]
    )


def _linear(rows: Floats, human: Floats) -> Floats:
    """Return Pearson's r of each row with the ratings."""
    moved = rows - rows.mean(axis=1, keepdims=True)
    norms = np.sqrt(np.einsum("ij,ij->i", moved, moved))
    result: Floats = moved @ standardise(human) / np.maximum(norms, _SMALL)
    return result
