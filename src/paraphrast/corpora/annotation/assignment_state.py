"""What an annotator did with one item, told from the events about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from paraphrast.corpora.annotation.store import event_log as log
from paraphrast.corpora.annotation.store.event_log import LogEvent

OPEN, DONE, SKIPPED, EXPIRED, OUTDATED = STATES = (
    "open", "done", "skipped", "expired", "outdated",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentState:
    """An item in an annotator's hands.

    `answer` is as it was recorded, a draft while the state is open. `suggested` is what the
    annotator was shown, with its source; None if nothing was there or the item came blind.
    `locked` says why the answer may not change any more. `version` is the number of the last event
    other than the end of a lease.
    """

    item: str
    annotator: str
    state: str
    slot: int | None
    version: int
    lease_until: float
    revision: int
    opened_at: float
    answer: dict[str, Any] | None = None
    seconds: float | None = None
    submitted_at: float | None = None
    submitted: int | None = None
    guideline: int | None = None
    blind: bool = False
    suggested: dict[str, Any] | None = None
    flag: str | None = None
    comments: tuple[str, ...] = field(default=())
    locked: str | None = None
    via: str | None = None

    @property
    def holds_slot(self) -> bool:
        return self.state in (OPEN, DONE)


def assignment_state(events: Iterable[LogEvent]) -> AssignmentState | None:
    """Fold the events of one item and one annotator; what was undone counts for nothing."""
    listed = list(events)
    undone = {event.body["of"] for event in listed if event.kind == log.UNDONE}
    state: AssignmentState | None = None
    for event in listed:
        if event.kind == log.ASSIGNED:
            state = _assigned(event, state)
        elif state is not None and event.seq not in undone:
            state = _changed(state, event)
    if state is None:
        return None
    version = max(event.seq for event in listed if event.kind != log.EXPIRED)
    return replace(state, version=version, slot=state.slot if state.holds_slot else None)


def _assigned(event: LogEvent, former: AssignmentState | None) -> AssignmentState:
    """Begin anew, or go on with the draft of the time before if the texts are the same."""
    body = event.body
    made = _fresh(event)
    if former is None:
        return made
    made = replace(made, flag=former.flag, comments=former.comments)
    if former.revision != body["revision"]:
        return made
    return replace(made, answer=former.answer, seconds=former.seconds, opened_at=former.opened_at)


def _fresh(event: LogEvent) -> AssignmentState:
    body = event.body
    return AssignmentState(
        item=event.item or "",
        annotator=event.subject or "",
        state=OPEN,
        slot=body["slot"],
        version=event.seq,
        lease_until=body["lease_until"],
        revision=body["revision"],
        opened_at=event.at,
        blind=body["blind"],
        suggested=body.get("suggested"),
        guideline=body["guideline"],
    )


def _changed(state: AssignmentState, event: LogEvent) -> AssignmentState:
    body = event.body
    if event.kind in (log.SAVED, log.SUBMITTED):
        return _answered(state, event)
    if event.kind == log.UNDONE:
        return replace(state, lease_until=body["lease_until"], slot=body["slot"])
    if event.kind == log.FLAGGED:
        return replace(state, flag=body["reason"] or None)
    if event.kind == log.COMMENTED:
        return replace(state, comments=(*state.comments, body["text"]))
    if event.kind == log.FEEDBACK_SHOWN:
        return replace(state, locked="the right answer was shown after it")
    if event.kind == log.OTHERS_SHOWN and state.state == DONE:
        return replace(state, locked="its author has seen what others answered")
    ends = {log.SKIPPED: SKIPPED, log.EXPIRED: EXPIRED, log.OUTDATED: OUTDATED}
    return replace(state, state=ends[event.kind]) if event.kind in ends else state


def _answered(state: AssignmentState, event: LogEvent) -> AssignmentState:
    body = event.body
    found = replace(
        state,
        answer=body["answer"],
        seconds=body["seconds"],
        guideline=body["guideline"],
        lease_until=body["lease_until"],
    )
    if event.kind == log.SAVED:
        return found
    return replace(
        found, state=DONE, submitted_at=event.at, submitted=event.seq, via=body.get("via")
    )
