"""The door of adjudicators: what people disagree on, side by side, and the last word on it.

Answers to an item are shown once all its places are filled, so that nobody who has seen them can
still be given the item.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from paraphrast.corpora.annotation.assignment import seeded_share
from paraphrast.corpora.annotation.assignment_state import DONE, OPEN, AssignmentState
from paraphrast.corpora.annotation.judging.agreement_figures import (
    LiveAgreement,
    SharedItem,
    live_agreement,
)
from paraphrast.corpora.annotation.judging.answer_comparison import disagreement, is_close
from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem
from paraphrast.corpora.annotation.project_settings import ProjectSettings
from paraphrast.corpora.annotation.refusals import AnnotationRefused, NotAllowed, StaleAnswer
from paraphrast.corpora.annotation.store import event_log as log
from paraphrast.corpora.annotation.store.accounts import ADJUDICATOR, ADMIN, allowed
from paraphrast.corpora.annotation.store.ledger import Ledger
from paraphrast.corpora.annotation.store.records import (
    Decision,
    ItemRecord,
    assignment_record,
    assignment_records,
    decisions,
    item_record,
    item_records,
    project_record,
)

AGREED, DRAWN, DECIDED = "agreed", "drawn", "decided"


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """An item that waits for an adjudicator: how far its answers differ (0 to 1), and its flags."""

    item: str
    disagreement: float
    annotators: tuple[str, ...]
    flags: dict[str, str]


@dataclass(frozen=True, slots=True)
class ItemFlag:
    """A mark that an annotator put on an item."""

    item: str
    annotator: str
    reason: str


@dataclass(frozen=True, slots=True)
class AdjudicationCase:
    """An item with all its answers; `version` goes with the decision, 0 if there is none yet."""

    pair: PairItem
    answers: tuple[AssignmentState, ...]
    disagreement: float
    decision: Decision | None
    version: int


@dataclass(frozen=True, slots=True)
class Merged:
    """How many items needed no adjudicator: equal answers, or one of several close ones drawn."""

    agreed: int
    drawn: int


class AdjudicationDesk:
    """What adjudicators (and admins) do."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def queue(self, actor: str) -> list[QueueEntry]:
        """Return the complete items that wait for a decision, those most disagreed on first.

        An item waits if its answers are too far apart to merge, or if somebody flagged it.
        """
        with self.ledger.database.reading() as connection:
            allowed(connection, actor, ADJUDICATOR, ADMIN)
            settings = project_record(connection).settings
            found = []
            for record, states in _undecided(connection):
                flags = {one.annotator: one.flag for one in states if one.flag}
                answers = _answers(states)
                if flags or not is_close(record.pair, answers, settings):
                    apart = disagreement(record.pair, answers, settings)
                    names = tuple(one.annotator for one in states)
                    found.append(QueueEntry(record.pair.id, apart, names, flags))
        return sorted(found, key=lambda one: (-one.disagreement, one.item))

    def flags(self, actor: str) -> list[ItemFlag]:
        """Return the marks on all items, complete or not; they show no answers."""
        with self.ledger.database.reading() as connection:
            allowed(connection, actor, ADJUDICATOR, ADMIN)
            return [
                ItemFlag(one.item, one.annotator, one.flag)
                for one in assignment_records(connection)
                if one.flag
            ]

    def case(self, actor: str, item: str) -> AdjudicationCase:
        """Return an item with all its answers, once they are in."""
        with self.ledger.database.reading() as connection:
            allowed(connection, actor, ADJUDICATOR, ADMIN)
            return _case(connection, actor, item)

    def decide(
        self,
        actor: str,
        item: str,
        answer: PairAnswer,
        *,
        version: int,
        note: str = "",
        adopted: Mapping[str, str] | None = None,
    ) -> Decision:
        """Give an item its last word; `adopted` tells which part was taken over from whom."""
        with self.ledger.database.writing() as connection:
            allowed(connection, actor, ADJUDICATOR, ADMIN)
            case = _case(connection, actor, item)
            if case.version != version:
                raise StaleAnswer("somebody else decided this item meanwhile; load it again")
            settings = project_record(connection).settings
            checked = answer.checked(case.pair, settings, final=True)
            body = _decision(case.pair, checked, DECIDED, note)
            self.ledger.record(
                connection, log.DECIDED, actor=actor, item=item, **body, adopted=dict(adopted or {})
            )
            return decisions(connection, item)[item]

    def reopen(self, actor: str, item: str, reason: str = "") -> None:
        """Take a decision back; it stays in the log."""
        with self.ledger.database.writing() as connection:
            allowed(connection, actor, ADJUDICATOR, ADMIN)
            if item not in decisions(connection, item):
                raise AnnotationRefused(f"the item {item!r} was not decided upon")
            self.ledger.record(connection, log.REOPENED, actor=actor, item=item, reason=reason)

    def merge(self, actor: str) -> Merged:
        """Decide what needs nobody: equal answers, and of close ones one drawn by the seed.

        Close are equal labels, spans whose F1 reaches the project's `adjudicate_below`, and
        ratings not further apart than `rating_apart`. Drawing one is ParaTag's way (§4.2).
        """
        counts = {AGREED: 0, DRAWN: 0}
        with self.ledger.database.writing() as connection:
            allowed(connection, actor, ADJUDICATOR, ADMIN)
            settings = project_record(connection).settings
            for record, states in _undecided(connection):
                if any(one.flag for one in states):
                    continue
                chosen = _merged(record.pair, states, settings)
                if chosen is not None:
                    answer, method = chosen
                    body = _decision(record.pair, answer, method, "")
                    ident = record.pair.id
                    self.ledger.record(connection, log.DECIDED, actor="", item=ident, **body)
                    counts[method] += 1
        return Merged(counts[AGREED], counts[DRAWN])

    def agreement(self, actor: str) -> LiveAgreement:
        """Return how far people agree, as it stands now."""
        with self.ledger.database.reading() as connection:
            allowed(connection, actor, ADJUDICATOR, ADMIN)
            return live_agreement(shared_items(connection), project_record(connection).settings)


def shared_items(connection: Connection) -> list[SharedItem]:
    """Return the items of work that two or more people have answered."""
    pairs = {one.pair.id: one.pair for one in item_records(connection)}
    by_item: dict[str, list[AssignmentState]] = {}
    for state in assignment_records(connection, state=DONE):
        by_item.setdefault(state.item, []).append(state)
    return [
        SharedItem(
            pairs[ident],
            {one.annotator: PairAnswer.from_dict(one.answer or {}) for one in states},
            max(one.submitted_at or 0.0 for one in states),
        )
        for ident, states in by_item.items()
        if len(states) > 1 and pairs[ident].purpose == "work"
    ]


def _undecided(connection: Connection) -> list[tuple[ItemRecord, list[AssignmentState]]]:
    """Return complete items of work without a decision that are shared or flagged."""
    decided, by_item = decisions(connection), dict[str, list[AssignmentState]]()
    for state in assignment_records(connection, state=DONE):
        by_item.setdefault(state.item, []).append(state)
    found = []
    for record in item_records(connection):
        states = by_item.get(record.pair.id, [])
        waits = len(states) > 1 or any(one.flag for one in states)
        if record.pair.purpose == "work" and record.pair.id not in decided and waits:
            found += [(record, states)] if record.is_complete else []
    return found


def _case(connection: Connection, actor: str, item: str) -> AdjudicationCase:
    record, own = item_record(connection, item), assignment_record(connection, item, actor)
    if own is not None and own.state == OPEN:
        raise NotAllowed("hand your own answer in before you look at those of others")
    if not record.is_complete:
        raise NotAllowed(
            f"{record.done} of {record.wanted} answers to {item!r} are in; "
            "they are shown when all are"
        )
    states = tuple(assignment_records(connection, item=item, state=DONE))
    settings = project_record(connection).settings
    decision = decisions(connection, item).get(item)
    apart = disagreement(record.pair, _answers(states), settings)
    version = 0 if decision is None else decision.version
    return AdjudicationCase(record.pair, states, apart, decision, version)


def _merged(
    pair: PairItem, states: list[AssignmentState], settings: ProjectSettings
) -> tuple[PairAnswer, str] | None:
    answers = _answers(states)
    if all(one == answers[0] for one in answers):
        return answers[0], AGREED
    if not is_close(pair, answers, settings):
        return None
    place = int(seeded_share("draw", settings.seed, pair.id) * len(answers))
    return answers[place], DRAWN


def _answers(states: list[AssignmentState] | tuple[AssignmentState, ...]) -> list[PairAnswer]:
    return [PairAnswer.from_dict(one.answer or {}) for one in states]


def _decision(pair: PairItem, answer: PairAnswer, method: str, note: str) -> dict[str, Any]:
    return {"answer": answer.to_dict(pair), "method": method, "note": note}
