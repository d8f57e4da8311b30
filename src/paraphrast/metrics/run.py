"""Score chunks with several metrics: statistics first, then values, intervals and tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np

from paraphrast import stats
from paraphrast.engine.local import map_chunks
from paraphrast.errors import InputError, ParaphrastError
from paraphrast.metrics.base import REFERENCES, SET, SOURCE, TREES, MeanMetric, Metric, batches
from paraphrast.results import Report, Score
from paraphrast.types import Chunk, Floats


@dataclass(frozen=True, slots=True)
class Plan:
    """How to score: metrics, what to keep, and how to resample."""

    metrics: tuple[Metric, ...]
    keep_rows: bool = False
    empty: str = "score"
    jobs: int = 1
    samples: int = 1000
    seed: int = 12345


@dataclass(slots=True)
class Tally:
    """What was seen of one system: statistics per metric and the shape of its input."""

    rows: list[list[Floats]]
    segments: int = 0
    empty_candidates: int = 0
    empty_references: int = 0
    empty_sources: int = 0
    references: tuple[int, int] | None = None  # fewest and most per segment


@dataclass(frozen=True, slots=True)
class Fitted:
    """A metric with its constants fixed, and one row of points per segment (or their sum)."""

    metric: Metric
    points: Floats


def tally(
    chunks: Iterable[Chunk], plan: Plan, progress: Callable[[int], None] | None = None
) -> dict[str, Tally]:
    """Collect statistics over all chunks; without `keep_rows` only sums stay in memory."""
    found: dict[str, Tally] = {}
    checked = (check_chunk(chunk, plan) for chunk in chunks)
    for chunk_rows, shape in map_chunks(partial(_work, plan), checked, jobs=plan.jobs):
        for system, rows in chunk_rows.items():
            seen = found.setdefault(system, Tally([[] for _ in plan.metrics]))
            _add(seen, rows, shape[system], plan)
        if progress:
            progress(next(iter(shape.values())).segments)
    if not found:
        raise InputError("there is nothing to score: the input has no segments")
    return found


def _work(plan: Plan, chunk: Chunk) -> tuple[dict[str, list[Floats]], dict[str, Tally]]:
    rows = {
        system: [metric.stats(batch) for metric in plan.metrics]
        for system, batch in batches(chunk).items()
    }
    if not plan.keep_rows:
        rows = {
            s: [_shrink(m, r) for m, r in zip(plan.metrics, mine, strict=True)]
            for s, mine in rows.items()
        }
    return rows, {system: _shape(chunk, texts) for system, texts in chunk.candidates.items()}


def _shrink(metric: Metric, rows: Floats) -> Floats:
    """Keep only the sum of rows that may be added up already."""
    return rows if metric.whole_corpus else metric.points(rows).sum(axis=0, keepdims=True)


def _shape(chunk: Chunk, texts: list[list[str]]) -> Tally:
    references = chunk.references
    counts = list(map(len, references)) if references is not None else []
    return Tally(
        rows=[],
        segments=len(texts),
        empty_candidates=_empty(chain.from_iterable(texts)),
        empty_references=_empty(chain.from_iterable(references or ())),
        empty_sources=_empty(chunk.sources or ()),
        references=(min(counts), max(counts)) if counts else None,
    )


def _empty(texts: Iterable[str]) -> int:
    return sum(1 for text in texts if not text or text.isspace())


def _add(seen: Tally, rows: list[Floats], shape: Tally, plan: Plan) -> None:
    for metric, kept, new in zip(plan.metrics, seen.rows, rows, strict=True):
        if plan.keep_rows or metric.whole_corpus or not kept:
            kept.append(new)
        else:
            kept[0] = kept[0] + new
    seen.segments += shape.segments
    seen.empty_candidates += shape.empty_candidates
    seen.empty_references += shape.empty_references
    seen.empty_sources += shape.empty_sources
    if shape.references:
        low, high = seen.references or shape.references
        seen.references = min(low, shape.references[0]), max(high, shape.references[1])


def fit(seen: Tally, plan: Plan) -> list[Fitted]:
    """Fix each metric's constants and turn its statistics into points."""
    fitted = []
    for metric, kept in zip(plan.metrics, seen.rows, strict=True):
        rows = np.concatenate(kept)
        if plan.keep_rows or metric.whole_corpus:
            metric = metric.fit(rows)
            rows = metric.points(rows)
        if not np.isfinite(rows).all():
            raise ParaphrastError(f"metric {metric.name!r} gave a statistic that is not a number")
        if isinstance(metric, MeanMetric) and not rows[:, 0].any():
            raise InputError(_undefined(metric))
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
    total = fitted.points.sum(axis=0, keepdims=True) if sums is None else sums
    return fitted.metric.value(total)


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
    intervals: Sequence[tuple[float, float]] | None = None,
    segments: bool = False,
    notes: Sequence[str] = (),
) -> Report:
    """Put corpus values, intervals, segment values and notes together."""
    nrefs = None if seen.references is None else _span(seen.references)
    scores = []
    for number, item in enumerate(fitted):
        metric, values = item.metric, corpus_values(item)[0]
        scores.append(
            Score(
                metric=metric.name,
                score=float(values[0]),
                signature=metric.signature(nrefs if REFERENCES in metric.required() else None),
                better=metric.card.better,
                digits=metric.card.digits,
                ci=intervals[number] if intervals else None,
                parts=dict(zip(metric.parts(), map(float, values[1:]), strict=True)),
            )
        )
    table = segment_table(fitted) if segments else {}
    return Report(seen.segments, tuple(scores), table, (*_notes(seen, fitted, segments), *notes))


def _span(references: tuple[int, int]) -> str:
    low, high = references
    return str(low) if low == high else f"{low}-{high}"


def segment_table(fitted: Sequence[Fitted]) -> dict[str, Floats]:
    """Return columns `metric` and `metric.part`; NaN marks a segment where it is undefined."""
    table: dict[str, Floats] = {}
    for item in fitted:
        values = item.metric.segment_value(item.points).astype(np.float64)
        name = _free(item.metric.name, table)
        for part, column in zip(("", *item.metric.parts()), values.T, strict=True):
            table[f"{name}.{part}" if part else name] = column.copy()
    return table


def _free(name: str, taken: Mapping[str, object]) -> str:
    """Number a metric that is asked for twice with different options: bleu, bleu#2."""
    names = chain([name], (f"{name}#{n}" for n in range(2, len(taken) + 3)))
    return next(free for free in names if free not in taken)


def _notes(seen: Tally, fitted: Sequence[Fitted], segments: bool) -> list[str]:
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
    for item in fitted:
        if isinstance(item.metric, MeanMetric):
            weight = float(item.points[:, 0].sum())
            missing = seen.segments - round(weight)
            if missing:
                notes.append(f"{item.metric.name}: undefined for {missing} segments, not counted")
    return notes


def check_chunk(chunk: Chunk, plan: Plan) -> Chunk:
    """Demand what the metrics need of each segment, before anything is computed."""
    needs = frozenset().union(*(metric.required() for metric in plan.metrics))
    for row, texts in enumerate(chunk.references or (), chunk.start + 1):
        if not texts and REFERENCES in needs:
            names = [m.name for m in plan.metrics if REFERENCES in m.required()]
            raise InputError(f"segment {row} has no reference, but {', '.join(names)} needs one")
    _check_sets(chunk, plan)
    if plan.empty == "error":
        _check_empty(chunk)
    return chunk


def takes_sets(metric: Metric) -> bool:
    """Tell whether a segment may have several candidates."""
    return SET in metric.required() or metric.card.sets


def _check_sets(chunk: Chunk, plan: Plan) -> None:
    single = [metric.name for metric in plan.metrics if not takes_sets(metric)]
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
            if _empty(texts):
                raise InputError(
                    f"segment {row}: the {what} is empty (empty='score' would score it)"
                )


def check_inputs(metrics: Sequence[Metric], given: frozenset[str]) -> None:
    """Reject a metric whose inputs were not given at all, before any work starts."""
    hints = {
        REFERENCES: "references (-r FILE)",
        SOURCE: "sources (-s FILE)",
        TREES: "constituency trees of the candidates (--trees FILE)",
    }
    for metric in metrics:
        for need in sorted(metric.required() - given - {SET}):
            raise InputError(
                f"metric {metric.name!r} needs {hints.get(need, need)}; none were given"
            )
