"""From events to tables: each event changes them once, and a rebuild makes them anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from paraphrast.corpora.annotation.assignment_state import DONE, assignment_state
from paraphrast.corpora.annotation.store import event_log as log
from paraphrast.corpora.annotation.store import schema
from paraphrast.corpora.annotation.store.event_log import LogEvent

Snapshot = dict[str, list[tuple[Any, ...]]]


def record(connection: Connection, event: LogEvent, *, keep_seq: bool = False) -> LogEvent:
    """Append an event to the log and bring the tables up to date, in one transaction."""
    recorded = log.append(connection, event, keep_seq=keep_seq)
    apply(connection, recorded)
    return recorded


def apply(connection: Connection, event: LogEvent) -> None:
    """Change the tables by what an event tells."""
    if event.kind in log.OF_ASSIGNMENT:
        _refold(connection, event)
    else:
        _APPLY[event.kind](connection, event)


def rebuild(connection: Connection) -> int:
    """Make all tables anew from the log, and return the number of events."""
    for table in schema.PROJECTIONS:
        connection.execute(delete(table))
    count = 0
    for event in log.events(connection):
        apply(connection, event)
        count += 1
    return count


def snapshot(connection: Connection) -> Snapshot:
    """Return the rows of every table that the log tells, in a fixed order."""
    return {
        table.name: [
            tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))
        ]
        for table in schema.PROJECTIONS
    }


def plain(value: object) -> str:
    """Return a JSON text that is the same for equal values."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True)


def _refold(connection: Connection, event: LogEvent) -> None:
    """Fold the events of an item and an annotator again, and count the item's slots."""
    upto = log.events(connection, item=event.item, subject=event.subject, upto=event.seq)
    state = assignment_state(one for one in upto if one.kind in log.OF_ASSIGNMENT)
    if state is None:
        return
    table, items = schema.assignment, schema.item
    mine = (table.c.item == state.item) & (table.c.annotator == state.annotator)
    connection.execute(delete(table).where(mine))
    connection.execute(
        insert(table).values(
            item=state.item,
            annotator=state.annotator,
            state=state.state,
            slot=state.slot,
            version=state.version,
            lease_until=state.lease_until,
            body=plain(asdict(state)),
        )
    )
    of_item = select(func.count()).where(table.c.item == state.item)
    taken = connection.execute(of_item.where(table.c.slot.is_not(None))).scalar_one()
    done = connection.execute(of_item.where(table.c.state == DONE)).scalar_one()
    wanted = connection.execute(select(items.c.wanted).where(items.c.id == state.item)).scalar_one()
    connection.execute(
        update(items)
        .where(items.c.id == state.item)
        .values(taken=taken, done=done, wanted=max(wanted, taken))
    )


def _project_made(connection: Connection, event: LogEvent) -> None:
    body = event.body
    connection.execute(
        insert(schema.project).values(
            id=body["id"], settings=plain(body["settings"]), guideline=0, guideline_text=""
        )
    )


def _settings_changed(connection: Connection, event: LogEvent) -> None:
    connection.execute(update(schema.project).values(settings=plain(event.body["settings"])))


def _guideline_changed(connection: Connection, event: LogEvent) -> None:
    body = event.body
    connection.execute(
        update(schema.project).values(guideline=body["version"], guideline_text=body["text"])
    )


def _account_made(connection: Connection, event: LogEvent) -> None:
    body = event.body
    connection.execute(
        insert(schema.account).values(
            name=body["name"], role=body["role"], is_open=True, made_at=event.at
        )
    )


def _account_changed(connection: Connection, event: LogEvent) -> None:
    body, table = event.body, schema.account
    values: dict[str, Any] = {"is_open": event.kind != log.ACCOUNT_CLOSED}
    if "role" in body:
        values["role"] = body["role"]
    connection.execute(update(table).where(table.c.name == body["name"]).values(values))


def _item_added(connection: Connection, event: LogEvent) -> None:
    body = event.body
    connection.execute(
        insert(schema.item).values(
            id=event.item,
            rank=body["rank"],
            purpose=body["pair"]["purpose"],
            revision=1,
            pair=plain(body["pair"]),
            wanted=body["wanted"],
            taken=0,
            done=0,
        )
    )


def _pair_changed(connection: Connection, event: LogEvent) -> None:
    table = schema.item
    connection.execute(
        update(table)
        .where(table.c.id == event.item)
        .values(revision=event.body["revision"], pair=plain(event.body["pair"]))
    )
    for other in (schema.suggestion, schema.decision):  # they spoke of the former texts
        connection.execute(delete(other).where(other.c.item == event.item))


def _ordered(connection: Connection, event: LogEvent) -> None:
    table = schema.item
    for rank, ident in enumerate(event.body["items"]):
        connection.execute(update(table).where(table.c.id == ident).values(rank=rank))


def _suggested(connection: Connection, event: LogEvent) -> None:
    table, source = schema.suggestion, event.body["source"]
    same = (table.c.item == event.item) & (table.c.source == source)
    connection.execute(delete(table).where(same))
    connection.execute(insert(table).values(item=event.item, source=source, body=plain(event.body)))


def _decided(connection: Connection, event: LogEvent) -> None:
    table = schema.decision
    _reopened(connection, event)
    body = {**event.body, "by": event.actor, "at": event.at}
    connection.execute(insert(table).values(item=event.item, version=event.seq, body=plain(body)))


def _reopened(connection: Connection, event: LogEvent) -> None:
    table = schema.decision
    connection.execute(delete(table).where(table.c.item == event.item))


_APPLY: dict[str, Callable[[Connection, LogEvent], None]] = {
    log.PROJECT_MADE: _project_made,
    log.SETTINGS_CHANGED: _settings_changed,
    log.GUIDELINE_CHANGED: _guideline_changed,
    log.ACCOUNT_MADE: _account_made,
    log.ROLE_CHANGED: _account_changed,
    log.ACCOUNT_CLOSED: _account_changed,
    log.ITEM_ADDED: _item_added,
    log.PAIR_CHANGED: _pair_changed,
    log.ORDERED: _ordered,
    log.SUGGESTED: _suggested,
    log.DECIDED: _decided,
    log.REOPENED: _reopened,
}
