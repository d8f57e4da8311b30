"""Resampling statistics on arrays: pure numpy, knows no data.

Rows are per-item statistics that may be added up; a `value` function turns sums into scores.
Resampling is a matrix product of random weights with the rows, in blocks, so memory does not
grow with the number of samples.
"""

from __future__ import annotations

import math

import numpy as np

from paraphrast.types import Floats

_BLOCK = 1 << 20  # weights held at a time


def bootstrap_sums(rows: Floats, samples: int, seed: int) -> Floats:
    """Return the column sums of `samples` resamples, with replacement, of the rows."""
    items = len(rows)
    rng = np.random.default_rng(seed)
    sums = np.empty((samples, rows.shape[1]))
    step = max(1, _BLOCK // max(items, 1))
    for start in range(0, samples, step):
        size = min(step, samples - start)
        weights = np.empty((size, items))
        for row in weights:  # one sample at a time: its counts stay in the processor's cache
            row[:] = np.bincount(rng.integers(0, items, items, dtype=np.int32), minlength=items)
        sums[start : start + size] = weights @ rows
    return sums


def interval(values: Floats, level: float = 0.95) -> tuple[float, float]:
    """Return the percentile interval of bootstrap values; NaN, an undefined one, is left out."""
    tail = (1 - level) / 2
    low, high = np.quantile(_defined(values), [tail, 1 - tail])
    return float(low), float(high)


def bootstrap_p(differences: Floats, observed: float, *, items: int) -> float:
    """Return the two-sided p-value of an observed difference from paired bootstrap differences.

    The distribution is moved to its own mean, which makes it that of the null hypothesis (Riezler
    and Maxwell 2005). Ties count as at least as extreme, so a system never differs from itself.
    NaN, from a resample in which a metric is undefined, is left out. We differ from sacrebleu,
    which takes |difference| before it centres: that rejects a true null twice as often as it says.
    With few items resamples hardly vary, so p is never below 2^(1 − items), the least that
    exchanging as many pairs can give.
    """
    differences = _defined(differences)
    if not len(differences):
        return 1.0
    centred = np.abs(differences - differences.mean())
    return max(_at_least(centred, abs(observed)), 2.0 ** min(0, 1 - items))


def normal_p(differences: Floats, observed: float, *, items: int) -> float:
    """Return the two-sided p-value of an observed difference from its bootstrap standard error.

    z = observed / standard deviation of the resampled differences. A count of extreme samples
    cannot fall below 1 / (samples + 1), which no correction over many pairs survives; this can.
    It is never below 2^(1 − items), as in `bootstrap_p`.
    """
    known = _defined(differences)
    if len(known) < 2 or abs(observed) <= 1e-12:
        return 1.0
    spread = float(np.std(known, ddof=1))
    least = max(math.ulp(0.0), 2.0 ** max(-1000, min(0, 1 - items)))
    if spread <= 1e-12 * max(1.0, abs(observed)):
        return max(least, 1 / (len(known) + 1))
    return max(least, math.erfc(abs(observed) / spread / math.sqrt(2)))


def _defined(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _at_least(statistics: Floats, observed: float) -> float:
    slack = 1e-12 * max(1.0, observed)
    extreme = int((statistics >= observed - slack).sum())
    return (extreme + 1) / (len(statistics) + 1)


def exchange_sums(mine: Floats, base: Floats, trials: int, seed: int) -> tuple[Floats, Floats]:
    """Return both column sums in trials that exchange the two rows of an item at random.

    This is approximate randomisation (Noreen 1989): each item is exchanged with probability 1/2.
    """
    rng = np.random.default_rng(seed)
    items, width = len(mine), -(-len(mine) // 8)
    change = base - mine
    moved = np.empty((trials, mine.shape[1]))
    step = max(1, _BLOCK // max(items, 1))
    for start in range(0, trials, step):
        size = min(step, trials - start)
        bits = np.frombuffer(rng.bytes(size * width), dtype=np.uint8).reshape(size, width)
        swap = np.unpackbits(bits, axis=1, count=items)
        moved[start : start + size] = swap.astype(np.float64) @ change
    return mine.sum(axis=0) + moved, base.sum(axis=0) - moved


def exchange_p(differences: Floats, observed: float) -> float:
    """Return the two-sided p-value of an observed difference from randomised differences."""
    return _at_least(np.abs(_defined(differences)), abs(observed))


def holm(p_values: list[float]) -> list[float]:
    """Return Holm's step-down corrected p-values, in the given order."""
    order = np.argsort(p_values, kind="stable")
    corrected = np.empty(len(p_values))
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, (len(p_values) - rank) * p_values[index])
        corrected[index] = min(1.0, running)
    return [float(p) for p in corrected]
