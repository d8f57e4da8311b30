"""Score texts that are in memory: pairs, each distinct one once, and lists of segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from paraphrast.metrics.base import Metric, Place
from paraphrast.metrics.corpus_fitting import survey
from paraphrast.metrics.run import Fitted, Plan, fit, report, segment_table, tally
from paraphrast.results import Report
from paraphrast.types import Chunk, Floats

_CHUNK = 4096  # segments


class SegmentTexts(NamedTuple):
    """A segment: what is rated, what it is held against, and the source of both."""

    candidate: str
    reference: str
    source: str


def score_pairs(
    metrics: Sequence[Metric], pairs: Sequence[SegmentTexts], place: Place
) -> dict[str, Floats]:
    """Return columns `metric` and `metric.part` with a value for each pair, NaN if undefined.

    There must be a pair. A metric that is there twice with different options is bleu, then bleu#2.
    """
    distinct = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
    rows = np.array([distinct[pair] for pair in pairs], np.int64)
    plan = Plan(metrics=tuple(metrics), keep_rows=True, place=place)
    seen = tally(_chunks(list(distinct)), plan)[""]
    fitted = []
    for metric, blocks in zip(plan.metrics, seen.rows, strict=True):
        statistics = np.concatenate(blocks)
        metric = metric.fit(statistics)
        fitted.append(Fitted(metric, metric.points(statistics)))
    return {name: column[rows] for name, column in segment_table(fitted).items()}


def score_lists(
    metrics: Sequence[Metric],
    candidates: Sequence[Sequence[str]],
    references: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
) -> Report:
    """Return the report of one system, with a value for each segment.

    `candidates` holds the texts of each segment: one, or several for metrics of sets.
    """
    place = Place()
    for metric in metrics:
        metric.prepare(place)
    fitted = survey(metrics, place, lambda: [] if references is None else [references])
    plan = Plan(metrics=fitted, keep_rows=True, place=place)
    seen = tally(_segments(candidates, references, sources), plan)[""]
    return report(seen, fit(seen, plan), segments=True)


def _segments(
    candidates: Sequence[Sequence[str]],
    references: Sequence[str] | None,
    sources: Sequence[str] | None,
) -> Iterator[Chunk]:
    for at in range(0, len(candidates), _CHUNK):
        part = slice(at, at + _CHUNK)
        yield Chunk(
            at,
            {"": [list(texts) for texts in candidates[part]]},
            None if references is None else [[text] for text in references[part]],
            None if sources is None else list(sources[part]),
        )


def _chunks(pairs: Sequence[SegmentTexts]) -> Iterator[Chunk]:
    for at in range(0, len(pairs), _CHUNK):
        part = pairs[at : at + _CHUNK]
        yield Chunk(
            at,
            {"": [[pair.candidate] for pair in part]},
            [[pair.reference] for pair in part],
            [pair.source for pair in part],
        )
