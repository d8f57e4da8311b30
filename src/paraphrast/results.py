"""What scoring returns: scores, reports, comparisons. They print as tables and export."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from paraphrast.errors import MissingExtra
from paraphrast.render.score_table import ScoreTable
from paraphrast.types import Direction, Floats

if TYPE_CHECKING:
    import pandas
    import pyarrow

_TESTED = ("system", "baseline", "metric")
_TEST_COLUMNS = ("difference", "p", "p_holm", "significant")
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


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """The scores of one system: corpus values, segment values, notes on the input.

    `segment_values` maps a metric, or `metric.part`, to one value per segment; it is empty when
    segment values were not kept. `report["bleu"]` is a score, `"bleu" in report` tells whether
    there is one, and iterating gives all of them. Reports are equal if all of this is.
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
        parts = [score for score in self.scores if score.metric.partition(".")[0] == metric]
        if len(parts) == 1:  # "paratag" finds paratag.P, as it did when a part had no name
            return parts[0]
        raise KeyError(f"{metric!r} is not in this report: {[s.metric for s in self.scores]}")

    def __contains__(self, metric: object) -> bool:
        return any(score.metric == metric for score in self.scores)

    def __iter__(self) -> Iterator[Score]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Report):
            return NotImplemented
        mine, theirs = self.segment_values, other.segment_values
        return (
            self._facts() == other._facts()
            and list(mine) == list(theirs)
            and all(np.array_equal(mine[k], theirs[k], equal_nan=True) for k in mine)
        )

    def __hash__(self) -> int:
        return hash((self.segments, tuple(score.signature for score in self.scores)))

    def _facts(self) -> tuple[object, ...]:
        return self.segments, self.scores, self.notes, self.intervals

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

    def table(self, *, digits: int | None = None, notes: bool = True) -> ScoreTable:
        """Return what is printed: text, Markdown, LaTeX and HTML are made from it."""
        return Comparison({"": self}).table(digits=digits, notes=notes)

    def to_markdown(self) -> str:
        return self.table().markdown()

    def to_latex(self) -> str:
        return self.table().latex()

    def __str__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return self.table().html()


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
    """Several systems on the same segments, and paired tests where they were asked for.

    `comparison["a"]` is a system's report, `"a" in comparison` tells whether there is one, and
    iterating gives the names of the systems.
    """

    systems: Mapping[str, Report]
    tests: tuple[PairedTest, ...] = ()
    method: str = ""
    notes: tuple[str, ...] = ()  # on the input that the systems share

    def __getitem__(self, system: str) -> Report:
        if system not in self.systems:
            raise KeyError(f"{system!r} is not one of the systems: {list(self.systems)}")
        return self.systems[system]

    def __contains__(self, system: object) -> bool:
        return system in self.systems

    def __iter__(self) -> Iterator[str]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def all_pairs(self) -> bool:
        """Whether the tests are between all pairs of three or more systems."""
        return len({test.baseline for test in self.tests}) > 1

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each system and metric: score, interval and test against the baseline.

        Where all pairs were tested a system has several tests, which `pair_rows` gives instead.
        """
        marks = {} if self.all_pairs else _by_system(self.tests)
        for name, report in self.systems.items():
            for number, score in enumerate(report.scores):
                low, high = score.ci or (None, None)
                row: dict[str, Any] = {"system": name, "metric": score.metric}
                row |= {"score": score.score, "ci_low": low, "ci_high": high}
                if self.tests and not self.all_pairs:
                    test = marks[name][number] if name in marks else None
                    row |= {key: getattr(test, key, None) for key in _TEST_COLUMNS}
                yield row | {"segments": report.segments, "signature": score.signature}

    def pair_rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each test: the scores of both systems, then what the test found."""
        for number, test in enumerate(self.tests):
            row: dict[str, Any] = {key: getattr(test, key) for key in _TESTED}
            for prefix, system in (("", test.system), ("baseline_", test.baseline)):
                report = self.systems[system]
                score = report.scores[number % len(report.scores)]
                low, high = score.ci or (None, None)
                row |= {f"{prefix}score": score.score}
                row |= {f"{prefix}ci_low": low, f"{prefix}ci_high": high}
            row |= {key: getattr(test, key) for key in _TEST_COLUMNS}
            yield row | {"segments": report.segments, "signature": score.signature}

    def segment_rows(self) -> Iterator[dict[str, object]]:
        """Yield a row for each segment of each system: the value of each metric."""
        several = len(self.systems) > 1
        for name, report in self.systems.items():
            columns = {key: values.tolist() for key, values in report.segment_values.items()}
            for index in range(report.segments):
                row: dict[str, object] = {"system": name} if several else {}
                row["segment"] = index + 1
                yield row | {key: values[index] for key, values in columns.items()}

    def to_pandas(self) -> pandas.DataFrame:
        """Return the scores as a data frame, with a row for each system and metric."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtra("pandas", "pandas") from error
        return pandas.DataFrame(list(self.rows()))

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

    def table(self, *, digits: int | None = None, notes: bool = True) -> ScoreTable:
        """Return what is printed: text, Markdown, LaTeX and HTML are made from it.

        `digits` are those after the point; None takes each metric's own. `notes` keeps the notes.
        """
        first = next(iter(self.systems.values()))
        tests = self.tests
        legend = f"* differs significantly from {tests[0].baseline!r}: " if tests else ""
        legend = "* differs significantly: " if self.all_pairs else legend
        return ScoreTable(
            scores=_score_grid(self.systems, () if self.all_pairs else tests, digits),
            pairs=_pair_grid(first, tests, digits) if self.all_pairs else (),
            legend=legend + self.method if tests else "",
            segments=first.segments,
            notes=[*self.notes, *_notes(self.systems)] if notes else [],
            signatures=[score.signature for score in first.scores],
        )

    def to_markdown(self) -> str:
        return self.table().markdown()

    def to_latex(self) -> str:
        return self.table().latex()

    def __str__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return self.table().html()


def _score_grid(
    reports: Mapping[str, Report], tests: Sequence[PairedTest], digits: int | None
) -> list[list[str]]:
    """Return a row per metric and a column per system; a test against the baseline marks a cell."""
    first = next(iter(reports.values()))
    marks = _by_system(tests)
    rows = [["", *(name or "score" for name in reports)]]
    for number, score in enumerate(first.scores):
        cells = [
            _cell(report.scores[number], marks[name][number] if name in marks else None, digits)
            for name, report in reports.items()
        ]
        rows.append([f"{score.metric} {_ARROWS[score.better]}", *cells])
    return rows


def _pair_grid(first: Report, tests: Sequence[PairedTest], digits: int | None) -> list[list[str]]:
    """Return a row per pair of systems and a column per metric: difference and corrected p."""
    rows = [["", *(score.metric for score in first.scores)]]
    width = len(first.scores)
    for at in range(0, len(tests), width):
        cells = []
        for score, test in zip(first.scores, tests[at : at + width], strict=True):
            places = score.digits if digits is None else digits
            mark = "*" if test.significant else " "
            cells.append(f"{test.difference:+.{places}f} (p {test.p_holm:.4f}){mark}")
        rows.append([f"{tests[at].system} − {tests[at].baseline}", *cells])
    return rows


def _by_system(tests: Sequence[PairedTest]) -> dict[str, list[PairedTest]]:
    """Return each system's tests, which follow the order of the metrics."""
    found: dict[str, list[PairedTest]] = {}
    for test in tests:
        found.setdefault(test.system, []).append(test)
    return found


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
            notes.setdefault(f"{name + ': ' if name else ''}{note}")
    return list(notes)
