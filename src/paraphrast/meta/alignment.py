"""Join what metrics said with what people said: every gap is an error or a counted note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import InputError
from paraphrast.meta.judgements import (
    Judgements,
    Key,
    Missing,
    Rating,
    describe,
    mean_ratings,
)
from paraphrast.types import Floats

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scores:
    """What one metric said: a value per output, or per system with item "".

    `sign` is −1 for a metric whose lower values are better, so that +1 correlation is agreement.
    """

    metric: str
    values: Mapping[Key, float]
    signature: str = ""
    sign: int = 1


@dataclass(frozen=True, slots=True)
class Aligned:
    """One group: rated outputs in order, human values, and one row of scores per metric.

    Outputs share a source if they have the same source text, or the same item where texts are
    unknown. Sources are numbered from 0 in the order of their first output.
    """

    group: str
    keys: tuple[Key, ...]
    human: Floats
    scores: Floats  # (metrics, outputs), sign applied
    sources: Whole  # (outputs,), equal numbers for outputs of one source


def check_names(scores: Sequence[Scores]) -> None:
    """Demand at least one metric, and different names."""
    if not scores:
        raise InputError("no metric to judge: give at least one")
    names = [one.metric for one in scores]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise InputError(f"two metrics are named {twice!r}; rename one")


def align(
    judgements: Judgements, dimension: str, scores: Sequence[Scores], missing: Missing = "error"
) -> tuple[list[Aligned], list[str]]:
    """Return one aligned block per group, and notes on what had no counterpart."""
    check_names(scores)
    rated = judgements.rated(dimension)
    notes = [*judgements.notes]
    kept = _with_scores([rating.key for rating in rated], scores, judgements.name, missing, notes)
    _note_unjudged({rating.key for rating in rated}, scores, notes)
    human = {rating.key: rating.value for rating in rated}
    groups = dict.fromkeys(key[0] for key in kept)
    sources = judgements.sources()
    return [_block(group, kept, human, scores, sources) for group in groups], notes


def _block(
    group: str,
    keys: list[Key],
    human: Mapping[Key, float],
    scores: Sequence[Scores],
    sources: Mapping[Key, str],
) -> Aligned:
    mine = tuple(key for key in keys if key[0] == group)
    values = [[one.sign * one.values[key] for key in mine] for one in scores]
    ratings = np.array([human[key] for key in mine])
    return Aligned(group, mine, ratings, np.array(values), _numbered(mine, sources))


def _numbered(keys: Sequence[Key], sources: Mapping[Key, str]) -> Whole:
    numbers: dict[tuple[str, bool], int] = {}
    names = [(sources[key], True) if key in sources else (key[1], False) for key in keys]
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def _with_scores(
    keys: list[Key], scores: Sequence[Scores], name: str, missing: Missing, notes: list[str]
) -> list[Key]:
    """Return the keys that every metric scored with a finite number."""
    gaps = {
        key: one.metric
        for one in scores
        for key in keys
        if not np.isfinite(one.values.get(key, np.nan))
    }
    if gaps and missing == "error":
        key, metric = next(iter(gaps.items()))
        raise InputError(
            f"{name}: metric {metric!r} has {_gap(metric, key, scores)} for {describe(key)}, which "
            f"people judged ({len(gaps)} such in all); score it, or leave such judgements out "
            "(--missing drop)"
        )
    if gaps:
        notes.append(f"judgements without a score by every metric: {len(gaps):,}, left out")
    kept = [key for key in keys if key not in gaps]
    if not kept:
        raise InputError(f"{name}: no judgement has a score; do item and system names agree?")
    return kept


def _gap(metric: str, key: Key, scores: Sequence[Scores]) -> str:
    """Say what a metric has in place of a number: no score, or the value that is none."""
    value = next((one.values.get(key) for one in scores if one.metric == metric), None)
    return "no score" if value is None or np.isnan(value) else f"the score {value}"


def _note_unjudged(judged: set[Key], scores: Sequence[Scores], notes: list[str]) -> None:
    for one in scores:
        extra = sum(1 for key in one.values if key not in judged)
        if extra:
            notes.append(f"{one.metric}: {extra:,} scores without a judgement, left out")


def system_means(judgements: Judgements) -> Judgements:
    """Turn ratings of outputs into ratings of systems, by the mean; ratings of systems stay."""
    if any(rating.item == "" for rating in judgements.ratings):
        return judgements
    sums: dict[tuple[str, str, str], list[float]] = {}
    for rating in mean_ratings(judgements.ratings):
        place = (rating.group, rating.system, rating.dimension)
        sums.setdefault(place, []).append(rating.value)
    ratings = [
        Rating(group, "", system, dimension, fmean(values))
        for (group, system, dimension), values in sums.items()
    ]
    note = f"{len(judgements.ratings):,} ratings of outputs were averaged per system"
    return replace(judgements, outputs=(), ratings=tuple(ratings), notes=(*judgements.notes, note))


def mean_scores(scores: Scores) -> Scores:
    """Turn scores of outputs into scores of systems, by the mean; scores of systems stay."""
    if all(item == "" for _, item, _ in scores.values):
        return scores
    sums: dict[Key, list[float]] = {}
    for (group, _, system), value in scores.values.items():
        sums.setdefault((group, "", system), []).append(value)
    return replace(scores, values={key: fmean(values) for key, values in sums.items()})


def system_level(
    judgements: Judgements, dimension: str, scores: Sequence[Scores], missing: Missing
) -> tuple[Judgements, list[Scores]]:
    """Return ratings and scores of systems, averaged over the outputs that have both.

    Where both sides speak of single outputs they are matched first, so that a system's rating and
    its scores come from the same outputs.
    """
    rated_singly = all(rating.item for rating in judgements.ratings)
    scored_singly = any(item for one in scores for _, item, _ in one.values)
    if rated_singly and scored_singly:
        blocks, notes = align(judgements, dimension, scores, missing)
        human = {
            key: value
            for block in blocks
            for key, value in zip(block.keys, block.human.tolist(), strict=True)
        }
        ratings = tuple(Rating(*key, dimension, value) for key, value in human.items())
        judgements = replace(judgements, outputs=(), ratings=ratings, notes=tuple(notes))
        scores = [replace(one, values={key: one.values[key] for key in human}) for one in scores]
    return system_means(judgements), [mean_scores(one) for one in scores]
