"""Who gets which item: one place at a time, under a lease, safe among many annotators."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, func, select

from paraphrast.corpora.annotation.assignment_state import DONE, OPEN
from paraphrast.corpora.annotation.store import event_log as log
from paraphrast.corpora.annotation.store import schema
from paraphrast.corpora.annotation.store.ledger import Ledger
from paraphrast.corpora.annotation.store.records import (
    ItemRecord,
    ProjectRecord,
    item_record,
    suggestions,
)
from paraphrast.io.resume import digest

_EXPIRED_AT_ONCE = 200
_SHARES = 1 << 32


def seeded_share(*parts: object) -> float:
    """Return a number from 0 up to 1 that the parts alone determine."""
    return (int(digest([str(part) for part in parts]), 16) % _SHARES) / _SHARES


def claim(
    ledger: Ledger, connection: Connection, project: ProjectRecord, annotator: str
) -> str | None:
    """Return the item that an annotator works on next, and take its place for him.

    What he has open comes first; then training, then gold items in their turn, then work in its
    order. None if nothing is left for him.
    """
    opened = _opened(connection, annotator)
    if opened is not None:
        return opened
    for purpose in ("training", *_gold_turn(connection, project, annotator)):
        ident = _for_everybody(connection, purpose, annotator)
        if ident is not None:
            assign(ledger, connection, project, item_record(connection, ident), annotator)
            return ident
    expire(ledger, connection)
    ident = _free(connection, annotator) or _for_everybody(connection, "gold", annotator)
    if ident is not None:
        assign(ledger, connection, project, item_record(connection, ident), annotator)
    return ident


def expire(ledger: Ledger, connection: Connection) -> None:
    """Take back the places whose lease ran out; drafts stay in the log."""
    table = schema.assignment
    late = select(table.c.item, table.c.annotator).where(
        (table.c.state == OPEN) & (table.c.lease_until < ledger.clock())
    )
    for row in connection.execute(late.limit(_EXPIRED_AT_ONCE)).all():
        ledger.record(
            connection, log.EXPIRED, actor=row.annotator, item=row.item, subject=row.annotator
        )


def assign(
    ledger: Ledger,
    connection: Connection,
    project: ProjectRecord,
    item: ItemRecord,
    annotator: str,
    *,
    by: str | None = None,
) -> None:
    """Give an annotator the first free place of an item, with or without a suggestion."""
    settings = project.settings
    blind = seeded_share("blind", settings.seed, item.pair.id) < settings.blind
    shown = [] if blind or item.pair.purpose != "work" else suggestions(connection, item.pair.id)
    ledger.record(
        connection,
        log.ASSIGNED,
        actor=by or annotator,
        item=item.pair.id,
        subject=annotator,
        slot=first_free(connection, item.pair.id),
        revision=item.revision,
        lease_until=lease_end(ledger, project),
        guideline=project.guideline,
        blind=blind,
        suggested=_fitting(shown),
    )


def lease_end(ledger: Ledger, project: ProjectRecord) -> float:
    """Return until when an item stays with the annotator who has just worked on it."""
    return ledger.clock() + 60 * project.settings.lease_minutes


def _fitting(shown: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Join what several models suggest; of two that say the same part, the first by name counts."""
    if not shown:
        return None
    answer: dict[str, Any] = {}
    for one in shown:
        for part, value in one["answer"].items():
            if value and not answer.get(part):
                answer[part] = value
    return {"sources": {one["source"]: one["model"] for one in shown}, "answer": answer}


def _opened(connection: Connection, annotator: str) -> str | None:
    table = schema.assignment
    mine = (table.c.annotator == annotator) & (table.c.state == OPEN)
    query = select(table.c.item).where(mine).order_by(table.c.version)
    found: str | None = connection.execute(query.limit(1)).scalar()
    return found


def _gold_turn(connection: Connection, project: ProjectRecord, annotator: str) -> tuple[str, ...]:
    """Tell whether a gold item is due: one after every `gold_every` items of work."""
    done = _done(connection, annotator, "work")
    due = done // project.settings.gold_every
    return ("gold",) if due > _done(connection, annotator, "gold") else ()


def _done(connection: Connection, annotator: str, purpose: str) -> int:
    table, items = schema.assignment, schema.item
    mine = (table.c.annotator == annotator) & (table.c.state == DONE)
    query = select(func.count()).select_from(table).join(items, items.c.id == table.c.item)
    return int(connection.execute(query.where(mine & (items.c.purpose == purpose))).scalar_one())


def _for_everybody(connection: Connection, purpose: str, annotator: str) -> str | None:
    """Return the first training or gold item that the annotator has not had."""
    items = schema.item
    query = select(items.c.id).where((items.c.purpose == purpose) & ~_had(annotator))
    return _first(connection, query.order_by(items.c.rank, items.c.id))


def _free(connection: Connection, annotator: str) -> str | None:
    """Return the first item of work that has a place left, and that the annotator has not had."""
    items = schema.item
    open_places = (items.c.purpose == "work") & (items.c.taken < items.c.wanted)
    query = select(items.c.id).where(open_places & ~_had(annotator))
    return _first(connection, query.order_by(items.c.rank, items.c.id))


def _had(annotator: str) -> Any:
    """Build the condition that an item is with the annotator, answered or skipped by him."""
    table, items = schema.assignment, schema.item
    return (
        select(table.c.item)
        .where(
            (table.c.item == items.c.id)
            & (table.c.annotator == annotator)
            & table.c.state.not_in(("expired", "outdated"))
        )
        .exists()
    )


def _first(connection: Connection, query: Any) -> str | None:
    found: str | None = connection.execute(query.limit(1)).scalar()
    return found


def first_free(connection: Connection, item: str) -> int:
    """Return the number of an item's first free place."""
    table = schema.assignment
    query = select(table.c.slot).where((table.c.item == item) & table.c.slot.is_not(None))
    used = set(connection.execute(query).scalars())
    return next(slot for slot in range(1, len(used) + 2) if slot not in used)
