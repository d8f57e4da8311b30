"""Better/worse judgements: WMT's Kendall-like τ over relative rankings (DARR)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from paraphrast import stats
from paraphrast.errors import InputError
from paraphrast.meta.alignment import Scores, check_names
from paraphrast.meta.judgements import Judgements, Key, Missing, Preference, describe
from paraphrast.types import Floats


@dataclass(frozen=True, slots=True)
class ResampledAgreement:
    """A statistic per group as observed, and its mean over groups in each resample.

    Undefined values are NaN here and become None with a reason in the table. `units` counts what
    resampling draws: items, sources or systems.
    """

    groups: tuple[str, ...]
    observed: Floats  # (groups, metrics)
    resampled: Floats  # (samples, metrics), means over groups
    items: tuple[int, ...]  # of each group
    units: int
    notes: tuple[str, ...] = ()


def preference_draws(
    judgements: Judgements,
    scores: Sequence[Scores],
    *,
    samples: int,
    seed: int,
    missing: Missing = "error",
) -> ResampledAgreement:
    """Return τ = (concordant − discordant) / pairs per group; a tie of the metric is discordant.

    Resampling draws items with all their pairs, since pairs of one item are not independent.
    """
    check_names(scores)
    if not judgements.preferences:
        raise InputError(f"{judgements.name} holds no better/worse judgements")
    notes = [*judgements.notes]
    kept = _scored(judgements, scores, missing, notes)
    groups = tuple(dict.fromkeys(one.group for one in kept))
    observed, resampled, items, units = [], [], [], 0
    for group in groups:
        mine = [one for one in kept if one.group == group]
        rows = _rows(mine, scores)
        items.append(len(mine))
        units += len(rows)
        total = rows.sum(axis=0)
        observed.append(total[1:] / total[0])
        sums = stats.bootstrap_sums(rows, samples, seed)
        resampled.append(sums[:, 1:] / sums[:, :1])
    mean = np.mean(resampled, axis=0)
    return ResampledAgreement(groups, np.array(observed), mean, tuple(items), units, tuple(notes))


def preference_exchange_p(
    judgements: Judgements, scores: Sequence[Scores], samples: int, seed: int, missing: Missing
) -> float:
    """Return the two-sided p of exchanging two metrics item by item, for the mean over groups."""
    kept = _scored(judgements, scores, missing, [])
    apart, observed = np.zeros(samples), 0.0
    for group in dict.fromkeys(one.group for one in kept):
        rows = _rows([one for one in kept if one.group == group], scores)
        total = rows[:, 0].sum()
        first, second = stats.exchange_sums(rows[:, 1:2], rows[:, 2:3], samples, seed)
        apart += (first - second)[:, 0] / total
        observed += float((rows[:, 1] - rows[:, 2]).sum() / total)
    return stats.exchange_p(apart, observed)


def _rows(preferences: Sequence[Preference], scores: Sequence[Scores]) -> Floats:
    """Return `[pairs, concordant − discordant per metric]` for each item."""
    items = {item: n for n, item in enumerate(dict.fromkeys(one.item for one in preferences))}
    rows = np.zeros((len(items), 1 + len(scores)))
    places = [items[one.item] for one in preferences]
    np.add.at(rows[:, 0], places, 1)
    for column, one in enumerate(scores, 1):
        gaps = [one.values[b] - one.values[w] for b, w in (p.keys for p in preferences)]
        np.add.at(rows[:, column], places, np.where(one.sign * np.array(gaps) > 0, 1, -1))
    return rows


def _scored(
    judgements: Judgements, scores: Sequence[Scores], missing: Missing, notes: list[str]
) -> list[Preference]:
    gaps = [one for one in judgements.preferences if _unscored(one, scores)]
    if gaps and missing == "error":
        metric, key = _unscored(gaps[0], scores)[0]
        raise InputError(
            f"{judgements.name}: metric {metric!r} has no finite score for {describe(key)}, which "
            f"people compared ({len(gaps)} such pairs); score it, or leave them out "
            "(--missing drop)"
        )
    if gaps:
        notes.append(f"pairs without a score by every metric: {len(gaps):,}, left out")
    if len(gaps) == len(judgements.preferences):
        raise InputError(f"{judgements.name}: no pair has scores; do item and system names agree?")
    left_out = set(map(id, gaps))
    return [one for one in judgements.preferences if id(one) not in left_out]


def _unscored(one: Preference, scores: Sequence[Scores]) -> list[tuple[str, Key]]:
    return [
        (metric.metric, key)
        for metric in scores
        for key in one.keys
        if not np.isfinite(metric.values.get(key, np.nan))
    ]


def with_preferences(judgements: Judgements, dimension: str, threshold: float) -> Judgements:
    """Make better/worse judgements of raw 0–100 ratings that differ by at least the threshold."""
    rated = judgements.rated(dimension)
    values = np.array([one.value for one in rated])
    if values.min() < 0 or values.max() <= 10:
        raise InputError(
            f"{judgements.name}: pairs are made of raw ratings on 0–100, but {dimension!r} goes "
            f"from {values.min():g} to {values.max():g}"
        )
    places = [f"{one.group}\0{one.item}" for one in rated]
    better, worse = stats.darr_pairs(values, places, threshold=threshold)
    pairs = tuple(
        Preference(rated[b].group, rated[b].item, rated[b].system, rated[w].system)
        for b, w in zip(better.tolist(), worse.tolist(), strict=True)
    )
    if not pairs:
        raise InputError(
            f"{judgements.name}: no two outputs of one item differ by {threshold:g} or more"
        )
    note = f"{len(pairs):,} pairs made of ratings at least {threshold:g} apart"
    return replace(judgements, preferences=pairs, notes=(*judgements.notes, note))
