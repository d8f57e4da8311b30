"""What more references change: agreement with people, decisions, and the n-grams they reward."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from paraphrast.errors import InputError
from paraphrast.meta.alignment import Scores
from paraphrast.meta.coverage import Coverage, Decisions, coverage, decisions
from paraphrast.meta.evaluate import AgreementRequest
from paraphrast.meta.file_rows import read_rows
from paraphrast.meta.judgements import Judgements, Output
from paraphrast.meta.layouts import bawden_references
from paraphrast.render.markup import preformatted
from paraphrast.render.terminal.tables import align as columns
from paraphrast.studies.metric_comparison import (
    MetricComparison,
    compare_scores,
    ranked_together,
    show,
    show_p,
)

Extra = Mapping[tuple[str, str], Sequence[str]]
"""More references for (group, item)."""


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
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def _repr_html_(self) -> str:
        """Return the text in a block of its own, for notebooks."""
        return preformatted(str(self))

    def __str__(self) -> str:
        head = ["metric", "before", "after", "min", "mean", "max", "p", "improved", "degraded"]
        rows = [head]
        for gain in self.metrics:
            shares = gain.decisions.to_dict()
            gains = gain.gains()
            rows.append(
                [
                    gain.metric,
                    *map(show, (gain.comparison.values[1], gain.comparison.values[0])),
                    *map(show, (min(gains), float(np.mean(gains)), max(gains))),
                    show_p(gain.comparison.bootstrap),
                    *(_percent(shares[name]) for name in ("improved", "degraded")),
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


def measure_gain(
    judgements: Judgements,
    before: Sequence[Scores],
    after: Sequence[Scores],
    request: AgreementRequest,
) -> tuple[Gain, ...]:
    """Compare each metric's agreement without and with the extra references."""
    gains = []
    for old, new in zip(before, after, strict=True):
        pair = [replace(new, metric=f"{new.metric} + references"), old]
        blocks = ranked_together(judgements, pair, request)
        changed = [decisions(block, before=1, after=0) for block in blocks]
        gains.append(Gain(old.metric, compare_scores(judgements, pair, request), _total(changed)))
    return tuple(gains)


def rewarded_ngrams(outputs: Sequence[Output], extra: Extra) -> tuple[Coverage, ...]:
    """Count the n-grams of the outputs that the extra references newly match."""
    return tuple(
        coverage(
            [output.candidate for output in outputs],
            [output.references for output in outputs],
            [extra.get((output.group, output.item), ()) for output in outputs],
        )
    )


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


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
        more = [(row.name("group"), row.named("item"), row.texts("references")) for row in rows]
    else:
        found = bawden_references(path)
        notes = [*found.notes]
        more = [("", item, tuple(texts)) for item, texts in found.references.items()]
    known = {(output.group, output.item) for output in judgements.outputs}
    groups = sorted({group for group, _ in known})
    extra: dict[tuple[str, str], list[str]] = {}
    unused = 0
    for group, item, texts in more:
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
