"""Rows of the tables as dataclasses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from paraphrast.corpora.annotation.assignment_state import AssignmentState
from paraphrast.corpora.annotation.pair_item import PairItem
from paraphrast.corpora.annotation.project_settings import ProjectSettings
from paraphrast.corpora.annotation.refusals import NotAllowed, StoreUnavailable
from paraphrast.corpora.annotation.store import schema


@dataclass(frozen=True, slots=True)
class ProjectRecord:
    """A project's identity, its rules and its guidelines as they are now."""

    id: str
    settings: ProjectSettings
    guideline: int
    guideline_text: str


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """A pair and how far it is: `wanted` annotators, `filled` places, `done` answers."""

    pair: PairItem
    rank: int
    revision: int
    wanted: int
    filled: int
    done: int

    @property
    def is_complete(self) -> bool:
        return self.done >= self.wanted


@dataclass(frozen=True, slots=True)
class Decision:
    """The last word on an item; `by` is empty where annotators agreed and nobody had to decide.

    `method` is "agreed", "drawn" (ParaTag §4.2: one of two that are close enough) or "decided".
    """

    item: str
    version: int
    answer: dict[str, Any]
    method: str
    note: str
    by: str
    at: float
    adopted: dict[str, Any]


def project_record(connection: Connection) -> ProjectRecord:
    """Return the project that the store holds."""
    row = connection.execute(select(schema.project)).first()
    if row is None:
        raise StoreUnavailable("the store holds no project; run: paraphrast annotate init")
    settings = ProjectSettings.from_dict(json.loads(row.settings))
    return ProjectRecord(row.id, settings, row.guideline, row.guideline_text)


def item_record(connection: Connection, ident: str) -> ItemRecord:
    """Return an item that must be there."""
    row = connection.execute(select(schema.item).where(schema.item.c.id == ident)).first()
    if row is None:
        raise NotAllowed(f"there is no item {ident!r} in this project")
    return _item(row)


def item_records(connection: Connection) -> list[ItemRecord]:
    """Return all items in their order."""
    table = schema.item
    rows = connection.execute(select(table).order_by(table.c.rank, table.c.id))
    return [_item(row) for row in rows]


def assignment_record(connection: Connection, item: str, annotator: str) -> AssignmentState | None:
    """Return what an annotator did with an item, None if it was never given to him."""
    table = schema.assignment
    mine = (table.c.item == item) & (table.c.annotator == annotator)
    row = connection.execute(select(table.c.body).where(mine)).first()
    return None if row is None else assignment_from(row.body)


def assignment_records(connection: Connection, **columns: Any) -> Iterator[AssignmentState]:
    """Yield assignments, all or those whose columns have the values given."""
    table = schema.assignment
    query = select(table.c.body).order_by(table.c.item, table.c.annotator)
    for name, value in columns.items():
        query = query.where(table.c[name] == value)
    for row in connection.execute(query):
        yield assignment_from(row.body)


def assignment_from(body: str) -> AssignmentState:
    """Read an assignment that `asdict` wrote."""
    found = json.loads(body)
    return AssignmentState(**{**found, "comments": tuple(found["comments"])})


def suggestions(connection: Connection, item: str) -> list[dict[str, Any]]:
    """Return what models suggest for an item, by source."""
    table = schema.suggestion
    rows = connection.execute(
        select(table.c.body).where(table.c.item == item).order_by(table.c.source)
    )
    return [json.loads(row.body) for row in rows]


def all_suggestions(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    """Return what models suggest for each item."""
    table = schema.suggestion
    found: dict[str, list[dict[str, Any]]] = {}
    for row in connection.execute(select(table).order_by(table.c.item, table.c.source)):
        found.setdefault(row.item, []).append(json.loads(row.body))
    return found


def decisions(connection: Connection, item: str | None = None) -> dict[str, Decision]:
    """Return the decisions by item: all, or that of one item."""
    query = select(schema.decision)
    if item is not None:
        query = query.where(schema.decision.c.item == item)
    return {row.item: _decision(row) for row in connection.execute(query)}


def _item(row: Row[Any]) -> ItemRecord:
    pair = PairItem.from_dict(json.loads(row.pair))
    return ItemRecord(pair, row.rank, row.revision, row.wanted, row.taken, row.done)


def _decision(row: Row[Any]) -> Decision:
    body = json.loads(row.body)
    return Decision(
        item=row.item,
        version=row.version,
        answer=body["answer"],
        method=body["method"],
        note=body["note"],
        by=body["by"],
        at=body["at"],
        adopted=body.get("adopted", {}),
    )
