"""The whole log as JSONL: a line an event. A project made from it is the same, event by event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from paraphrast.corpora.annotation.store.event_log import LogEvent
from paraphrast.errors import InputError
from paraphrast.meta.file_rows import read_rows


def log_rows(events: Iterable[LogEvent]) -> Iterator[dict[str, Any]]:
    """Yield each event as a row. No password and no session is among them."""
    return (event.to_dict() for event in events)


def read_log(path: str, notes: list[str]) -> list[LogEvent]:
    """Read a log; its numbers must rise."""
    found: list[LogEvent] = []
    for row in read_rows(path, notes):
        event = LogEvent.from_dict(row.cells, row.where)
        if found and event.seq <= found[-1].seq:
            raise InputError(f"{row.where}: event {event.seq} comes after {found[-1].seq}")
        found.append(event)
    return found
