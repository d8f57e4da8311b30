"""Accuracies over pairs as statistics of a table: with calibrated ties, of systems, and soft."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paraphrast import stats
from paraphrast.errors import InputError
from paraphrast.meta.alignment import Aligned
from paraphrast.stats.bootstrap import bootstrap_weights
from paraphrast.types import Floats

_FLIPS = 1000  # sign flips of a paired permutation test


class ResampledStatistic(NamedTuple):
    """A statistic of one group: as observed, in resamples, and of how much it is."""

    observed: Floats  # (metrics,)
    resampled: Floats  # (samples, metrics)
    items: int
    units: int  # what a resample draws


def calibrated(block: Aligned, samples: int, seed: int) -> ResampledStatistic:
    """Return acc_eq over the outputs of each item (Deutsch et al. 2023), resampled by item.

    The tie threshold is calibrated once and stays fixed while resampling.
    """
    items = np.array([key[1] for key in block.keys])
    names = np.unique(items)
    groups = [np.flatnonzero(items == name) for name in names]
    rows = np.zeros((len(names), 1 + len(block.scores)))
    rows[:, 0] = [len(group) * (len(group) - 1) / 2 for group in groups]
    if not rows[:, 0].any():
        raise InputError(f"{block.group or 'the set'}: no item has two rated outputs to compare")
    for metric, scores in enumerate(block.scores, 1):
        epsilon = _epsilon(scores, block.human, items)
        for row, group in enumerate(groups):
            rows[row, metric] = _right(scores[group], block.human[group], epsilon)
    sums = stats.bootstrap_sums(rows, samples, seed)
    drawn = np.divide(sums[:, 1:], sums[:, :1], out=np.full((samples, len(block.scores)), np.nan),
                      where=sums[:, :1] > 0)  # fmt: skip
    observed = rows[:, 1:].sum(axis=0) / rows[:, 0].sum()
    return ResampledStatistic(observed, drawn, len(names), len(names))


def _epsilon(scores: Floats, human: Floats, items: np.ndarray) -> float:
    if np.ptp(scores) == 0:
        return 0.0
    return stats.tie_calibrated_accuracy(scores, human, items).epsilon


def _right(scores: Floats, human: Floats, epsilon: float) -> int:
    first, second = np.triu_indices(len(human), k=1)
    gap = scores[first] - scores[second]
    mine = np.where(np.abs(gap) <= epsilon, 0.0, np.sign(gap))
    return int((mine == np.sign(human[first] - human[second])).sum())


def ranked(block: Aligned, samples: int, seed: int) -> ResampledStatistic:
    """Return the share of system pairs ranked as people rank them, resampled by system."""
    people = np.sign(np.subtract.outer(block.human, block.human))
    right = [
        (np.sign(np.subtract.outer(scores, scores)) == people) & (people != 0)
        for scores in block.scores
    ]
    return _weighted(np.array(right, dtype=np.float64), (people != 0) * 1.0, samples, seed)


def soft(block: Aligned, samples: int, seed: int) -> ResampledStatistic:
    """Return soft pairwise accuracy (Thompson et al. 2024) from ratings of single outputs."""
    systems = list(dict.fromkeys(key[2] for key in block.keys))
    items = list(dict.fromkeys(key[1] for key in block.keys))
    if "" in items:
        raise InputError(
            f"{block.group or 'the set'}: soft pairwise accuracy needs ratings of single outputs, "
            "not of whole systems"
        )
    places = {key[1:]: n for n, key in enumerate(block.keys)}
    whole = [item for item in items if all((item, system) in places for system in systems)]
    if not whole:
        raise InputError(f"{block.group or 'the set'}: no item was rated for every system")
    grid = np.array([[places[item, system] for item in whole] for system in systems])
    people = _confidence(block.human[grid], seed)
    agree = np.array([1 - np.abs(_confidence(s[grid], seed) - people) for s in block.scores])
    return _weighted(agree, 1 - np.eye(len(systems)), samples, seed)


def _confidence(values: Floats, seed: int) -> Floats:
    """Return the one-sided p of every pair of systems, (systems, systems)."""
    size = len(values)
    table = np.full((size, size), 0.5)
    first, second = np.triu_indices(size, k=1)
    p = stats.one_sided_p(values, _FLIPS, seed)
    table[first, second], table[second, first] = p, p
    return table


def _weighted(agree: Floats, counted: Floats, samples: int, seed: int) -> ResampledStatistic:
    """Average agreement over pairs of systems, and over pairs of resampled systems."""
    size = len(counted)
    agree = agree * counted
    weights = np.concatenate([np.ones((1, size)), *bootstrap_weights(size, samples, seed)])
    pairs = np.einsum("si,ij,sj->s", weights, counted, weights)
    right = np.einsum("si,mij,sj->sm", weights, agree, weights, optimize=True)
    values = np.full(right.shape, np.nan)
    np.divide(right, pairs[:, None], out=values, where=pairs[:, None] > 0)
    return ResampledStatistic(values[0], values[1:], size, size)
