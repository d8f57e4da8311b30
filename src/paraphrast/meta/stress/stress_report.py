"""What a stress test returns: each metric on each kind of pair, and at the edges."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from paraphrast import _version
from paraphrast.errors import InputError
from paraphrast.meta.stress.edge_results import (
    Decider,
    EdgeResult,
    edge_results,
    is_blind_to_case,
    likeness,
)
from paraphrast.meta.stress.separation import Separation, separations
from paraphrast.meta.stress.suite import REPORTING, stress_pairs, suite_fingerprint
from paraphrast.render.terminal.stress_tables import stress_notebook, stress_table
from paraphrast.types import Direction


@dataclass(frozen=True, slots=True)
class PairValues:
    """A metric's values of the pairs of the suite, and of the edge cases where it has them.

    `suite` is in the suite's order. `edges` maps the ids of edge cases to values, `errors` to what
    the metric said instead; both are empty where the edge cases were left out.
    """

    name: str
    suite: Sequence[float]
    better: Direction = "higher"
    signature: str = ""
    edges: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StressResult:
    """One metric on the reporting half.

    `threshold` is on the metric's own scale: a pair is called the same above it or, where lower
    values are better, below it; where those near 1 are, it is the distance from 1 within which.
    """

    metric: str
    signature: str
    better: Direction
    threshold: float
    overall: Separation
    kinds: tuple[Separation, ...]
    edges: tuple[EdgeResult, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "metric": self.metric,
            "better": self.better,
            "threshold": self.threshold,
            "overall": self.overall.to_dict(),
            "kinds": [one.to_dict() for one in self.kinds],
            "edges": [one.to_dict() for one in self.edges],
            "signature": self.signature,
        }

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for all pairs, for each kind, and for each row of the edge cases."""
        shared = {"threshold": self.threshold, "better": self.better, "signature": self.signature}
        for one in (self.overall, *self.kinds):
            yield {
                "metric": self.metric, "group": "suite", "row": one.kind, "pairs": one.pairs,
                "auc": one.auc, "auc_low": one.auc_interval[0], "auc_high": one.auc_interval[1],
                "accuracy": one.accuracy, "accuracy_low": one.accuracy_interval[0],
                "accuracy_high": one.accuracy_interval[1], "value": None, "moved": None,
                "kept": None, "error": "", **shared,
            }  # fmt: skip
        for edge in self.edges:
            yield {
                "metric": self.metric, "group": edge.group, "row": edge.row, "pairs": edge.pairs,
                "auc": None, "auc_low": None, "auc_high": None, "accuracy": edge.right,
                "accuracy_low": None, "accuracy_high": None, "value": edge.value,
                "moved": edge.moved, "kept": edge.kept, "error": edge.error, **shared,
            }  # fmt: skip


@dataclass(frozen=True, slots=True)
class StressReport:
    """All metrics on the stress suite, the most accurate first.

    `report["bleu"]` is a metric's result, and iterating gives all of them.
    """

    results: tuple[StressResult, ...]
    samples: int
    seed: int
    notes: tuple[str, ...] = ()
    command: str = ""

    def with_command(self, command: str) -> StressReport:
        """Return the report with the command that made it."""
        return replace(self, command=command)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "suite": suite_fingerprint(),
            "pairs": len(stress_pairs(REPORTING)),
            "samples": self.samples,
            "seed": self.seed,
            "metrics": [one.to_dict() for one in self.results],
            "notes": list(self.notes),
            "command": self.command,
            "version": _version.VERSION,
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat row for each metric and kind or edge, as TSV and CSV hold them."""
        return (row for one in self.results for row in one.rows())

    def __getitem__(self, metric: str) -> StressResult:
        for one in self.results:
            if one.metric == metric:
                return one
        raise KeyError(f"{metric!r} is not in this report: {[one.metric for one in self.results]}")

    def __iter__(self) -> Iterator[StressResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __str__(self) -> str:
        return stress_table(self.to_dict())

    def _repr_html_(self) -> str:
        """Return plain tables, for notebooks."""
        return stress_notebook(self.to_dict())


def stress_report(
    metrics: Sequence[PairValues], *, samples: int, seed: int, notes: Sequence[str] = ()
) -> StressReport:
    """Judge all metrics and put the most accurate first."""
    results = [stress_result(one, samples=samples, seed=seed) for one in metrics]
    results.sort(key=lambda one: (-one.overall.accuracy, -one.overall.auc))
    blind = [one.metric for one in results if is_blind_to_case(one.edges)]
    if blind:
        do = "does" if len(blind) == 1 else "do"
        text = (
            f"{', '.join(blind)} {do} not see case: “US” gets the value of “us”, so no threshold "
            "can tell them apart (uncased weights and lowercased texts never can)"
        )
        notes = (*notes, text)
    return StressReport(tuple(results), samples, seed, tuple(notes))


def stress_result(metric: PairValues, *, samples: int = 1000, seed: int = 0) -> StressResult:
    """Judge one metric; a value that is not a number is an InputError with its pair."""
    pairs = stress_pairs()
    alike = likeness(np.asarray(metric.suite, dtype=np.float64), metric.better)
    try:
        threshold, found = separations(alike.tolist(), pairs, samples=samples, seed=seed)
    except InputError as error:
        raise InputError(f"{metric.name}: {error}") from error
    reporting = np.array([pair.half == REPORTING for pair in pairs])
    decider = Decider(metric.better, threshold, float(alike[reporting].std()))
    edges: tuple[EdgeResult, ...] = ()
    if metric.edges or metric.errors:
        values = dict(zip((pair.id for pair in pairs), map(float, metric.suite), strict=True))
        finite = {name: v if math.isfinite(v) else math.nan for name, v in metric.edges.items()}
        edges = edge_results({**values, **finite}, metric.errors, decider)
    own = threshold if metric.better == "higher" else -threshold
    return StressResult(
        metric.name, metric.signature, metric.better, own, found[0], tuple(found[1:]), edges
    )
