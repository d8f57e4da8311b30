"""The paired bootstrap over items, jointly for all metrics: one set of samples for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paraphrast.errors import ConfigError, InputError
from paraphrast.stats import checks
from paraphrast.stats.correlation import correlate
from paraphrast.stats.kernels import Statistic, kernel
from paraphrast.types import Floats

_BLOCK = 1 << 22  # weights held at a time: large, since BLAS is slow at many thin products


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Correlations of the metrics with the ratings, as observed and in each sample."""

    observed: Floats  # (metrics,)
    values: Floats  # (samples left, metrics)
    undefined: int  # samples left out, because they leave a metric or the ratings constant

    def intervals(self, level: float = 0.95) -> Floats:
        """Return the percentile interval of each metric (metrics, 2)."""
        tail = (1 - level) / 2
        return np.quantile(self.values, [tail, 1 - tail], axis=0).T

    def p_values(self) -> Floats:
        """Return two-sided p-values of the differences between metrics (metrics, metrics).

        As `bootstrap_p`, less its floor for few items: differences are moved to their own mean
        (Riezler and Maxwell 2005); ties count as extreme; the diagonal is 1.
        """
        centred = self.values - self.values.mean(axis=0)
        table = np.ones((len(self.observed), len(self.observed)))
        for metric in range(len(self.observed)):
            change = np.abs(centred - centred[:, metric : metric + 1])
            seen = np.abs(self.observed - self.observed[metric])
            extreme = (change >= seen - 1e-12).sum(axis=0)
            table[metric] = (extreme + 1) / (len(centred) + 1)
        return table


def bootstrap_correlations(
    metrics: ArrayLike,
    human: ArrayLike,
    *,
    statistics: Sequence[Statistic] = ("pearson",),
    samples: int = 1000,
    seed: int = 0,
    clusters: NDArray[np.int64] | None = None,
) -> dict[Statistic, Bootstrap]:
    """Draw items with replacement and correlate every row of `metrics` with `human` in each sample.

    With `clusters`, a number from 0 for each item, whole clusters are drawn, so that samples keep
    the dependence between items of one cluster; their sizes vary with those of the clusters.

    Ranks and ties are those within the sample, exactly. All metrics and statistics see the same
    samples, so their differences are paired. Memory does not grow with `samples`, save for the
    (samples, metrics) correlations. `InputError` if over half of the samples are undefined.
    """
    scores, ratings = checks.table(metrics, human)
    if samples < 1:
        raise ConfigError(f"samples is {samples}; draw at least one")
    kernels = {name: kernel(name, scores, ratings) for name in statistics}
    values = {name: np.empty((samples, len(scores))) for name in kernels}
    start = 0
    units = scores.shape[1] if clusters is None else int(clusters.max()) + 1
    for drawn in bootstrap_weights(units, samples, seed):
        weights = drawn if clusters is None else drawn[:, clusters]
        rows = slice(start, start := start + len(weights))
        for name, correlations in kernels.items():
            values[name][rows] = correlations(weights)
    return {
        name: _defined(correlate(scores, ratings, statistic=name), resampled)
        for name, resampled in values.items()
    }


def bootstrap_weights(items: int, samples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each item is drawn, in blocks (some samples, items)."""
    rng = np.random.default_rng(seed)
    step = max(1, _BLOCK // items)
    for start in range(0, samples, step):
        size = min(step, samples - start)
        drawn = rng.integers(0, items, (size, items), dtype=np.int32)
        cells = drawn + np.arange(size)[:, None] * items
        counts = np.bincount(cells.ravel(), minlength=size * items)
        yield counts.reshape(size, items).astype(np.float64)


def _defined(observed: Floats, values: Floats) -> Bootstrap:
    missing = np.isnan(values)
    whole = ~missing.any(axis=1)
    if 2 * whole.sum() < len(values):
        worst = int(missing.sum(axis=0).argmax())
        raise InputError(
            f"{int((~whole).sum())} of {len(values)} bootstrap samples leave a metric or the "
            f"ratings constant (metrics[{worst}] most often); there are too few distinct values"
        )
    return Bootstrap(observed, values[whole], int((~whole).sum()))
