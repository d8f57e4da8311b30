"""Values that cross layers: what readers give, what scoring returns. Frozen; stdlib and numpy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import MissingExtra

if TYPE_CHECKING:
    import pandas
    import pyarrow

Floats = NDArray[np.float64]
Direction = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive segments as plain lists: what readers give and workers take.

    `candidates` and `trees` hold, per system, the texts of each segment: one, or a set.
    """

    start: int
    candidates: dict[str, list[list[str]]]
    references: list[list[str]] | None = None
    sources: list[str] | None = None
    trees: dict[str, list[list[str]]] | None = None

    def __len__(self) -> int:
        return len(next(iter(self.candidates.values())))


@dataclass(frozen=True, slots=True)
class Score:
    """One metric's corpus value with all that is needed to read and compare it."""

    metric: str
    score: float
    signature: str
    better: Direction
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

    def __getitem__(self, metric: str) -> Score:
        for score in self.scores:
            if score.metric == metric:
                return score
        raise KeyError(f"{metric!r} is not in this report: {[s.metric for s in self.scores]}")

    def to_dict(self) -> dict[str, Any]:
        scores = [score.to_dict() for score in self.scores]
        return {"segments": self.segments, "scores": scores, "notes": list(self.notes)}

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
        from paraphrast.render.tables import report_table

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

    def __getitem__(self, system: str) -> Report:
        return self.systems[system]

    def to_dict(self) -> dict[str, Any]:
        result: dict[str, Any] = {
            "systems": {name: report.to_dict() for name, report in self.systems.items()}
        }
        if self.tests:
            result["test"] = self.method
            result["tests"] = [test.to_dict() for test in self.tests]
        return result

    def to_json(self, *, indent: int | None = 2) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    def __str__(self) -> str:
        from paraphrast.render.tables import report_table

        return report_table(self.systems, self.tests)
