"""Logistic regression on a few features, by Newton's method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import InputError
from paraphrast.types import Floats

_STEPS = 100
_RIDGE = 1e-3  # keeps weights finite where a feature tells the classes apart completely


def fit_logistic(
    features: Floats,
    gold: NDArray[np.bool_],
    *,
    weights: Floats | None = None,
    bias: bool = True,
) -> Floats:
    """Return the weights of the features, [columns], and behind them the bias if there is one.

    `features` is [rows, columns]; `weights` are those of the rows. A ridge of .001 on the weights,
    not on the bias, keeps them finite.
    """
    if len(features) != len(gold) or not len(gold):
        raise InputError(f"{len(features)} rows of features for {len(gold)} answers")
    if gold.all() or not gold.any():
        raise InputError("all answers are the same: there is nothing to fit")
    columns = np.column_stack([features, np.ones(len(features))]) if bias else features
    rows = np.ones(len(gold)) if weights is None else weights
    ridge = np.full(columns.shape[1], _RIDGE * rows.sum())
    if bias:
        ridge[-1] = 0
    found = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(columns @ found, -500, 500)))
        slope = columns.T @ (rows * (chance - gold)) + ridge * found
        curve = (columns * (rows * chance * (1 - chance))[:, None]).T @ columns + np.diag(ridge)
        step = np.linalg.solve(curve + 1e-9 * np.eye(len(found)), slope)
        found -= step
        if np.abs(step).max() < 1e-9:
            break
    return found


def expected_calibration_error(chance: Floats, gold: NDArray[np.bool_], *, bins: int = 10) -> float:
    """Return the mean distance of the probability from the share of right answers, over bins.

    Guo et al. 2017, On Calibration of Modern Neural Networks, with bins of equal width; each bin
    weighs as many as are in it.
    """
    if len(chance) != len(gold) or not len(gold):
        raise InputError(f"{len(chance)} probabilities for {len(gold)} answers")
    places = np.minimum((chance * bins).astype(int), bins - 1)
    counts = np.bincount(places, minlength=bins)
    sums = np.bincount(places, weights=chance - gold, minlength=bins)
    return float(np.abs(sums[counts > 0]).sum() / len(gold))
