"""What a metric does at the edges: its values, its decisions, and how far context moves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from paraphrast.meta.stress.edge_cases import CASE, CHANGED, CONTEXT, EdgeCase, edge_rows
from paraphrast.types import Direction, Floats

_STILL = 1e-3  # standard deviations: what reading pairs in other batches may do to a value


@dataclass(frozen=True, slots=True)
class EdgeResult:
    """One metric on the pairs of one row; what is undefined is None.

    `same` is what is right, None where pairs of the row differ in that. `value` is the mean value.
    `right` is the share of pairs that the metric's threshold decides rightly. `moved` is the mean
    distance from the value of the pair that each is compared with, in standard deviations of the
    metric's values on the suite, and `kept` the share of decisions that stay. `error` says why a
    row has no values.
    """

    group: str
    row: str
    pairs: int
    same: bool | None
    value: float | None = None
    right: float | None = None
    moved: float | None = None
    kept: float | None = None
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Decider:
    """How a metric decides: the same above `threshold`, once higher is made to mean more alike.

    `spread` is the standard deviation of its values on the suite.
    """

    better: Direction
    threshold: float
    spread: float

    def same(self, values: Floats) -> Floats:
        """Return 1 for "the same", 0 for "not", and NaN, which equals neither, where undefined."""
        alike = likeness(values, self.better)
        return np.where(np.isnan(alike), np.nan, (alike > self.threshold).astype(np.float64))

    def apart(self, values: Floats, others: Floats) -> float | None:
        """Return the mean distance in standard deviations; None where there is neither."""
        distance = np.abs(likeness(values, self.better) - likeness(others, self.better))
        if not self.spread or np.isnan(distance).all():
            return None
        return float(np.nanmean(distance) / self.spread)


def likeness(values: Floats, better: Direction) -> Floats:
    """Turn values so that a higher one means more alike."""
    if better == "near 1":
        near: Floats = -np.abs(values - 1)
        return near
    return -values if better == "lower" else values


def edge_results(
    values: Mapping[str, float], errors: Mapping[str, str], decider: Decider
) -> tuple[EdgeResult, ...]:
    """Return a result for each row.

    `values` are those of the edge cases and of the suite by the ids of the pairs, NaN where
    undefined; `errors` holds what a metric said instead of a value.
    """
    found = []
    for (group, row), cases in edge_rows().items():
        labels = {case.same for case in cases}
        blank = EdgeResult(group, row, len(cases), labels.pop() if len(labels) == 1 else None)
        error = next((errors[case.id] for case in cases if case.id in errors), "")
        if not error and all(np.isnan(values[case.id]) for case in cases):
            error = "undefined"
        found.append(
            replace(blank, error=error) if error else _filled(blank, cases, values, decider)
        )
    return tuple(found)


def _filled(
    blank: EdgeResult, cases: Sequence[EdgeCase], values: Mapping[str, float], decider: Decider
) -> EdgeResult:
    mine = np.array([values[case.id] for case in cases])
    said, gold = decider.same(mine), np.array([float(case.same) for case in cases])
    moved = kept = None
    if all(case.base in values for case in cases):
        before = np.array([values[case.base] for case in cases])
        moved = decider.apart(mine, before)
        kept = float((said == decider.same(before)).mean()) if blank.group == CONTEXT else None
    value, right = float(np.nanmean(mine)), float((said == gold).mean())
    return replace(blank, value=value, right=right, moved=moved, kept=kept)


def is_blind_to_case(results: Sequence[EdgeResult]) -> bool:
    """Tell whether no value moved where only the case of letters tells two meanings apart."""
    return any(
        one.group == CASE and one.row == CHANGED and one.moved is not None and one.moved < _STILL
        for one in results
    )
