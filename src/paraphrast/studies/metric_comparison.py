"""Two metrics side by side: which agrees better with people, and is the difference real."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paraphrast import stats
from paraphrast.errors import InputError
from paraphrast.meta.alignment import Aligned, Scores, align
from paraphrast.meta.evaluate import CORRELATIONS, AgreementRequest, draw, tabulate
from paraphrast.meta.judgements import Judgements
from paraphrast.meta.pairs import preference_exchange_p
from paraphrast.render.markup import preformatted
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
    """Two metrics on a task: means over groups, their difference and three tests of it.

    `bootstrap` and `permutation` are two-sided p-values of the difference of the means.
    """

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
        """Return values, difference, p-values and groups as plain values."""
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
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def _repr_html_(self) -> str:
        """Return the text in a block of its own, for notebooks."""
        return preformatted(str(self))

    def __str__(self) -> str:
        head = [["", *self.metrics, "difference", "Williams p"]]
        rows = [
            [v.group, *map(show, (v.first, v.second, v.first - v.second)), show_p(v.williams)]
            for v in self.by
            if v.group
        ]
        mean = ["mean" if rows else self.task, *map(show, (*self.values, self.difference))]
        williams = "" if rows else show_p(self.by[0].williams)
        return "\n".join(
            [
                f"{self.task}, {self.level} level, {self.statistic}",
                columns([*head, *rows, [*mean, williams]]),
                "",
                f"difference: bootstrap p = {show_p(self.bootstrap)}, "
                f"permutation p = {show_p(self.permutation)}",
                *(f"note: {note}" for note in self.notes),
            ]
        )


def show(value: float | None) -> str:
    """Return a value with three digits, or a dash for none."""
    return "–" if value is None else f"{value:.3f}"


def show_p(value: float | None) -> str:
    """Return a p-value with four digits, or a dash for none."""
    return "–" if value is None else f"{value:.4f}"


def compare_scores(
    judgements: Judgements, scores: Sequence[Scores], request: AgreementRequest
) -> MetricComparison:
    """Test the difference between two metrics' agreement with people."""
    draws, points = draw(judgements, scores, request)
    table = tabulate(scores, draws, points, request)
    rows = {row.metric: row for row in table.rows}
    one, two = (rows[score.metric] for score in scores)
    if one.value is None or two.value is None:
        raise InputError("; ".join(table.notes))
    apart = draws.resampled[:, 0] - draws.resampled[:, 1]
    p_value = stats.bootstrap_p(apart, one.value - two.value, items=draws.units)
    blocks = _blocks(judgements, scores, request)
    notes = [*table.notes]
    by = [
        Versus(
            group,
            one.by[group] or 0.0,
            two.by[group] or 0.0,
            _williams(blocks.get(group), request, notes),
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
        tuple(notes),
    )


def _blocks(
    judgements: Judgements, scores: Sequence[Scores], request: AgreementRequest
) -> dict[str, Aligned]:
    if request.level not in _LINEAR:
        return {}
    blocks, _ = align(judgements, request.dimension, scores, request.missing)
    return {block.group: block for block in blocks if np.ptp(block.human) > 0}


def _williams(block: Aligned | None, request: AgreementRequest, notes: list[str]) -> float | None:
    """Return Williams' two-sided p; it is about product-moment and rank correlations only.

    Where it is undefined there is a note, and the other tests stand.
    """
    if block is None or request.statistic not in ("pearson", "spearman") or len(block.human) < 4:
        return None
    try:
        return stats.williams(
            block.scores[0], block.scores[1], block.human, statistic=CORRELATIONS[request.statistic]
        ).p
    except stats.UndefinedTest as error:
        notes.append(f"{block.group}: {error}" if block.group else str(error))
        return None


def _permutation(
    judgements: Judgements, scores: Sequence[Scores], request: AgreementRequest
) -> float | None:
    """Return the p-value of exchanging the two metrics source by source; none for accuracies."""
    if request.level == "pairwise":
        return preference_exchange_p(
            judgements, scores, request.samples, request.seed, request.missing
        )
    if request.statistic not in CORRELATIONS:
        return None
    blocks = [
        block
        for block in ranked_together(judgements, scores, request)
        if np.ptp(block.human) > 0 and (np.ptp(block.scores, axis=1) > 0).all()
    ]
    return stats.permutation_p(
        [(block.scores[0], block.scores[1], block.human) for block in blocks],
        statistic=CORRELATIONS[request.statistic],
        samples=request.samples,
        seed=request.seed,
        clusters=[b.sources for b in blocks] if request.unit == "sources" else None,
    )


def ranked_together(
    judgements: Judgements, scores: Sequence[Scores], request: AgreementRequest
) -> list[Aligned]:
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
            sources = np.zeros(len(at), dtype=np.int64)
            found.append(Aligned(block.group, keys, block.human[at], block.scores[:, at], sources))
    return found
