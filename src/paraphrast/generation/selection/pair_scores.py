"""Metrics of many pairs at once: each distinct one is scored once, in batches of the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from paraphrast.metrics.base import Metric, Place
from paraphrast.metrics.run import Fitted, Plan, segment_table, tally
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

    There must be a pair. A metric asked for twice with different options is bleu, then bleu#2.
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


def _chunks(pairs: Sequence[SegmentTexts]) -> Iterator[Chunk]:
    for at in range(0, len(pairs), _CHUNK):
        part = pairs[at : at + _CHUNK]
        yield Chunk(
            at,
            {"": [[pair.candidate] for pair in part]},
            [[pair.reference] for pair in part],
            [pair.source for pair in part],
        )
