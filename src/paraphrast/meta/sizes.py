"""How agreement depends on how much was judged: the same statistic over random subsets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ConfigError, InputError
from paraphrast.meta.alignment import Aligned, Scores, align
from paraphrast.meta.evaluate import CORRELATIONS, AgreementRequest
from paraphrast.meta.judgements import Judgements
from paraphrast.stats.correlation import CORRELATIONS as FUNCTIONS

_TRIES = 20  # subsets tried for each one wanted
Curve = list[tuple[float, float, float, float]]
"""(size, mean, 5th percentile, 95th percentile) over the repeats."""


def size_curve(
    measure: Callable[[NDArray[np.int64]], float],
    items: int,
    sizes: Sequence[int],
    *,
    repeats: int = 20,
    seed: int = 12345,
) -> Curve:
    """Repeat an evaluation over random subsets, drawn without replacement, of each size.

    `measure` takes the chosen positions: it may train, score or correlate. This is the study of
    Figure 3 in the ParaBLEU paper.
    """
    if repeats < 1:
        raise ConfigError(f"repeats must be at least 1; got {repeats}")
    for size in sizes:
        if not 2 <= size <= items:
            raise ConfigError(f"a subset of {size} cannot be drawn from {items} items")
    rng = np.random.default_rng(seed)
    curve: Curve = []
    for size in sizes:
        draws = [
            measure(np.sort(rng.choice(items, size, replace=False)))
            for _ in range(1 if size == items else repeats)
        ]
        low, high = np.quantile(draws, [0.05, 0.95])
        curve.append((float(size), float(np.mean(draws)), float(low), float(high)))
    return curve


def judgement_curves(
    judgements: Judgements,
    scores: Sequence[Scores],
    request: AgreementRequest,
    sizes: Sequence[int],
    *,
    repeats: int = 20,
) -> Mapping[str, Curve]:
    """Return a curve per metric: mean correlation when only that many outputs per group count."""
    if request.level not in ("segment", "system") or request.statistic not in CORRELATIONS:
        raise ConfigError("the size study works for correlations at segment and system level")
    blocks, _ = align(judgements, request.dimension, scores, request.missing)
    smallest = min(len(block.human) for block in blocks)
    usable = sorted({size for size in sizes if size <= smallest})
    if not usable:
        raise InputError(f"the smallest group has {smallest} outputs; ask for sizes up to that")
    return {
        one.metric: [_point(blocks, number, size, request, repeats) for size in usable]
        for number, one in enumerate(scores)
    }


def _point(
    blocks: Sequence[Aligned], metric: int, size: int, request: AgreementRequest, repeats: int
) -> tuple[float, float, float, float]:
    """Return the mean and spread over subsets of that size, drawn in every group on its own.

    A subset in which scores or ratings are constant has no correlation; another is drawn then.
    """
    if size < 2 or repeats < 1:
        raise ConfigError(f"a subset needs 2 outputs and 1 repeat; got {size} and {repeats}")
    correlation = FUNCTIONS[CORRELATIONS[request.statistic]]
    rng = np.random.default_rng(request.seed)
    once = all(len(block.human) == size for block in blocks)
    draws: list[float] = []
    for _ in range(_TRIES * repeats):
        chosen = [np.sort(rng.choice(len(b.human), size, replace=False)) for b in blocks]
        parts = [(b.scores[metric][at], b.human[at]) for b, at in zip(blocks, chosen, strict=True)]
        if all(np.ptp(mine) > 0 and np.ptp(people) > 0 for mine, people in parts):
            draws.append(float(np.mean([correlation(mine, people) for mine, people in parts])))
        if len(draws) == (1 if once else repeats):
            break
    if not draws:
        raise InputError(f"subsets of {size} outputs have constant scores; ask for larger ones")
    low, high = np.quantile(draws, [0.05, 0.95])
    return float(size), float(np.mean(draws)), float(low), float(high)
