"""How well values tell pairs that say the same from those that do not: AUC and accuracy.

Accuracy uses one threshold for all kinds, which is chosen on the tuning half and applied to the
reporting half; the AUC needs none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ConfigError, InputError
from paraphrast.meta.stress.suite import REPORTING, TUNING, StressPair
from paraphrast.stats.cuts import auc, best_cut
from paraphrast.types import Floats

ALL = "all"
Bools = NDArray[np.bool_]
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Separation:
    """One metric on one kind of pair, or on all, in the reporting half."""

    kind: str
    pairs: int
    auc: float
    auc_interval: Interval
    accuracy: float
    accuracy_interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "kind": self.kind,
            "pairs": self.pairs,
            "auc": self.auc,
            "auc_ci": list(self.auc_interval),
            "accuracy": self.accuracy,
            "accuracy_ci": list(self.accuracy_interval),
        }


def separations(
    values: Sequence[float],
    pairs: Sequence[StressPair],
    *,
    samples: int = 1000,
    seed: int = 0,
    threshold: float | None = None,
) -> tuple[float, list[Separation]]:
    """Return the threshold, and the separation of all pairs and of each kind.

    `values` are those of the pairs, higher for "more alike". Without a `threshold`, the one with
    the best accuracy on the tuning half is taken. Intervals are 95 % percentiles of `samples`
    bootstrap samples, which draw the pairs of each label apart and keep the threshold.
    """
    if samples < 1:
        raise ConfigError(f"samples is {samples}; it must be at least 1")
    array, gold = _checked(values, pairs)
    half = np.array([pair.half for pair in pairs])
    if threshold is None:
        tuning = half == TUNING
        if not tuning.any():
            raise InputError("no threshold was given, and there is no pair to choose one on")
        threshold = best_cut(array[tuning], gold[tuning])
    shown = half == REPORTING if (half == REPORTING).any() else np.ones(len(half), dtype=bool)
    kinds = np.array([pair.kind for pair in pairs])
    found: list[Separation] = []
    for kind in (ALL, *dict.fromkeys(kinds.tolist())):
        mine = shown & ((kinds == kind) | (kind == ALL))
        rng = np.random.default_rng([seed, len(found)])
        found.append(_separation(kind, array[mine], gold[mine], threshold, samples, rng))
    return threshold, found


def _checked(values: Sequence[float], pairs: Sequence[StressPair]) -> tuple[Floats, Bools]:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (len(pairs),):
        raise InputError(f"{array.size} values for {len(pairs)} pairs; give one for each")
    if not np.isfinite(array).all():
        place = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(f"the value of {pairs[place].id} is {array[place]}, not a number")
    return array, np.array([pair.same for pair in pairs])


def _separation(
    kind: str,
    values: Floats,
    gold: Bools,
    threshold: float,
    samples: int,
    rng: np.random.Generator,
) -> Separation:
    right = (values > threshold) == gold
    same, other = (_weights(int(part.sum()), samples, rng) for part in (gold, ~gold))
    return Separation(
        kind,
        len(values),
        auc(values, gold),
        _interval(_resampled_auc(values[gold], values[~gold], same, other)),
        float(right.mean()),
        _interval((same @ right[gold] + other @ right[~gold]) / len(values)),
    )


def _weights(count: int, samples: int, rng: np.random.Generator) -> Floats:
    """Return how often each of `count` items is drawn in each sample."""
    return rng.multinomial(count, np.full(count, 1 / count), size=samples).astype(np.float64)


def _resampled_auc(positive: Floats, negative: Floats, same: Floats, other: Floats) -> Floats:
    above = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    found: Floats = ((same @ above) * other).sum(axis=1) / (len(positive) * len(negative))
    return found


def _interval(values: Floats) -> Interval:
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)
