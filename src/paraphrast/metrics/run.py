"""Score chunks with several metrics: statistics first, then values, intervals and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice

import numpy as np

from paraphrast import stats
from paraphrast.engine.cores import check_limit
from paraphrast.engine.local import map_chunks
from paraphrast.errors import InputError, ParaphrastError
from paraphrast.metrics.base import REFERENCES, SET, MeanMetric, Metric, Place, batches
from paraphrast.metrics.demands import (
    check_chunk,
    check_values,
    checked_stats,
    count_empty,
    takes_sets,
)
from paraphrast.metrics.text_notes import text_notes
from paraphrast.results import Report, Score
from paraphrast.text.traits import TextTraits, text_traits
from paraphrast.types import Chunk, Floats

_PENDING = 1 << 20  # rows of a whole-corpus metric that may wait before they are condensed
_BITE = 512  # candidates that a model reads before progress is shown
_SMALLEST = 32  # segments that are worth another process
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to score: metrics, what to keep, and how to resample."""

    metrics: tuple[Metric, ...]
    keep_rows: bool = False
    empty: str = "score"
    jobs: int = 1
    samples: int = 1000
    seed: int = 12345
    place: Place = field(default_factory=Place)


@dataclass(slots=True)
class Tally:
    """What was seen of one system: statistics per metric and the shape of its input."""

    rows: list[list[Floats]]
    segments: int = 0
    empty_candidates: int = 0
    empty_references: int = 0
    empty_sources: int = 0
    references: Span | None = None  # fewest and most per segment
    candidates: Span | None = None
    traits: TextTraits = field(default_factory=TextTraits)


Result = tuple[dict[str, list[Floats]], dict[str, Tally]]
"""What a chunk gave for each system: tables of statistics, and the shape of its input."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A metric with its constants fixed, and one row of points per segment (or their sum)."""

    metric: Metric
    points: Floats


def tally(
    chunks: Iterable[Chunk], plan: Plan, progress: Callable[[int], None] | None = None
) -> dict[str, Tally]:
    """Collect statistics over all chunks; without `keep_rows` only sums stay in memory.

    A model has threads of its own, so with one all metrics stay in this process, whatever `jobs`.
    """
    check_limit("jobs", plan.jobs)
    found: dict[str, Tally] = {}
    checked: Iterable[Chunk] = (check_chunk(chunk, plan.metrics, plan.empty) for chunk in chunks)
    if any(metric.runs_model for metric in plan.metrics):
        checked = chain.from_iterable(map(_bites, checked))
        results = map_chunks(partial(_work, plan), checked, jobs=min(plan.jobs, 1))
    elif plan.jobs > 1:
        results = _shared(plan, checked)
    else:
        results = map_chunks(partial(_work, plan), checked, jobs=plan.jobs)
    for chunk_rows, shape in results:
        for system, rows in chunk_rows.items():
            seen = found.setdefault(system, Tally([[] for _ in plan.metrics]))
            _add(seen, rows, shape[system], plan)
        if progress:
            progress(next(iter(shape.values())).segments)
    if not found:
        raise InputError("there is nothing to score: the input has no segments")
    return found


def _shared(plan: Plan, chunks: Iterable[Chunk]) -> Iterator[Result]:
    """Score chunks in several processes; an input of few chunks is cut, so that each has work.

    Pieces are put together again before anything is added up: the sums are those of one process,
    to the last bit.
    """
    chunks = iter(chunks)
    first = list(islice(chunks, 2 * plan.jobs))
    if len(first) == 2 * plan.jobs:
        yield from map_chunks(partial(_work, plan), chain(first, chunks), jobs=plan.jobs)
        return
    size = max(-(-sum(map(len, first)) // (2 * plan.jobs)), _SMALLEST)
    pieces = [list(_cut(chunk, size)) for chunk in first]
    jobs = max(min(plan.jobs, sum(map(len, pieces))), 1)
    whole = replace(plan, keep_rows=True)
    results = map_chunks(partial(_work, whole), chain.from_iterable(pieces), jobs=jobs)
    for chunk, parts in zip(first, pieces, strict=True):
        found = list(islice(results, len(parts)))
        rows = {
            system: [np.concatenate(column) for column in zip(*columns, strict=True)]
            for system in chunk.candidates
            if (columns := [rows[system] for rows, _ in found])
        }
        yield _kept(plan, rows), _shapes(chunk)


def _bites(chunk: Chunk) -> Iterator[Chunk]:
    """Cut a chunk into smaller ones, the smaller the more systems there are."""
    return _cut(chunk, max(_BITE // len(chunk.candidates), 1))


def _cut(chunk: Chunk, size: int) -> Iterator[Chunk]:
    for start in range(0, len(chunk), size):
        part = slice(start, start + size)
        yield Chunk(
            chunk.start + start,
            {name: texts[part] for name, texts in chunk.candidates.items()},
            chunk.references and chunk.references[part],
            chunk.sources and chunk.sources[part],
            chunk.trees and {name: trees[part] for name, trees in chunk.trees.items()},
        )


def _work(plan: Plan, chunk: Chunk) -> Result:
    by_system = batches(chunk, plan.place)
    for metric in plan.metrics:
        metric.ahead(tuple(by_system.values()))
    rows = {
        system: [checked_stats(metric, batch) for metric in plan.metrics]
        for system, batch in by_system.items()
    }
    return _kept(plan, rows), _shapes(chunk)


def _kept(plan: Plan, rows: dict[str, list[Floats]]) -> dict[str, list[Floats]]:
    """Return the rows themselves, or their sums where the plan needs no more."""
    if plan.keep_rows:
        return rows
    return {
        system: [_shrink(metric, table) for metric, table in zip(plan.metrics, tables, strict=True)]
        for system, tables in rows.items()
    }


def _shrink(metric: Metric, rows: Floats) -> Floats:
    """Keep only the sum of rows that may be added up already."""
    return metric.condense(rows) if metric.whole_corpus else metric.total(rows)


def _shapes(chunk: Chunk) -> dict[str, Tally]:
    return {system: _shape(chunk, texts) for system, texts in chunk.candidates.items()}


def _shape(chunk: Chunk, texts: list[list[str]]) -> Tally:
    references = chunk.references
    counts = list(map(len, references)) if references is not None else []
    return Tally(
        rows=[],
        segments=len(texts),
        empty_candidates=count_empty(chain.from_iterable(texts)),
        empty_references=count_empty(chain.from_iterable(references or ())),
        empty_sources=count_empty(chunk.sources or ()),
        references=(min(counts), max(counts)) if counts else None,
        candidates=(min(map(len, texts)), max(map(len, texts))),
        traits=text_traits(list(chain.from_iterable(texts)), chain.from_iterable(references or ())),
    )


def _add(seen: Tally, rows: list[Floats], shape: Tally, plan: Plan) -> None:
    for metric, kept, new in zip(plan.metrics, seen.rows, rows, strict=True):
        if plan.keep_rows or metric.whole_corpus or not kept:
            kept.append(new)
        else:
            kept[0] = kept[0] + new
        if not plan.keep_rows and sum(map(len, kept[1:])) > max(len(kept[0]), _PENDING):
            kept[:] = [metric.condense(np.concatenate(kept))]
    seen.segments += shape.segments
    seen.empty_candidates += shape.empty_candidates
    seen.empty_references += shape.empty_references
    seen.empty_sources += shape.empty_sources
    seen.references = _wider(seen.references, shape.references)
    seen.candidates = _wider(seen.candidates, shape.candidates)
    seen.traits += shape.traits


def _wider(one: Span | None, other: Span | None) -> Span | None:
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])


def fit(seen: Tally, plan: Plan) -> list[Fitted]:
    """Fix each metric's constants and turn its statistics into points."""
    fitted = []
    for metric, kept in zip(plan.metrics, seen.rows, strict=True):
        rows = np.concatenate(kept)
        if plan.keep_rows or metric.whole_corpus:
            metric = metric.fit(rows)
            rows = metric.points(rows) if plan.keep_rows else metric.total(rows)
        if not np.isfinite(rows).all():
            raise ParaphrastError(f"metric {metric.name!r} gave a statistic that is not a number")
        if isinstance(metric, MeanMetric) and not rows[:, 0].any():
            raise InputError("; ".join([_undefined(metric), *metric.notes(rows)]))
        fitted.append(Fitted(metric, rows))
    return fitted


def _undefined(metric: Metric) -> str:
    if SET in metric.required():
        return (
            f"{metric.name}: no segment has two or more candidates, so there is nothing to compare"
        )
    return f"{metric.name} is undefined for every segment of this input"


def corpus_values(fitted: Fitted, sums: Floats | None = None) -> Floats:
    """Return score and parts for summed points: those of the corpus, or of resamples."""
    if sums is not None:
        return fitted.metric.part_first(fitted.metric.value(sums))
    values = fitted.metric.value(fitted.points.sum(axis=0, keepdims=True))
    check_values(fitted.metric, values)
    return fitted.metric.part_first(values)


def bootstrap(fitted: Sequence[Fitted], plan: Plan) -> list[Floats]:
    """Return bootstrap scores per metric; every metric sees the same resamples."""
    widths = [item.points.shape[1] for item in fitted]
    sums = stats.bootstrap_sums(np.hstack([f.points for f in fitted]), plan.samples, plan.seed)
    cuts = np.split(sums, np.cumsum(widths)[:-1], axis=1)
    return [corpus_values(item, cut)[:, 0] for item, cut in zip(fitted, cuts, strict=True)]


def report(
    seen: Tally,
    fitted: Sequence[Fitted],
    *,
    intervals: Sequence[tuple[float, float] | None] | None = None,
    segments: bool = False,
    method: str = "",
    notes: Sequence[str] = (),
) -> Report:
    """Put corpus values, intervals, segment values and notes together."""
    scores = []
    names = labels([item.metric for item in fitted])
    for number, item in enumerate(fitted):
        metric, values = item.metric, corpus_values(item)[0]
        scores.append(
            Score(
                metric=names[number],
                score=float(values[0]),
                signature=_signature(metric, seen),
                better=metric.card.better,
                digits=metric.card.digits,
                ci=intervals[number] if intervals else None,
                parts=dict(zip(metric.parts(), map(float, values[1:]), strict=True)),
            )
        )
    table = segment_table(fitted) if segments else {}
    said = (*_notes(seen, fitted), *notes)
    return Report(seen.segments, tuple(scores), table, said, method)


def _signature(metric: Metric, seen: Tally) -> str:
    nrefs = _span(seen.references) if REFERENCES in metric.required() else None
    return metric.signature(nrefs, _span(seen.candidates) if takes_sets(metric) else None)


def _span(counts: Span | None) -> str | None:
    if counts is None:
        return None
    low, high = counts
    return str(low) if low == high else f"{low}-{high}"


def labels(metrics: Sequence[Metric]) -> list[str]:
    """Name the metrics; one asked for twice with different options is bleu, then bleu#2.

    So is a metric's part that would bear the name of a column that the whole metric has, too.
    """
    names = [metric.label for metric in metrics]
    columns = {f"{m.label}.{part}" for m in metrics for part in m.parts()}
    before = [names[:place].count(name) + (name in columns) for place, name in enumerate(names)]
    return [f"{name}#{n + 1}" if n else name for name, n in zip(names, before, strict=True)]


def segment_table(fitted: Sequence[Fitted]) -> dict[str, Floats]:
    """Return columns `metric` and `metric.part`; NaN marks a segment where it is undefined."""
    table: dict[str, Floats] = {}
    names = labels([item.metric for item in fitted])
    for name, item in zip(names, fitted, strict=True):
        values = item.metric.part_first(item.metric.segment_value(item.points)).astype(np.float64)
        for part, column in zip(("", *item.metric.parts()), values.T, strict=True):
            table[f"{name}.{part}" if part else name] = column.copy()
    return table


def _notes(seen: Tally, fitted: Sequence[Fitted]) -> list[str]:
    notes = []
    counts = {
        "candidate": seen.empty_candidates,
        "reference": seen.empty_references,
        "source": seen.empty_sources,
    }
    for what, count in counts.items():
        if count:
            notes.append(
                f"{count} empty {what}{'s' * (count > 1)}, scored as the metric's card says"
            )
    notes += text_notes([item.metric for item in fitted], seen.traits)
    for item in fitted:
        if isinstance(item.metric, MeanMetric):
            weight = float(item.points[:, 0].sum())
            missing = seen.segments - round(weight)
            if missing:
                these = "1 segment" if missing == 1 else f"{missing} segments"
                notes.append(f"{item.metric.name}: undefined for {these}, not counted")
        notes.extend(note for note in item.metric.notes(item.points) if note not in notes)
    return notes
