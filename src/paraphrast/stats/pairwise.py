"""Agreement on which of two is better: DARR's τ, pairwise accuracy with ties, soft accuracy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paraphrast.errors import ConfigError, InputError
from paraphrast.stats import checks
from paraphrast.types import Floats

Ints = NDArray[np.int64]

_BLOCK = 1 << 20  # coins held at a time


def darr_tau(better: ArrayLike, worse: ArrayLike) -> float:
    """Return (concordant − discordant) / pairs; a tie of the metric is discordant (WMT17–19)."""
    first, second = checks.vector(better, "better"), checks.vector(worse, "worse")
    checks.same_length(first, second, "better", "worse")
    if not len(first):
        raise InputError("there are no pairs")
    return float(np.where(first > second, 1.0, -1.0).mean())


def darr_pairs(
    ratings: ArrayLike, items: ArrayLike, *, threshold: float = 25.0
) -> tuple[Ints, Ints]:
    """Return positions (better, worse) of rated outputs of one item that people tell apart.

    From raw 0–100 direct assessments: pairs whose ratings differ by the threshold or more. WMT18
    and 19 (Ma et al.) call 25 points the minimum required difference, and mt-metrics-eval, which
    reproduces their tables, counts a difference of exactly 25. Equal ratings never make a pair.
    """
    values = checks.vector(ratings, "ratings")
    names = _names(items, len(values))
    better: list[Ints] = []
    worse: list[Ints] = []
    for positions in _groups(names):
        first, second = (positions[side] for side in np.triu_indices(len(positions), k=1))
        apart = values[first] - values[second]
        far = (np.abs(apart) >= threshold) & (apart != 0)
        up, down = far & (apart > 0), far & (apart < 0)
        better += [first[up], second[down]]
        worse += [second[up], first[down]]
    return _joined(better), _joined(worse)


def _names(items: ArrayLike, count: int) -> NDArray[np.generic]:
    names: NDArray[np.generic] = np.asarray(items)
    if names.shape != (count,):
        raise InputError(f"there are {count} ratings but {names.size} items; name one for each")
    return names


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _groups(names: NDArray[np.generic]) -> list[Ints]:
    order = np.argsort(names, kind="stable")
    bounds = np.flatnonzero(names[order][1:] != names[order][:-1]) + 1
    return np.split(order, bounds)


def pairwise_accuracy(metric: ArrayLike, human: ArrayLike) -> float:
    """Return the share of pairs that both rank the same way (Kocmi et al. 2021).

    Pairs that people do not tell apart do not count; a tie of the metric is wrong.
    """
    scores, ratings = checks.pair(metric, human)
    first, second = np.triu_indices(len(ratings), k=1)
    people = np.sign(ratings[first] - ratings[second])
    told = people != 0
    right = np.sign(scores[first] - scores[second]) == people
    return float(right[told].mean())


@dataclass(frozen=True, slots=True)
class TieCalibration:
    """The best accuracy, and the difference up to which the metric's scores count as tied."""

    accuracy: float
    epsilon: float


def tie_calibrated_accuracy(
    metric: ArrayLike, human: ArrayLike, items: ArrayLike
) -> TieCalibration:
    """Return acc_eq with the tie threshold that maximises it (Deutsch et al. 2023, Ties Matter).

    Over pairs of outputs of one item: right are pairs tied on both sides, and pairs ranked alike.
    A metric difference of at most ε is a tie; ε is one of the observed differences, or 0.
    """
    scores, ratings = checks.vector(metric, "metric"), checks.vector(human, "human")
    checks.same_length(scores, ratings, "metric", "human")
    names = _names(items, len(ratings))
    gaps, people = [np.zeros(0)], [np.zeros(0)]
    for positions in _groups(names):
        first, second = (positions[side] for side in np.triu_indices(len(positions), k=1))
        gaps.append(scores[first] - scores[second])
        people.append(np.sign(ratings[first] - ratings[second]))
    gap, sign = np.concatenate(gaps), np.concatenate(people)
    if not len(gap):
        raise InputError("no item has two outputs, so there are no pairs")
    order = np.argsort(np.abs(gap), kind="stable")
    size, tied = np.abs(gap)[order], (sign[order] == 0)
    ranked = (np.sign(gap[order]) == sign[order]) & ~tied
    # pairs up to a position are called ties, those after it keep their ranking
    right = (
        np.concatenate([[0], np.cumsum(tied)])
        + ranked.sum()
        - np.concatenate([[0], np.cumsum(ranked)])
    )
    ends = np.append(np.flatnonzero(size[1:] != size[:-1]) + 1, len(size))
    # zero differences are ties at any threshold, so the first cut comes after them
    zero = int((size == 0).sum())
    cuts = np.unique(np.append(ends[ends >= zero], zero))
    best = cuts[int(np.argmax(right[cuts]))]
    return TieCalibration(float(right[best] / len(gap)), float(size[best - 1]) if best else 0.0)


def soft_pairwise_accuracy(
    metric: ArrayLike, human: ArrayLike, *, samples: int = 1000, seed: int = 0
) -> float:
    """Return the mean over system pairs of 1 − |p_metric − p_human| (Thompson et al. 2024).

    Both are (systems, items); p is that of a one-sided paired permutation test that the first
    system is better, so confidence is compared, not only rank.
    """
    scores, ratings = checks.matrix(metric, "metric"), checks.matrix(human, "human")
    if scores.shape != ratings.shape:
        raise InputError(f"metric is {scores.shape} and human {ratings.shape}: (systems, items)")
    if not scores.shape[1]:
        raise InputError("soft pairwise accuracy needs at least one item")
    if len(scores) < 2:
        raise InputError("soft pairwise accuracy needs at least two systems")
    if samples < 1:
        raise ConfigError(f"samples must be at least 1; got {samples}")
    p_metric, p_human = (one_sided_p(v, samples, seed) for v in (scores, ratings))
    return float(1 - np.abs(p_metric - p_human).mean())


def one_sided_p(systems: Floats, samples: int, seed: int) -> Floats:
    """Return for each pair of systems the share of sign flips whose sum exceeds the observed one.

    Equal sums count one half, so that the order of two systems does not matter.
    """
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(len(systems), k=1)
    observed = systems.sum(axis=1)[first] - systems.sum(axis=1)[second]
    slack = 1e-12 * np.maximum(1.0, np.abs(systems).sum(axis=1).max())
    extreme = np.zeros(len(first))
    step = max(1, _BLOCK // systems.shape[1])
    for start in range(0, samples, step):
        coins = rng.random((min(step, samples - start), systems.shape[1]))
        flipped = np.where(coins < 0.5, -1.0, 1.0) @ systems.T
        gap = flipped[:, first] - flipped[:, second] - observed
        extreme += (gap > slack).sum(axis=0) + 0.5 * (np.abs(gap) <= slack).sum(axis=0)
    return extreme / samples
