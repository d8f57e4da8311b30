"""Paired tests between systems, from statistics that were counted once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from paraphrast import stats
from paraphrast.jobs.scoring.score_options import CompareOptions
from paraphrast.metrics.run import Fitted, corpus_values, labels
from paraphrast.results import PairedTest
from paraphrast.types import Floats


def paired_tests(
    fitted: Mapping[str, list[Fitted]],
    draws: Mapping[str, list[Floats]],
    options: CompareOptions,
) -> tuple[PairedTest, ...]:
    """Test each system against the baseline, or all pairs, on each metric; Holm over all tests."""
    rows: list[tuple[str, str, str, float, float]] = []
    for base, system in _pairs(list(fitted), options):
        p_values = (
            _bootstrap_ps(fitted[system], fitted[base], draws[system], draws[base])
            if options.method == "bootstrap"
            else _exchange_ps(fitted[system], fitted[base], options)
        )
        names = labels([item.metric for item in fitted[system]])
        found = zip(names, fitted[system], fitted[base], p_values, strict=True)
        rows += [(system, base, name, _gap(x, y), p) for name, x, y, p in found]
    corrected = stats.holm([row[-1] for row in rows])
    return tuple(
        PairedTest(system, base, metric, gap, p, p_holm, p_holm < options.alpha)
        for (system, base, metric, gap, p), p_holm in zip(rows, corrected, strict=True)
    )


def _pairs(names: list[str], options: CompareOptions) -> list[tuple[str, str]]:
    """Return the pairs to test, the system that serves as baseline first."""
    if options.all_pairs:
        return list(combinations(names, 2))
    base = names[0] if options.baseline is None else options.baseline
    return [(base, system) for system in names if system != base]


def _gap(mine: Fitted, base: Fitted) -> float:
    return float(corpus_values(mine)[0, 0] - corpus_values(base)[0, 0])


def _bootstrap_ps(
    mine: Sequence[Fitted],
    base: Sequence[Fitted],
    draws: Sequence[Floats],
    others: Sequence[Floats],
) -> list[float]:
    """Every system sees the same resamples, so differences of draws are paired."""
    return [
        stats.bootstrap_p(a - b, _gap(x, y), items=len(x.points))
        for x, y, a, b in zip(mine, base, draws, others, strict=True)
    ]


def _exchange_ps(
    mine: Sequence[Fitted], base: Sequence[Fitted], options: CompareOptions
) -> list[float]:
    p_values = []
    for x, y in zip(mine, base, strict=True):
        left, right = stats.exchange_sums(x.points, y.points, options.rounds, options.seed)
        differences = corpus_values(x, left)[:, 0] - corpus_values(y, right)[:, 0]
        p_values.append(stats.exchange_p(differences, _gap(x, y)))
    return p_values
