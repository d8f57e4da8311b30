"""A store that is open: its database, its clock, and the way to record an event."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from paraphrast.corpora.annotation.store.database import Database
from paraphrast.corpora.annotation.store.event_log import LogEvent
from paraphrast.corpora.annotation.store.projections import record


@dataclass(frozen=True, slots=True)
class Ledger:
    """What all doors of a project share; `clock` gives seconds since 1970."""

    database: Database
    clock: Callable[[], float] = time.time

    def record(
        self,
        connection: Connection,
        kind: str,
        *,
        actor: str,
        item: str | None = None,
        subject: str | None = None,
        **body: Any,
    ) -> LogEvent:
        """Record that something happened now."""
        event = LogEvent(
            kind=kind, at=self.clock(), actor=actor, item=item, subject=subject, body=body
        )
        return record(connection, event)
