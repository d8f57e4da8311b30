"""How agreement depends on how much was judged: the same statistic over random subsets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ConfigError, InputError
from paraphrast.meta.align import Scores, align
from paraphrast.meta.evaluate import CORRELATIONS, Request
from paraphrast.meta.judgements import Judgements
from paraphrast.stats.correlation import CORRELATIONS as FUNCTIONS

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
    request: Request,
    sizes: Sequence[int],
    *,
    repeats: int = 20,
) -> Mapping[str, Curve]:
    """Return a curve per metric: mean correlation when only that many outputs per group count."""
    if request.level not in ("segment", "system"):
        raise ConfigError("the size study works at segment and system level")
    blocks, _ = align(judgements, request.dimension, scores, request.missing)
    correlation = FUNCTIONS[CORRELATIONS[request.statistic]]
    smallest = min(len(block.human) for block in blocks)
    usable = [size for size in sizes if size <= smallest]
    if not usable:
        raise InputError(f"the smallest group has {smallest} outputs; ask for sizes up to that")
    curves = {}
    for number, one in enumerate(scores):

        def mean(chosen: NDArray[np.int64], number: int = number) -> float:
            values = [correlation(b.scores[number][chosen], b.human[chosen]) for b in blocks]
            return float(np.mean(values))

        curves[one.metric] = size_curve(mean, smallest, usable, repeats=repeats, seed=request.seed)
    return curves
