"""Shares, ratios and calibration errors with their bootstrap intervals over items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paraphrast.errors import InputError
from paraphrast.stats.bootstrap import bootstrap_weights
from paraphrast.stats.logistic import expected_calibration_error
from paraphrast.types import Floats

SAMPLES, SEED = 1000, 0
_TAILS = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its 95 % percentile interval."""

    value: float
    low: float
    high: float


def share(right: ArrayLike) -> Estimate:
    """Return the share of items that are right."""
    found = np.asarray(right, dtype=np.float64)
    return ratio(found, np.ones_like(found))


def ratio(over: ArrayLike, under: ArrayLike) -> Estimate:
    """Return Σ over / Σ under, drawing items with replacement; 0 where nothing is under.

    An F1 is such a ratio: of twice the right answers to all positives, given and gold.
    """
    top, bottom = (np.asarray(one, dtype=np.float64) for one in (over, under))

    def value(weights: Floats) -> Floats:
        whole = weights @ bottom
        found: Floats = np.divide(weights @ top, whole, out=np.zeros_like(whole), where=whole > 0)
        return found

    return _resampled(value, len(top))


def f1(guess: NDArray[np.bool_], gold: NDArray[np.bool_]) -> Estimate:
    """Return the F1 of the positive class."""
    return ratio(2.0 * (guess & gold), guess.astype(float) + gold)


def calibration_error(chance: Floats, gold: NDArray[np.bool_], *, bins: int = 10) -> Estimate:
    """Return the expected calibration error; resampling makes it larger, never smaller, in mean."""
    places = np.minimum((chance * bins).astype(int), bins - 1)
    excess = np.zeros((len(chance), bins))
    excess[np.arange(len(chance)), places] = chance - gold

    def value(weights: Floats) -> Floats:
        found: Floats = np.abs(weights @ excess).sum(axis=1) / len(chance)
        return found

    found = _resampled(value, len(chance))
    return Estimate(expected_calibration_error(chance, gold, bins=bins), found.low, found.high)


def _resampled(value: Callable[[Floats], Floats], items: int) -> Estimate:
    if not items:
        raise InputError("there is nothing to measure: no items")
    drawn = np.concatenate([value(some) for some in bootstrap_weights(items, SAMPLES, SEED)])
    low, high = np.quantile(drawn, _TAILS)
    return Estimate(float(value(np.ones((1, items)))[0]), float(low), float(high))
