"""What a project has found out: for each item the answer that counts, and who gave which."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from paraphrast.corpora.annotation.assignment_state import DONE, AssignmentState
from paraphrast.corpora.annotation.pair_item import PairAnswer
from paraphrast.corpora.annotation.store.records import (
    Decision,
    ItemRecord,
    assignment_records,
    decisions,
    item_records,
)


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """An item and the answers to it; `answer` is None while it is open or disagreed on.

    It is the decision's, or that of the only annotator an item was meant for.
    """

    record: ItemRecord
    states: tuple[AssignmentState, ...]
    decision: Decision | None
    answer: PairAnswer | None

    @property
    def by_annotator(self) -> dict[str, PairAnswer]:
        """Each annotator's answer."""
        return {one.annotator: PairAnswer.from_dict(one.answer or {}) for one in self.states}


def item_outcomes(connection: Connection) -> list[ItemOutcome]:
    """Return all items in their order with what came of them."""
    decided = decisions(connection)
    by_item: dict[str, list[AssignmentState]] = {}
    for state in assignment_records(connection, state=DONE):
        by_item.setdefault(state.item, []).append(state)
    found = []
    for record in item_records(connection):
        states, decision = by_item.get(record.pair.id, []), decided.get(record.pair.id)
        last = decision.answer if decision else None
        if last is None and record.wanted == 1 and len(states) == 1:
            last = states[0].answer
        answer = None if last is None else PairAnswer.from_dict(last)
        found.append(ItemOutcome(record, tuple(states), decision, answer))
    return found
