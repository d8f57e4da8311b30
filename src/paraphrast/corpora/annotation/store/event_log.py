"""The log of events: what happened, when, by whom, about which item. It only grows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from paraphrast.corpora.annotation.store import schema
from paraphrast.errors import InputError

PROJECT_MADE, SETTINGS_CHANGED, GUIDELINE_CHANGED = (
    "project_made", "settings_changed", "guideline_changed",
)  # fmt: skip
ACCOUNT_MADE, ROLE_CHANGED, ACCOUNT_CLOSED = "account_made", "role_changed", "account_closed"
ITEM_ADDED, PAIR_CHANGED, ORDERED, SUGGESTED = "item_added", "pair_changed", "ordered", "suggested"
ASSIGNED, EXPIRED, OUTDATED = "assigned", "lease_expired", "outdated"
SAVED, SUBMITTED, SKIPPED, FLAGGED, COMMENTED, UNDONE = (
    "saved", "submitted", "skipped", "flagged", "commented", "undone",
)  # fmt: skip
FEEDBACK_SHOWN, OTHERS_SHOWN, CAME_LATE = "feedback_shown", "others_shown", "came_late"
DECIDED, REOPENED = "decided", "reopened"

OF_ASSIGNMENT = (
    ASSIGNED, EXPIRED, OUTDATED, SAVED, SUBMITTED, SKIPPED, FLAGGED, COMMENTED, UNDONE,
    FEEDBACK_SHOWN, OTHERS_SHOWN, CAME_LATE,
)  # fmt: skip
"""Events whose subject is an annotator, and whose item is one he was given."""
UNDOABLE = (SUBMITTED, SKIPPED, FLAGGED, COMMENTED)
KINDS = frozenset(
    (
        PROJECT_MADE, SETTINGS_CHANGED, GUIDELINE_CHANGED, ACCOUNT_MADE, ROLE_CHANGED,
        ACCOUNT_CLOSED, ITEM_ADDED, PAIR_CHANGED, ORDERED, SUGGESTED, DECIDED, REOPENED,
        *OF_ASSIGNMENT,
    )
)  # fmt: skip

_ITEM_LENGTH = 200
_BLOCK = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvent:
    """One thing that happened; `seq` numbers events in the order in which they were recorded."""

    kind: str
    at: float
    actor: str
    item: str | None = None
    subject: str | None = None
    body: Mapping[str, Any]
    seq: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "seq": self.seq,
            "kind": self.kind,
            "at": self.at,
            "time": iso_time(self.at),
            "actor": self.actor,
            "item": self.item,
            "subject": self.subject,
            "body": dict(self.body),
        }

    @classmethod
    def from_dict(cls, row: Mapping[str, Any], where: str) -> LogEvent:
        try:
            found = cls(
                kind=row["kind"],
                at=float(row["at"]),
                actor=str(row["actor"]),
                item=row.get("item"),
                subject=row.get("subject"),
                body=dict(row["body"]),
                seq=int(row["seq"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{where}: this is no event of a log ({error!r})") from error
        if found.kind not in KINDS:
            raise InputError(f"{where}: unknown kind of event {found.kind!r}")
        return found


def iso_time(at: float) -> str:
    """Return a moment as ISO 8601, in UTC."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def append(connection: Connection, event: LogEvent, *, keep_seq: bool = False) -> LogEvent:
    """Record an event and return it with its number."""
    row: dict[str, Any] = {
        "kind": event.kind,
        "at": event.at,
        "actor": event.actor,
        "item": event.item,
        "subject": event.subject,
        "body": json.dumps(event.body, ensure_ascii=False, allow_nan=False, sort_keys=True),
    }
    if keep_seq:
        row["seq"] = event.seq
    done = connection.execute(insert(schema.event).values(row))
    key = done.inserted_primary_key
    assert key is not None
    return LogEvent(**{**_fields(event), "seq": int(key[0])})


def events(
    connection: Connection,
    *,
    item: str | None = None,
    subject: str | None = None,
    actor: str | None = None,
    kinds: tuple[str, ...] = (),
    after: int = 0,
    upto: int | None = None,
    latest_first: bool = False,
) -> Iterator[LogEvent]:
    """Yield events in order, all or those of an item, a subject, an actor or kinds."""
    table = schema.event
    query = select(table).where(table.c.seq > after)
    for column, value in ((table.c.item, item), (table.c.subject, subject), (table.c.actor, actor)):
        if value is not None:
            query = query.where(column == value)
    if kinds:
        query = query.where(table.c.kind.in_(kinds))
    if upto is not None:
        query = query.where(table.c.seq <= upto)
    query = query.order_by(table.c.seq.desc() if latest_first else table.c.seq)
    result = connection.execute(query)
    while rows := result.fetchmany(_BLOCK):
        for row in rows:
            yield LogEvent(
                kind=row.kind,
                at=row.at,
                actor=row.actor,
                item=row.item,
                subject=row.subject,
                body=json.loads(row.body),
                seq=row.seq,
            )


def check_item_id(ident: str, where: str) -> str:
    """Refuse ids that the tables cannot hold."""
    if not ident.strip() or len(ident) > _ITEM_LENGTH:
        raise InputError(f"{where}: an id has 1 to {_ITEM_LENGTH} characters; got {ident!r:.60}")
    return ident


def _fields(event: LogEvent) -> dict[str, Any]:
    return {name: getattr(event, name) for name in event.__slots__}
