"""What scoring returns: scores, reports, comparisons. They print as tables and export."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from paraphrast.errors import MissingExtra
from paraphrast.render.terminal.tables import align
from paraphrast.types import Direction, Floats

if TYPE_CHECKING:
    import pandas
    import pyarrow

_ARROWS = {"higher": "↑", "lower": "↓", "near 1": "→ 1"}


@dataclass(frozen=True, slots=True)
class Score:
    """One metric's corpus value with all that is needed to read and compare it."""

    metric: str
    score: float
    signature: str
    better: Direction
    digits: int = 4  # after the point, when printed in a table
    ci: tuple[float, float] | None = None
    parts: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "score": self.score,
            "ci": list(self.ci) if self.ci else None,
            "parts": dict(self.parts),
            "better": self.better,
            "signature": self.signature,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The scores of one system: corpus values, segment values, notes on the input.

    `segment_values` maps a metric, or `metric.part`, to one value per segment; it is empty when
    segment values were not kept.
    """

    segments: int
    scores: tuple[Score, ...]
    segment_values: Mapping[str, Floats] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    intervals: str = ""  # how the confidence intervals were made

    def __getitem__(self, metric: str) -> Score:
        for score in self.scores:
            if score.metric == metric:
                return score
        raise KeyError(f"{metric!r} is not in this report: {[s.metric for s in self.scores]}")

    def values_of(self, number: int, part: str = "") -> Floats:
        """Return the segment values of the score at that place, or of one of its parts."""
        name = self.scores[number].metric
        return self.segment_values[f"{name}.{part}" if part else name]

    def to_dict(self) -> dict[str, Any]:
        scores = [score.to_dict() for score in self.scores]
        result = {"segments": self.segments, "scores": scores, "notes": list(self.notes)}
        return result | {"intervals": self.intervals} if self.intervals else result

    def to_json(self, *, indent: int | None = 2) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    def to_arrow(self) -> pyarrow.Table:
        """Return the segment table, with a column `segment` that counts from 1."""
        try:
            import pyarrow
        except ImportError as error:
            raise MissingExtra("parquet", "pyarrow") from error
        return pyarrow.table(self._columns())

    def to_pandas(self) -> pandas.DataFrame:
        """Return the segment table as a data frame."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtra("pandas", "pandas") from error
        return pandas.DataFrame(self._columns())

    def _columns(self) -> dict[str, Any]:
        return {"segment": np.arange(1, self.segments + 1), **self.segment_values}

    def __str__(self) -> str:
        return report_table({"": self})


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A system against the baseline on one metric; `p` is two-sided and `p_holm` corrected."""

    system: str
    baseline: str
    metric: str
    difference: float
    p: float
    p_holm: float
    significant: bool

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several systems on the same segments, and paired tests where they were asked for."""

    systems: Mapping[str, Report]
    tests: tuple[PairedTest, ...] = ()
    method: str = ""
    notes: tuple[str, ...] = ()  # on the input that the systems share

    def __getitem__(self, system: str) -> Report:
        return self.systems[system]

    def to_dict(self) -> dict[str, Any]:
        result: dict[str, Any] = {
            "systems": {name: report.to_dict() for name, report in self.systems.items()}
        }
        if self.notes:
            result["notes"] = list(self.notes)
        if self.tests:
            result["test"] = self.method
            result["tests"] = [test.to_dict() for test in self.tests]
        return result

    def to_json(self, *, indent: int | None = 2) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    def __str__(self) -> str:
        return report_table(self.systems, self.tests, method=self.method, notes=self.notes)


def report_table(
    reports: Mapping[str, Report],
    tests: Sequence[PairedTest] = (),
    *,
    method: str = "",
    digits: int | None = None,
    notes: Sequence[str] | None = (),
) -> str:
    """Return a table with a row per metric and a column per system, then notes and signatures.

    `notes` are those of the whole run, printed before the systems' own; None prints none at all.
    """
    first = next(iter(reports.values()))
    marks = {(test.system, number): test for number, test in _numbered(tests)}
    header = ["", *(name or "score" for name in reports)]
    rows = [header]
    for number, score in enumerate(first.scores):
        cells = [
            _cell(report.scores[number], marks.get((name, number)), digits)
            for name, report in reports.items()
        ]
        rows.append([f"{score.metric} {_ARROWS[score.better]}", *cells])
    parts = [align(rows)]
    parts.append("")
    if tests:
        parts.append(f"* differs significantly from {tests[0].baseline!r}: {method}")
    parts.append(f"{first.segments} segment{'s' * (first.segments != 1)}")
    if notes is not None:
        parts.extend(f"note: {note}" for note in notes)
        parts.extend(_notes(reports))
    parts.extend(score.signature for score in first.scores)
    return "\n".join(parts)


def _numbered(tests: Sequence[PairedTest]) -> list[tuple[int, PairedTest]]:
    """Number each system's tests: they follow the order of the metrics."""
    seen: dict[str, int] = {}
    numbered = []
    for test in tests:
        number = seen.get(test.system, 0)
        seen[test.system] = number + 1
        numbered.append((number, test))
    return numbered


def _cell(score: Score, test: PairedTest | None, digits: int | None) -> str:
    places = score.digits if digits is None else digits
    text = f"{score.score:.{places}f}"
    if score.ci:
        text += f" [{score.ci[0]:.{places}f}, {score.ci[1]:.{places}f}]"
    return f"{text}{'*' if test.significant else ' '}" if test else text


def _notes(reports: Mapping[str, Report]) -> list[str]:
    notes: dict[str, None] = {}
    for name, report in reports.items():
        for note in report.notes:
            notes.setdefault(f"note: {name + ': ' if name else ''}{note}")
    return list(notes)
