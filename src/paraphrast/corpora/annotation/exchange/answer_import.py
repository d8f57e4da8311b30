"""Answers from files into a project: all of them, or none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from paraphrast.corpora.annotation.assignment import assign
from paraphrast.corpora.annotation.assignment_state import DONE, OPEN
from paraphrast.corpora.annotation.exchange.answer_rows import ForeignAnswer
from paraphrast.corpora.annotation.pair_item import PairAnswer
from paraphrast.corpora.annotation.refusals import BadAnswer
from paraphrast.corpora.annotation.store import event_log as log
from paraphrast.corpora.annotation.store.accounts import (
    ADMIN,
    ANNOTATOR,
    allowed,
    find_account,
    make_account,
)
from paraphrast.corpora.annotation.store.event_log import LogEvent
from paraphrast.corpora.annotation.store.ledger import Ledger
from paraphrast.corpora.annotation.store.projections import record
from paraphrast.corpora.annotation.store.records import (
    ProjectRecord,
    assignment_record,
    item_record,
    project_record,
)
from paraphrast.errors import InputError


@dataclass(frozen=True, slots=True)
class Imported:
    """How many answers are new, how many were there already, and which accounts were made."""

    new: int
    same: int
    accounts: tuple[str, ...]


def import_answers(
    ledger: Ledger, actor: str, answers: Iterable[ForeignAnswer], *, via: str
) -> Imported:
    """Record answers as their annotators', with their own times; other answers of theirs stand.

    Annotators without an account get one that nobody can log in to.
    """
    listed, made, new = list(answers), [], 0
    with ledger.database.writing() as connection:
        allowed(connection, actor, ADMIN)
        project = project_record(connection)
        for name in _unknown(connection, listed):
            make_account(connection, name, ANNOTATOR, actor=actor, at=ledger.clock())
            made.append(name)
        for one in listed:
            new += _import(ledger, connection, project, one, actor, via)
    return Imported(new, len(listed) - new, tuple(made))


def _unknown(connection: Connection, answers: Sequence[ForeignAnswer]) -> list[str]:
    names = sorted({one.annotator for one in answers})
    return [name for name in names if find_account(connection, name) is None]


def _import(
    ledger: Ledger,
    connection: Connection,
    project: ProjectRecord,
    one: ForeignAnswer,
    actor: str,
    via: str,
) -> bool:
    item = item_record(connection, one.item)
    try:
        answer = one.answer.checked(item.pair, project.settings, final=True)
    except BadAnswer as error:
        raise InputError(f"{one.where}: {error}") from error
    state = assignment_record(connection, one.item, one.annotator)
    if state is not None and state.state == DONE:
        if PairAnswer.from_dict(state.answer or {}) == answer:
            return False
        raise InputError(
            f"{one.where}: {one.annotator} has answered {one.item!r} otherwise; nothing is imported"
        )
    if state is None or state.state != OPEN:
        assign(ledger, connection, project, item, one.annotator, by=actor)
    event = LogEvent(
        kind=log.SUBMITTED,
        at=ledger.clock() if one.at is None else one.at,
        actor=actor,
        item=one.item,
        subject=one.annotator,
        body={
            "answer": answer.to_dict(item.pair),
            "seconds": one.seconds,
            "guideline": project.guideline,
            "pair": item.pair.digest,
            "lease_until": ledger.clock(),
            "via": via,
        },
    )
    record(connection, event)
    return True
