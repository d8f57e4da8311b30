"""What a meta-evaluation returns: rows per metric, tables per statistic, one report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from paraphrast import _version
from paraphrast.render.terminal.meta_tables import meta_notebook

Points = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """One metric on one task and statistic; None where the statistic is undefined.

    The sign is that of "higher is better": where lower scores are better, as `negated` says, they
    were negated. `cluster` counts from 1; metrics of one cluster do not differ significantly from
    its best.
    """

    metric: str
    signature: str
    statistic: str
    value: float | None
    by: Mapping[str, float | None]
    ci: tuple[float, float] | None = None
    cluster: int | None = None
    published: float | None = None
    negated: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "statistic": self.statistic,
            "value": self.value,
            "by": dict(self.by),
            "ci": list(self.ci) if self.ci else None,
            "cluster": self.cluster,
            "published": self.published,
            "negated": self.negated,
            "signature": self.signature,
        }


@dataclass(frozen=True, slots=True)
class Table:
    """All metrics on one task and statistic, best first, with Holm-corrected pairwise p-values.

    Intervals resample `units` units of the kind named by `unit`: sources, outputs, systems,
    documents or items. `items_by` are the items of each group, `items` those of all.
    """

    task: str
    title: str
    level: str
    statistic: str
    groups: tuple[str, ...]
    items: int
    rows: tuple[AgreementRow, ...]
    p_metrics: tuple[str, ...] = ()
    p_matrix: tuple[tuple[float | None, ...], ...] = ()
    points: Mapping[str, Points] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    units: int = 0
    unit: str = ""
    items_by: Mapping[str, int] = field(default_factory=dict)

    def p_values(self) -> dict[str, Any] | None:
        """Return the metrics in the order of the table and their matrix of p; None for one."""
        pairs = {"metrics": list(self.p_metrics), "matrix": [list(r) for r in self.p_matrix]}
        return pairs if self.p_metrics else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "title": self.title,
            "level": self.level,
            "statistic": self.statistic,
            "groups": list(self.groups),
            "items": self.items,
            "items_by": dict(self.items_by),
            "rows": [row.to_dict() for row in self.rows],
            "units": self.units,
            "unit": self.unit,
            "p": self.p_values(),
            "points": dict(self.points),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class MetaReport:
    """Tables of one or several tasks."""

    title: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    command: str = ""

    def with_command(self, command: str) -> MetaReport:
        """Return the report with the command that made it."""
        return replace(self, command=command)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, as the renderers take it."""
        return {
            "title": self.title,
            "command": self.command,
            "version": _version.VERSION,
            "notes": list(self.notes),
            "tables": [table.to_dict() for table in self.tables],
        }

    def summary(self) -> dict[str, Any]:
        """Return `{"task", "level", "rows", "p", …}`, or a list of such under "tasks" for several.

        "p" holds the Holm-corrected p-values of all pairs of metrics, by statistic.
        """
        tasks: dict[str, dict[str, Any]] = {}
        for table in self.tables:
            empty = {"task": table.task, "level": table.level, "rows": [], "p": {}, "notes": []}
            known = tasks.setdefault(table.task, empty)
            known["p"][table.statistic] = table.p_values()
            known["rows"] += [row.to_dict() for row in table.rows]
            known["notes"] += [note for note in table.notes if note not in known["notes"]]
        single = next(iter(tasks.values()))
        return single if len(tasks) == 1 else {"tasks": list(tasks.values())}

    def to_json(self, *, indent: int | None = 2) -> str:
        return json.dumps(self.summary(), ensure_ascii=False, indent=indent, allow_nan=False)

    def _repr_html_(self) -> str:
        """Return plain tables, for notebooks."""
        return meta_notebook(self.to_dict())

    def __iter__(self) -> Iterator[AgreementRow]:
        """Yield the rows of all tables."""
        return (row for table in self.tables for row in table.rows)

    def __getitem__(self, place: tuple[str, str]) -> AgreementRow:
        """Return the row of (metric, statistic); the first task that has it."""
        for table in self.tables:
            for row in table.rows:
                if (row.metric, row.statistic) == place:
                    return row
        raise KeyError(place)
