"""Studies of metrics: two metrics side by side, more references, more or fewer judgements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from paraphrast import stats
from paraphrast.errors import ConfigError, InputError
from paraphrast.jobs.meta import Extra, asked_metrics, judge_scores, judged_outputs
from paraphrast.meta.align import Aligned, Scores, align
from paraphrast.meta.coverage import Coverage, Decisions, coverage, decisions
from paraphrast.meta.evaluate import CORRELATIONS, Request, draw, tabulate
from paraphrast.meta.judgements import Judgements
from paraphrast.meta.layouts import bawden_references, read_rows
from paraphrast.meta.pairs import preference_exchange_p
from paraphrast.meta.sizes import Curve, judgement_curves
from paraphrast.meta.tasks import Task, load_task
from paraphrast.metrics.base import REFERENCES
from paraphrast.render.terminal.tables import align as columns

_LINEAR = ("segment", "system")


@dataclass(frozen=True, slots=True)
class Versus:
    """Two metrics in one group; `williams` is one of dependent correlations, two-sided."""

    group: str
    first: float
    second: float
    williams: float | None


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """Two metrics on a task: means over groups, their difference and three tests of it."""

    task: str
    level: str
    statistic: str
    metrics: tuple[str, str]
    values: tuple[float, float]
    bootstrap: float
    permutation: float | None
    by: tuple[Versus, ...]
    notes: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        return self.values[0] - self.values[1]

    def to_dict(self) -> dict[str, Any]:
        first, second = self.metrics
        return {
            "task": self.task,
            "level": self.level,
            "statistic": self.statistic,
            "values": {first: self.values[0], second: self.values[1]},
            "difference": self.difference,
            "p": {"bootstrap": self.bootstrap, "permutation": self.permutation},
            "by": {
                one.group: {first: one.first, second: one.second, "williams": one.williams}
                for one in self.by
            },
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def __str__(self) -> str:
        head = [["", *self.metrics, "difference", "Williams p"]]
        rows = [
            [v.group, *map(_short, (v.first, v.second, v.first - v.second)), _p(v.williams)]
            for v in self.by
            if v.group
        ]
        mean = ["mean" if rows else self.task, *map(_short, (*self.values, self.difference))]
        williams = "" if rows else _p(self.by[0].williams)
        return "\n".join(
            [
                f"{self.task}, {self.level} level, {self.statistic}",
                columns([*head, *rows, [*mean, williams]]),
                "",
                f"difference: bootstrap p = {_p(self.bootstrap)}, "
                f"permutation p = {_p(self.permutation)}",
                *(f"note: {note}" for note in self.notes),
            ]
        )


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _request(task: Task, statistic: str | None, samples: int, seed: int) -> Request:
    chosen = statistic or task.statistic
    return Request(task.name, task.title, task.level, chosen, task.dimension, samples, seed)


def compare_metrics(
    name: str,
    first: str,
    second: str,
    *,
    statistic: str | None = None,
    samples: int = 1000,
    seed: int = 12345,
    jobs: int = 1,
    threads: int | None = None,
    device: str = "cpu",
) -> MetricComparison:
    """Compare two metrics on a named task."""
    if first == second:
        raise ConfigError(f"{first!r} is compared with itself; name two metrics")
    task, judgements = load_task(name)
    request = _request(task, statistic, samples, seed)
    notes: list[str] = []
    place = _place(jobs, threads, device)
    scores = judge_scores(judgements, [first, second], task.level, notes=notes, **place)
    found = versus(judgements, scores, request)
    return replace(found, notes=(*found.notes, *notes))


def _place(jobs: int, threads: int | None, device: str) -> dict[str, Any]:
    """Return where scoring runs, as `judge_scores` takes it."""
    return {"jobs": jobs, "threads": threads, "device": device}


def versus(judgements: Judgements, scores: Sequence[Scores], request: Request) -> MetricComparison:
    """Test the difference between two metrics' agreement with people."""
    draws, points = draw(judgements, scores, request)
    table = tabulate(scores, draws, points, request)
    rows = {row.metric: row for row in table.rows}
    one, two = (rows[score.metric] for score in scores)
    if one.value is None or two.value is None:
        raise InputError("; ".join(table.notes))
    apart = draws.resampled[:, 0] - draws.resampled[:, 1]
    p_value = stats.bootstrap_p(apart, one.value - two.value, items=draws.items)
    blocks = _blocks(judgements, scores, request)
    by = [
        Versus(
            group, one.by[group] or 0.0, two.by[group] or 0.0, _williams(blocks.get(group), request)
        )
        for group in table.groups
    ]
    return MetricComparison(
        request.task,
        request.level,
        request.statistic,
        (one.metric, two.metric),
        (one.value, two.value),
        p_value,
        _permutation(judgements, scores, request),
        tuple(by),
        table.notes,
    )


def _blocks(
    judgements: Judgements, scores: Sequence[Scores], request: Request
) -> dict[str, Aligned]:
    if request.level not in _LINEAR:
        return {}
    blocks, _ = align(judgements, request.dimension, scores, request.missing)
    return {block.group: block for block in blocks if np.ptp(block.human) > 0}


def _williams(block: Aligned | None, request: Request) -> float | None:
    """Return Williams' two-sided p; it is about product-moment and rank correlations only."""
    if block is None or request.statistic not in ("pearson", "spearman") or len(block.human) < 4:
        return None
    return stats.williams(
        block.scores[0], block.scores[1], block.human, statistic=CORRELATIONS[request.statistic]
    ).p


def _permutation(
    judgements: Judgements, scores: Sequence[Scores], request: Request
) -> float | None:
    """Return the p-value of exchanging the two metrics item by item; none for accuracies."""
    if request.level == "pairwise":
        return preference_exchange_p(
            judgements, scores, request.samples, request.seed, request.missing
        )
    if request.statistic not in CORRELATIONS:
        return None
    blocks = [
        (block.scores[0], block.scores[1], block.human)
        for block in _documents(judgements, scores, request)
        if np.ptp(block.human) > 0 and (np.ptp(block.scores, axis=1) > 0).all()
    ]
    return stats.permutation_p(
        blocks,
        statistic=CORRELATIONS[request.statistic],
        samples=request.samples,
        seed=request.seed,
    )


@dataclass(frozen=True, slots=True)
class Gain:
    """One metric with and without the extra references."""

    metric: str
    comparison: MetricComparison  # first: with the extra references
    decisions: Decisions

    def gains(self) -> list[float]:
        return [one.first - one.second for one in self.comparison.by]

    def to_dict(self) -> dict[str, Any]:
        gains = self.gains()
        return {
            "metric": self.metric,
            "before": self.comparison.values[1],
            "after": self.comparison.values[0],
            "gain": {"min": min(gains), "mean": float(np.mean(gains)), "max": max(gains)},
            "p": self.comparison.to_dict()["p"],
            "by": {
                one.group: {
                    "before": one.second,
                    "after": one.first,
                    "gain": one.first - one.second,
                    "williams": one.williams,
                }
                for one in self.comparison.by
            },
            "decisions": self.decisions.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class ReferenceStudy:
    """What extra references change for each metric, and which n-grams they reward."""

    task: str
    level: str
    statistic: str
    metrics: tuple[Gain, ...]
    coverage: tuple[Coverage, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "level": self.level,
            "statistic": self.statistic,
            "metrics": [gain.to_dict() for gain in self.metrics],
            "ngrams": [one.to_dict() for one in self.coverage],
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def __str__(self) -> str:
        head = ["metric", "before", "after", "min", "mean", "max", "p", "improved", "degraded"]
        rows = [head]
        for gain in self.metrics:
            shares = gain.decisions.to_dict()
            gains = gain.gains()
            rows.append(
                [
                    gain.metric,
                    *map(_short, (gain.comparison.values[1], gain.comparison.values[0])),
                    *map(_short, (min(gains), float(np.mean(gains)), max(gains))),
                    _p(gain.comparison.bootstrap),
                    *(_share(shares[name]) for name in ("improved", "degraded")),
                ]
            )
        grams = [["n", "matched", "newly matched", "still missing", "new, for example"]]
        for one in self.coverage:
            shares = {
                k: getattr(one, k) / max(one.total, 1) for k in ("matched", "newly", "missing")
            }
            example = one.newly_examples[0][0] if one.newly_examples else ""
            grams.append([str(one.order), *(f"{share:.1%}" for share in shares.values()), example])
        return "\n".join(
            [
                f"{self.task}, {self.level} level, {self.statistic}: extra references",
                columns(rows),
                "",
                columns(grams),
                *(f"note: {note}" for note in self.notes),
            ]
        )


def reference_study(
    name: str,
    path: str,
    requests: Sequence[str],
    *,
    statistic: str | None = None,
    samples: int = 1000,
    seed: int = 12345,
    jobs: int = 1,
    threads: int | None = None,
    device: str = "cpu",
) -> ReferenceStudy:
    """Score a task with and without extra references (Bawden et al. 2020) and compare."""
    task, judgements = load_task(name)
    extra, notes = read_extra(path, judgements)
    request = _request(task, statistic, samples, seed)
    for one in asked_metrics(requests):
        if REFERENCES not in one.metric.required():
            raise InputError(f"metric {one.name!r} uses no references, so more change nothing")
    place, said, more = _place(jobs, threads, device), list[str](), list[str]()
    before = judge_scores(judgements, requests, task.level, notes=said, **place)
    after = judge_scores(judgements, requests, task.level, extra=extra, notes=more, **place)
    notes += said + [f"with the extra references: {note}" for note in more if note not in said]
    gains = []
    for old, new in zip(before, after, strict=True):
        pair = [replace(new, metric=f"{new.metric} + references"), old]
        blocks = _documents(judgements, pair, request)
        changed = [decisions(block, before=1, after=0) for block in blocks]
        gains.append(Gain(old.metric, versus(judgements, pair, request), _total(changed)))
    outputs = judged_outputs(judgements)
    covered = coverage(
        [output.candidate for output in outputs],
        [output.references for output in outputs],
        [extra.get((output.group, output.item), ()) for output in outputs],
    )
    return ReferenceStudy(
        task.name, task.level, request.statistic, tuple(gains), tuple(covered), tuple(notes)
    )


def _documents(judgements: Judgements, scores: Sequence[Scores], request: Request) -> list[Aligned]:
    """Return the outputs whose ranking people decide: of a group, or of one document each."""
    if request.level == "pairwise":
        return []
    blocks, _ = align(judgements, request.dimension, scores, request.missing)
    if request.level != "summary":
        return blocks
    found = []
    for block in blocks:
        items = np.array([key[1] for key in block.keys])
        for item in dict.fromkeys(items.tolist()):
            at = np.flatnonzero(items == item)
            keys = tuple(block.keys[i] for i in at)
            found.append(Aligned(block.group, keys, block.human[at], block.scores[:, at]))
    return found


def _total(parts: Sequence[Decisions]) -> Decisions:
    return Decisions(
        sum(part.pairs for part in parts),
        sum(part.improved for part in parts),
        sum(part.degraded for part in parts),
    )


def read_extra(path: str, judgements: Judgements) -> tuple[Extra, list[str]]:
    """Read extra references: rows of `item`, `references` (and `group`), or Bawden's table."""
    notes: list[str] = []
    rows = read_rows(path, notes)
    if "references" in rows[0].cells:
        given = [(row.name("group"), row.named("item"), row.texts("references")) for row in rows]
    else:
        found = bawden_references(path)
        notes = [*found.notes]
        given = [("", item, tuple(texts)) for item, texts in found.references.items()]
    known = {(output.group, output.item) for output in judgements.outputs}
    groups = sorted({group for group, _ in known})
    extra: dict[tuple[str, str], list[str]] = {}
    unused = 0
    for group, item, texts in given:
        places = [(g, item) for g in ([group] if group else groups) if (g, item) in known]
        if len(places) > 1:
            raise InputError(
                f"{path}: item {item!r} is in {len(places)} groups of {judgements.name}; "
                "say which with a column 'group'"
            )
        unused += not places
        for place in places:
            extra.setdefault(place, []).extend(texts)
    if not extra:
        raise InputError(f"{path}: none of its items is in {judgements.name}")
    if unused:
        notes.append(f"extra references of {unused:,} items that were not judged, left out")
    return extra, notes


@dataclass(frozen=True, slots=True)
class SizeStudy:
    """Curves of a statistic by the number of judged outputs per group."""

    task: str
    statistic: str
    curves: dict[str, Curve]
    notes: tuple[str, ...] = ()

    def to_json(self) -> str:
        curves = {
            name: [
                dict(zip(("size", "mean", "low", "high"), point, strict=True)) for point in curve
            ]
            for name, curve in self.curves.items()
        }
        found = {"task": self.task, "statistic": self.statistic, "curves": curves}
        said = {"notes": list(self.notes)}
        return json.dumps(found | said, ensure_ascii=False, indent=2, allow_nan=False)

    def __str__(self) -> str:
        sizes = [f"{point[0]:.0f}" for point in next(iter(self.curves.values()))]
        rows = [["", *sizes]]
        rows += [[name, *(_short(p[1]) for p in curve)] for name, curve in self.curves.items()]
        head = f"{self.task}, mean {self.statistic} by outputs per group"
        return "\n".join([head, columns(rows), *(f"note: {note}" for note in self.notes)])


def size_study(
    name: str,
    requests: Sequence[str],
    *,
    sizes: Sequence[int] = (),
    repeats: int = 20,
    statistic: str | None = None,
    seed: int = 12345,
    jobs: int = 1,
    threads: int | None = None,
    device: str = "cpu",
) -> SizeStudy:
    """Repeat a task's evaluation over random subsets of growing size."""
    task, judgements = load_task(name)
    request = _request(task, statistic, 2, seed)
    notes: list[str] = []
    place = _place(jobs, threads, device)
    scores = judge_scores(judgements, requests, task.level, notes=notes, **place)
    chosen = sizes or (10, 20, 50, 100, 200, 500)
    curves = judgement_curves(judgements, scores, request, chosen, repeats=repeats)
    return SizeStudy(task.name, request.statistic, dict(curves), tuple(notes))
