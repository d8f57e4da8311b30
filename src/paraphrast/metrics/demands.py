"""What must hold of the input before a metric runs, and of what a metric returns after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from paraphrast.errors import InputError, MissingInput, ParaphrastError
from paraphrast.metrics.base import REFERENCES, SET, SOURCE, TREES, Batch, Metric
from paraphrast.text.alignment.long_pairs import LongPair
from paraphrast.types import Chunk, Floats


def check_chunk(chunk: Chunk, metrics: Sequence[Metric], empty: str) -> Chunk:
    """Demand what the metrics need of each segment, before anything is computed."""
    needs = frozenset().union(*(metric.required() for metric in metrics))
    for row, texts in enumerate(chunk.references or (), chunk.start + 1):
        if not texts and REFERENCES in needs:
            names = [m.name for m in metrics if REFERENCES in m.required()]
            raise InputError(f"segment {row} has no reference, but {', '.join(names)} needs one")
    _check_sets(chunk, metrics)
    if empty == "error":
        _check_empty(chunk)
    return chunk


def takes_sets(metric: Metric) -> bool:
    """Tell whether a segment may have several candidates."""
    return SET in metric.required() or metric.card.sets


def _check_sets(chunk: Chunk, metrics: Sequence[Metric]) -> None:
    single = [metric.name for metric in metrics if not takes_sets(metric)]
    for system, segments in chunk.candidates.items():
        for row, texts in enumerate(segments, chunk.start + 1):
            if len(texts) == 1 or (texts and not single):
                continue
            who = f" of system {system!r}" if system else ""
            if not texts:
                raise InputError(f"segment {row}{who} has no candidate; give an empty string")
            raise InputError(
                f"segment {row}{who} has {len(texts)} candidates, but {', '.join(single)} "
                "scores one; sets are for "
                "self_bleu_pairwise, ds_bow, ds_tree, vocabulary_diversity, distinct_1, distinct_2"
            )


def _check_empty(chunk: Chunk) -> None:
    columns: dict[str, Iterable[Iterable[str]]] = {
        f"candidate{f' of system {name!r}' if name else ''}": texts
        for name, texts in chunk.candidates.items()
    }
    columns["reference"] = chunk.references or ()
    columns["source"] = [[text] for text in chunk.sources or ()]
    for what, rows in columns.items():
        for row, texts in enumerate(rows, chunk.start + 1):
            if count_empty(texts):
                raise InputError(
                    f"segment {row}: the {what} is empty (empty='score' would score it)"
                )


def check_inputs(metrics: Sequence[Metric], given: frozenset[str]) -> None:
    """Reject a metric whose inputs were not given at all, before any work starts."""
    words = {
        REFERENCES: "references",
        SOURCE: "sources",
        TREES: "constituency trees of the candidates",
    }
    for metric in metrics:
        for need in sorted(metric.required() - given - {SET}):
            raise MissingInput(
                f"metric {metric.name!r} needs {words.get(need, need)}; none were given", need
            )


def count_empty(texts: Iterable[str]) -> int:
    """Count the texts that hold nothing but white space."""
    return sum(1 for text in texts if not text or text.isspace())


def checked_stats(metric: Metric, batch: Batch) -> Floats:
    """Return a metric's statistics, refusing what a faulty plug-in might give."""
    try:
        rows = metric.stats(batch)
    except LongPair as error:
        raise InputError(f"{_segment(batch, error.place)}{metric.name}: {error}") from error
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.dtype.kind not in "fiub":
        raise ParaphrastError(
            f"metric {metric.name!r} is faulty: stats() must give a table of numbers, segments by "
            f"statistics; it gave {type(rows).__name__} {getattr(rows, 'shape', '')}".rstrip()
        )
    if not metric.ragged and len(rows) != len(batch):
        raise ParaphrastError(
            f"metric {metric.name!r} is faulty: stats() gave {len(rows)} rows for {len(batch)} "
            "segments"
        )
    return rows


def _segment(batch: Batch, place: int | None) -> str:
    """Name the segment that a reference belongs to, if its place is known."""
    if place is None or batch.references is None:
        return ""
    return f"segment {batch.start + int(batch.references.owners[place]) + 1}: "


def check_values(metric: Metric, values: Floats) -> None:
    """Refuse corpus values that are not numbers or not those the metric names."""
    width = 1 + len(metric.parts())
    if np.ndim(values) != 2 or values.shape[1] != width:
        raise ParaphrastError(
            f"metric {metric.name!r} is faulty: value() must give {width} columns, the score and "
            f"its parts; it gave {np.shape(values)}"
        )
    if not np.isfinite(values).all():
        raise ParaphrastError(f"metric {metric.name!r} is faulty: its value is not a number")
