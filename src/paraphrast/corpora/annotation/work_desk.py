"""The door of annotators: the next item, saving, submitting, skipping, undoing.

An annotator sees nobody else's answer before his own is in, and his own is locked from then on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, func, select

from paraphrast.corpora.annotation.assignment import assign, claim, first_free, lease_end
from paraphrast.corpora.annotation.assignment_state import (
    DONE,
    EXPIRED,
    OPEN,
    OUTDATED,
    SKIPPED,
    AssignmentState,
)
from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem
from paraphrast.corpora.annotation.refusals import (
    AnnotationRefused,
    AnswerLocked,
    BadAnswer,
    GuidelineChanged,
    LeaseLost,
    NotAllowed,
    PairChanged,
    StaleAnswer,
)
from paraphrast.corpora.annotation.store import event_log as log
from paraphrast.corpora.annotation.store import schema
from paraphrast.corpora.annotation.store.accounts import check_worker
from paraphrast.corpora.annotation.store.event_log import LogEvent
from paraphrast.corpora.annotation.store.ledger import Ledger
from paraphrast.corpora.annotation.store.records import (
    ItemRecord,
    ProjectRecord,
    assignment_record,
    assignment_records,
    decisions,
    item_record,
    project_record,
)

_LONGEST_SECONDS = 24 * 3600.0
_LONGEST_TEXT = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What is told after a training item, and after a gold one if the project says so."""

    right: bool
    answer: PairAnswer
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """An item as its annotator sees it: the pair, his own answer, and the version he sees.

    A gold item looks like any other. `feedback` is there once it was shown.
    """

    pair: PairItem
    state: str
    version: int
    revision: int
    guideline: int
    answer: PairAnswer | None
    suggested: PairAnswer | None
    sources: tuple[str, ...]
    lease_until: float
    flag: str | None
    comments: tuple[str, ...]
    locked: str | None
    feedback: Feedback | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnProgress:
    """How far an annotator is, and how much work is left for him."""

    done: int
    skipped: int
    open: int
    left: int


class WorkDesk:
    """What annotators do. Every change names the version it was made on; a later tab is told."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def next(self, actor: str) -> WorkItem | None:
        """Return the item to work on: the one that is open, or a new one; None if all is done."""
        with self._working(actor) as (connection, project):
            ident = claim(self.ledger, connection, project, actor)
            return None if ident is None else self._view(connection, ident, actor)

    def item(self, actor: str, item: str) -> WorkItem:
        """Return an item that the actor was given."""
        with self.ledger.database.reading() as connection:
            check_worker(connection, actor)
            return self._view(connection, item, actor)

    def history(self, actor: str, *, limit: int = 50) -> list[WorkItem]:
        """Return the items that the actor answered or skipped, the latest first."""
        table = schema.assignment
        mine = (table.c.annotator == actor) & table.c.state.in_((DONE, SKIPPED))
        query = select(table.c.item).where(mine).order_by(table.c.version.desc()).limit(limit)
        with self.ledger.database.reading() as connection:
            check_worker(connection, actor)
            listed = connection.execute(query).scalars().all()
            return [self._view(connection, ident, actor) for ident in listed]

    def save(
        self, actor: str, item: str, answer: PairAnswer, *, version: int, seconds: float = 0.0
    ) -> WorkItem:
        """Keep a draft. `seconds` is the time spent on the item so far."""
        with self._working(actor) as (connection, project):
            _, state, late = self._held(connection, project, actor, item, answer, version)
            if late is None:
                if state.state == DONE:
                    raise StaleAnswer("the answer is in; undo it before you change it")
                self._answered(connection, project, actor, item, log.SAVED, answer, seconds)
                return self._view(connection, item, actor)
        raise late

    def submit(
        self,
        actor: str,
        item: str,
        answer: PairAnswer,
        *,
        version: int,
        guideline: int,
        seconds: float = 0.0,
    ) -> WorkItem:
        """Hand an answer in, or hand in another one for it.

        `guideline` is the version of the guidelines that the annotator was shown.
        """
        with self._working(actor) as (connection, project):
            record, _, late = self._held(
                connection, project, actor, item, answer, version, final=True
            )
            if late is None:
                _check_guideline(project, guideline)
                self._answered(connection, project, actor, item, log.SUBMITTED, answer, seconds)
                if _tells(record.pair, project):
                    self._record(connection, log.FEEDBACK_SHOWN, actor, item)
                return self._view(connection, item, actor)
        raise late

    def skip(self, actor: str, item: str, *, version: int, reason: str = "") -> None:
        """Leave an item to others."""
        with self._working(actor) as (connection, _):
            state = self._own(connection, item, actor)
            _check_version(state, version)
            if state.state != OPEN:
                raise StaleAnswer(f"the item is {state.state}, not open; it cannot be skipped")
            self._record(connection, log.SKIPPED, actor, item, reason=_short(reason))

    def flag(self, actor: str, item: str, reason: str) -> WorkItem:
        """Mark an item for the adjudicators; an empty reason takes the mark off."""
        return self._noted(actor, item, log.FLAGGED, reason=_short(reason))

    def comment(self, actor: str, item: str, text: str) -> WorkItem:
        """Say something about an item."""
        if not text.strip():
            raise BadAnswer("the comment is empty")
        return self._noted(actor, item, log.COMMENTED, text=_short(text))

    def undo(self, actor: str) -> WorkItem:
        """Take back the actor's last step, on whichever item it was, and return that item.

        The step stays in the log; an event that undoes it follows it.
        """
        with self._working(actor) as (connection, project):
            last = _last_step(connection, actor)
            if last is None or last.item is None:
                raise AnnotationRefused("there is nothing to undo")
            state = self._own(connection, last.item, actor)
            if last.kind == log.SUBMITTED:
                _check_unlocked(connection, state)
            if last.kind == log.SKIPPED:
                _check_place(item_record(connection, last.item))
            slot = first_free(connection, last.item) if last.kind == log.SKIPPED else state.slot
            end = lease_end(self.ledger, project)
            body = {"of": last.seq, "slot": slot, "lease_until": end}
            self._record(connection, log.UNDONE, actor, last.item, **body)
            return self._view(connection, last.item, actor)

    def others(self, actor: str, item: str) -> list[AssignmentState]:
        """Return what others answered, once the actor's own answer is in; it is locked then."""
        with self._working(actor) as (connection, _):
            state = assignment_record(connection, item, actor)
            if state is None or state.state != DONE:
                raise NotAllowed("hand your own answer in before you look at those of others")
            purpose = item_record(connection, item).pair.purpose
            if purpose != "work":
                raise NotAllowed("answers to this item are not shown to annotators")
            if state.locked is None:
                self._record(connection, log.OTHERS_SHOWN, actor, item)
            found = assignment_records(connection, item=item, state=DONE)
            return [one for one in found if one.annotator != actor]

    def progress(self, actor: str) -> OwnProgress:
        """Return how far the actor is."""
        items, table = schema.item, schema.assignment
        with self.ledger.database.reading() as connection:
            check_worker(connection, actor)
            mine = select(table.c.state, func.count()).where(table.c.annotator == actor)
            counts = {
                state: int(count)
                for state, count in connection.execute(mine.group_by(table.c.state))
            }
            had = select(table.c.item).where(
                (table.c.annotator == actor) & table.c.state.in_((OPEN, DONE, SKIPPED))
            )
            free = (items.c.purpose != "work") | (items.c.taken < items.c.wanted)
            left = select(func.count()).where(free & items.c.id.not_in(had))
            return OwnProgress(
                done=counts.get(DONE, 0),
                skipped=counts.get(SKIPPED, 0),
                open=counts.get(OPEN, 0),
                left=int(connection.execute(left).scalar_one()),
            )

    @contextmanager
    def _working(self, actor: str) -> Iterator[tuple[Connection, ProjectRecord]]:
        with self.ledger.database.writing() as connection:
            check_worker(connection, actor)
            yield connection, project_record(connection)

    def _held(
        self,
        connection: Connection,
        project: ProjectRecord,
        actor: str,
        item: str,
        answer: PairAnswer,
        version: int,
        *,
        final: bool = False,
    ) -> tuple[ItemRecord, AssignmentState, AnnotationRefused | None]:
        """Check that the actor may answer now.

        What comes too late is recorded, so that it is not lost, and the refusal is returned: the
        transaction must commit before it is raised.
        """
        record, state = item_record(connection, item), self._own(connection, item, actor)
        late = _lateness(record, state)
        if late is not None:
            body = {"answer": answer.to_dict(record.pair) if _fits(answer, record) else None}
            self._record(connection, log.CAME_LATE, actor, item, reason=str(late), **body)
            return record, state, late
        _check_version(state, version)
        _check_unlocked(connection, state)
        answer.checked(record.pair, project.settings, final=final)
        if state.state == EXPIRED:  # nobody has taken the place meanwhile
            assign(self.ledger, connection, project, record, actor)
        return record, state, None

    def _answered(
        self,
        connection: Connection,
        project: ProjectRecord,
        actor: str,
        item: str,
        kind: str,
        answer: PairAnswer,
        seconds: float,
    ) -> None:
        if not 0 <= seconds <= _LONGEST_SECONDS:
            raise BadAnswer(f"the seconds spent are 0 to {_LONGEST_SECONDS:.0f}; got {seconds}")
        pair = item_record(connection, item).pair
        final = kind == log.SUBMITTED
        self._record(
            connection,
            kind,
            actor,
            item,
            answer=answer.checked(pair, project.settings, final=final).to_dict(pair),
            seconds=float(seconds),
            guideline=project.guideline,
            pair=pair.digest,
            lease_until=lease_end(self.ledger, project),
        )

    def _noted(self, actor: str, item: str, kind: str, **body: Any) -> WorkItem:
        with self._working(actor) as (connection, _):
            self._own(connection, item, actor)
            self._record(connection, kind, actor, item, **body)
            return self._view(connection, item, actor)

    def _record(
        self, connection: Connection, kind: str, actor: str, item: str, **body: Any
    ) -> LogEvent:
        return self.ledger.record(connection, kind, actor=actor, item=item, subject=actor, **body)

    def _own(self, connection: Connection, item: str, actor: str) -> AssignmentState:
        state = assignment_record(connection, item, actor)
        if state is None:
            raise NotAllowed(f"the item {item!r} was not given to {actor!r}")
        return state

    def _view(self, connection: Connection, item: str, actor: str) -> WorkItem:
        state = self._own(connection, item, actor)
        pair, suggested = item_record(connection, item).pair, state.suggested or {}
        return WorkItem(
            pair=_disguised(pair),
            state=state.state,
            version=state.version,
            revision=state.revision,
            guideline=state.guideline or 0,
            answer=None if state.answer is None else PairAnswer.from_dict(state.answer),
            suggested=PairAnswer.from_dict(suggested["answer"]) if suggested else None,
            sources=tuple(suggested.get("sources", ())),
            lease_until=state.lease_until,
            flag=state.flag,
            comments=state.comments,
            locked=state.locked,
            feedback=_feedback(connection, pair, state),
        )


def _disguised(pair: PairItem) -> PairItem:
    """Hide the known answer, and that there is one unless the item is for training."""
    purpose = "training" if pair.purpose == "training" else "work"
    return replace(pair, gold=None, note="", purpose=purpose)


def _tells(pair: PairItem, project: ProjectRecord) -> bool:
    told = pair.purpose == "training" or project.settings.gold_feedback
    return told and pair.gold is not None


def _feedback(connection: Connection, pair: PairItem, state: AssignmentState) -> Feedback | None:
    if pair.gold is None or state.state != DONE or state.answer is None:
        return None
    if not _tells(pair, project_record(connection)):
        return None
    own = PairAnswer.from_dict(state.answer)
    right = replace(own, edits=()) == replace(pair.gold, edits=())
    return Feedback(right=right, answer=pair.gold, note=pair.note)


def _lateness(record: ItemRecord, state: AssignmentState) -> AnnotationRefused | None:
    if state.state == OUTDATED:
        return PairChanged(
            "the texts of this item were changed after it was opened; what you entered is kept in "
            "the log; open the item again"
        )
    if state.state == EXPIRED and not _has_place(record):
        return LeaseLost(
            "the time for this item ran out and it went to another annotator; what you entered is "
            "kept in the log"
        )
    return None


def _has_place(record: ItemRecord) -> bool:
    return record.pair.purpose != "work" or record.filled < record.wanted


def _check_version(state: AssignmentState, version: int) -> None:
    if state.version != version:
        raise StaleAnswer(
            "this item was changed elsewhere, perhaps in another tab, since you opened it here; "
            "nothing was overwritten: load it again"
        )


def _check_guideline(project: ProjectRecord, guideline: int) -> None:
    if guideline != project.guideline:
        raise GuidelineChanged(
            f"the guidelines changed (you saw version {guideline}, now it is "
            f"{project.guideline}); read them and hand the answer in again"
        )


def _check_unlocked(connection: Connection, state: AssignmentState) -> None:
    if state.locked is not None:
        raise AnswerLocked(f"the answer stays as it is: {state.locked}")
    if decisions(connection, state.item):
        raise AnswerLocked("the item was decided upon; ask an adjudicator to open it again")


def _check_place(record: ItemRecord) -> None:
    if not _has_place(record):
        raise LeaseLost("the item that you skipped went to another annotator meanwhile")


def _last_step(connection: Connection, actor: str) -> LogEvent | None:
    """Return the actor's last step that can be undone and was not."""
    undone: set[int] = set()
    kinds = (*log.UNDOABLE, log.UNDONE)
    for event in log.events(connection, actor=actor, kinds=kinds, latest_first=True):
        if event.kind == log.UNDONE:
            undone.add(event.body["of"])
        elif event.seq not in undone and event.subject == actor:
            return event
    return None


def _fits(answer: PairAnswer, record: ItemRecord) -> bool:
    return all(
        0 <= first < last <= len(text)
        for spans, text in (
            (answer.spans1, record.pair.text1),
            (answer.spans2, record.pair.text2),
        )
        for first, last in spans
    )


def _short(text: str) -> str:
    if len(text) > _LONGEST_TEXT:
        raise BadAnswer(f"a note has at most {_LONGEST_TEXT:,} characters")
    return text
