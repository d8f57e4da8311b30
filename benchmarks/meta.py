"""Seconds and memory of meta-evaluation's statistics: `python -m benchmarks.meta`."""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from paraphrast.stats import Statistic, bootstrap_correlations
from paraphrast.types import Floats

METRICS = 20
FLOOR = 60.0  # seconds, on two cores


def scores(items: int, seed: int = 7) -> tuple[Floats, Floats]:
    """Return made-up scores (20, items) of rising quality and ratings on 0–100 with ties.

    Every other metric has ties too: 500 distinct values.
    """
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=items)
    human = np.clip(np.round(60 + 20 * (quality + 0.5 * rng.normal(size=items))), 0, 100)
    noise = np.linspace(2.0, 1.0, METRICS)[:, None]
    metrics = quality + noise * rng.normal(size=(METRICS, items))
    metrics[::2] = np.round(metrics[::2] * 50) / 50
    return metrics, human


def run(items: int, statistics: tuple[Statistic, ...], samples: int) -> float:
    """Return the seconds for all intervals and all pairwise p-values."""
    metrics, human = scores(items)
    start = time.perf_counter()
    drawn = bootstrap_correlations(metrics, human, statistics=statistics, samples=samples)
    for result in drawn.values():
        result.intervals()
        result.p_values()
    return time.perf_counter() - start


def main() -> int:
    """Run the two cases of the target and return 1 if one takes over a minute."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.meta", description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    samples = parser.parse_args().samples
    cases: list[tuple[int, tuple[Statistic, ...]]] = [
        (100_000, ("pearson", "spearman")),
        (5_000, ("kendall_b",)),
    ]
    missed = 0
    for items, statistics in cases:
        took = run(items, statistics, samples)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        missed += took > FLOOR
        name = f"{' + '.join(statistics)}, {METRICS} × {items:,} items, {samples:,} samples"
        print(f"{name:64} {took:7.1f} s  peak {peak:6.0f} MiB{'  MISSED' * (took > FLOOR)}")
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
