"""The pairs of a project: adding them, changing them, their order, and what models suggest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from paraphrast.corpora.annotation.assignment import seeded_share
from paraphrast.corpora.annotation.assignment_state import OUTDATED
from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem
from paraphrast.corpora.annotation.refusals import PairChanged
from paraphrast.corpora.annotation.store import event_log as log
from paraphrast.corpora.annotation.store.accounts import ADJUDICATOR, ADMIN, allowed
from paraphrast.corpora.annotation.store.ledger import Ledger
from paraphrast.corpora.annotation.store.records import (
    ItemRecord,
    ProjectRecord,
    assignment_records,
    item_records,
    project_record,
)
from paraphrast.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Added:
    """What became of pairs: how many are new, as they were, or changed."""

    new: int
    same: int
    changed: int


@dataclass(frozen=True, slots=True)
class PairShelf:
    """Only admins change pairs; adjudicators may list them."""

    ledger: Ledger

    def all(self, actor: str) -> list[ItemRecord]:
        """Return all items in their order."""
        with self.ledger.database.reading() as connection:
            allowed(connection, actor, ADJUDICATOR, ADMIN)
            return item_records(connection)

    def add(self, actor: str, items: Iterable[PairItem], *, revise: bool = False) -> Added:
        """Add pairs. An id that is there with other texts is refused, or, to `revise`, changed.

        Answers to the former texts stay in the log; the pair is labelled again.
        """
        with self.ledger.database.writing() as connection:
            allowed(connection, actor, ADMIN)
            return self.add_within(connection, actor, items, revise=revise)

    def add_within(
        self,
        connection: Connection,
        actor: str,
        items: Iterable[PairItem],
        *,
        revise: bool = False,
    ) -> Added:
        """Add pairs in a transaction that is open."""
        project = project_record(connection)
        known = {one.pair.id: one for one in item_records(connection)}
        rank = max((one.rank for one in known.values()), default=-1) + 1
        new, same, changed = [], 0, []
        for item in items:
            if item.id not in known:
                new.append(item)
            elif known[item.id].pair == item:
                same += 1
            else:
                changed.append(item)
        if changed and not revise:
            raise PairChanged(_told([item.id for item in changed]))
        for place, item in enumerate(_in_order(new, project)):
            self._add(connection, actor, project, item, rank + place)
        for item in changed:
            self._change(connection, actor, known[item.id], item)
        return Added(len(new), same, len(changed))

    def suggest(
        self,
        actor: str,
        source: str,
        model: str,
        answers: Mapping[str, PairAnswer],
        sureness: Mapping[str, float] | None = None,
    ) -> None:
        """Keep what a model suggests for items, and how sure it is (0 to 1)."""
        with self.ledger.database.writing() as connection:
            allowed(connection, actor, ADMIN)
            project = project_record(connection)
            known = {one.pair.id: one.pair for one in item_records(connection)}
            for ident, answer in answers.items():
                if ident not in known:
                    raise ConfigError(f"{source} suggests for {ident!r}, which is no item")
                pair = known[ident]
                answer.checked(pair, project.settings, final=False)
                body: dict[str, Any] = {
                    "source": source,
                    "model": model,
                    "answer": answer.to_dict(pair),
                }
                sure = None if sureness is None else sureness[ident]
                self.ledger.record(
                    connection, log.SUGGESTED, actor=actor, item=ident, sure=sure, **body
                )

    def order(self, actor: str, ids: Sequence[str]) -> None:
        """Put the items into an order, for whoever asks for the next one."""
        with self.ledger.database.writing() as connection:
            allowed(connection, actor, ADMIN)
            known = {one.pair.id for one in item_records(connection)}
            if len(ids) != len(known) or set(ids) != known:
                raise ConfigError("an order names every item of the project once")
            self.ledger.record(connection, log.ORDERED, actor=actor, items=list(ids))

    def _add(
        self,
        connection: Connection,
        actor: str,
        project: ProjectRecord,
        item: PairItem,
        rank: int,
    ) -> None:
        settings = project.settings
        shared = seeded_share("shared", settings.seed, item.id) < settings.shared
        wanted = settings.annotators if shared and item.purpose == "work" else 1
        self.ledger.record(
            connection,
            log.ITEM_ADDED,
            actor=actor,
            item=item.id,
            pair=item.to_dict(),
            rank=rank,
            wanted=wanted,
        )

    def _change(
        self, connection: Connection, actor: str, former: ItemRecord, item: PairItem
    ) -> None:
        if former.pair.purpose != item.purpose:
            raise ConfigError(f"{item.id!r} is for {former.pair.purpose} and stays so")
        body: dict[str, Any] = {"pair": item.to_dict(), "revision": former.revision + 1}
        self.ledger.record(connection, log.PAIR_CHANGED, actor=actor, item=item.id, **body)
        for state in list(assignment_records(connection, item=item.id)):
            if state.state != OUTDATED:
                self.ledger.record(
                    connection, log.OUTDATED, actor=actor, item=item.id, subject=state.annotator
                )


def _in_order(items: list[PairItem], project: ProjectRecord) -> list[PairItem]:
    """Shuffle by the seed, unless the project keeps the file's order until models give another."""
    if project.settings.order == "file":
        return items
    seed = project.settings.seed
    return sorted(items, key=lambda item: (seeded_share("order", seed, item.id), item.id))


def _told(ids: list[str]) -> str:
    shown = ", ".join(map(repr, ids[:5])) + (", …" if len(ids) > 5 else "")
    return (
        f"{len(ids)} pairs have other texts, purposes or known answers than before: {shown}; "
        "nothing was changed. Give them new ids, or say that they are to be revised: their "
        "answers stay in the log, and they are labelled again"
    )
