"""What a row of the quality table is made of, and what is handed to those who measure it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from paraphrast.meta.report import MetaReport
from paraphrast.studies.quality.intervals import Estimate

BASELINE = "baseline"  # stands for all that is no model of ours
Advance = Callable[[int], None]
Point = tuple[float, float, float | None, float | None]  # x, y, and the ends of its interval


@dataclass(frozen=True, slots=True)
class Line:
    """One figure of one system on one task, with its 95 % interval where there is one."""

    task: str
    figure: str
    system: str
    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, task: str, figure: str, system: str, found: Estimate) -> Line:
        """Return the line of an estimate."""
        return cls(task, figure, system, found.value, found.low, found.high)


@dataclass(frozen=True, slots=True)
class Findings:
    """The lines of a task for one system, and curves by name."""

    lines: tuple[Line, ...]
    curves: Mapping[str, Sequence[Point]] = field(default_factory=dict)


class EvaluateMetrics(Protocol):
    """Scores and correlates metrics on tasks of human judgement: `paraphrast.jobs.meta`'s."""

    def __call__(
        self,
        tasks: Sequence[str],
        metrics: Sequence[str],
        *,
        statistics: Sequence[str],
        progress: Advance | None,
    ) -> MetaReport:
        """Return the correlations of the metrics on the tasks."""
        ...


@dataclass(frozen=True, slots=True)
class Bench:
    """What measuring needs: how metrics are judged, and who is told of pairs that are done."""

    evaluate_metrics: EvaluateMetrics
    advance: Advance = lambda _done: None


Measure = Callable[[str, Bench], Findings]
"""Measures one system, a model by its name or BASELINE, on one task."""
