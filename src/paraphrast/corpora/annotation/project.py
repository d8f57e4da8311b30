"""A project of the annotation desk: its store, its rules, its pairs, and its doors.

project = AnnotationProject.open("desk")
given = project.work.next("ana")
project.work.submit("ana", given.pair.id, PairAnswer(label="positive"), version=given.version,
                    guideline=given.guideline)
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from paraphrast.corpora.annotation.account_desk import AccountDesk
from paraphrast.corpora.annotation.adjudication_desk import AdjudicationDesk, shared_items
from paraphrast.corpora.annotation.assignment_state import DONE, EXPIRED, OPEN, SKIPPED
from paraphrast.corpora.annotation.exchange.answer_import import Imported, import_answers
from paraphrast.corpora.annotation.exchange.answer_rows import ForeignAnswer
from paraphrast.corpora.annotation.judging.agreement_figures import live_agreement
from paraphrast.corpora.annotation.judging.desk_report import DeskReport, desk_report
from paraphrast.corpora.annotation.judging.outcomes import ItemOutcome, item_outcomes
from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem
from paraphrast.corpora.annotation.pair_shelf import Added, PairShelf
from paraphrast.corpora.annotation.project_folder import GUIDELINES, ProjectFolder, check_store
from paraphrast.corpora.annotation.project_settings import ProjectSettings
from paraphrast.corpora.annotation.refusals import AnnotationRefused
from paraphrast.corpora.annotation.store import event_log as log
from paraphrast.corpora.annotation.store.accounts import (
    ADJUDICATOR,
    ADMIN,
    OWNER,
    ROLES,
    allowed,
)
from paraphrast.corpora.annotation.store.database import Database
from paraphrast.corpora.annotation.store.event_log import LogEvent
from paraphrast.corpora.annotation.store.ledger import Ledger
from paraphrast.corpora.annotation.store.migration import migrate
from paraphrast.corpora.annotation.store.projections import Snapshot, rebuild, record, snapshot
from paraphrast.corpora.annotation.store.records import (
    ProjectRecord,
    all_suggestions,
    assignment_records,
    item_record,
    project_record,
)
from paraphrast.corpora.annotation.work_desk import WorkDesk
from paraphrast.errors import ConfigError

__all__ = ["OWNER", "Added", "AnnotationProject"]


class AnnotationProject:
    """One project. Each method names the actor: an account, or OWNER for who holds the files.

    `work` is the annotators' door, `adjudication` the adjudicators', `accounts` that of admins and
    of logging in, `pairs` that to the items. All methods may be called from many threads, and many
    processes may have the project open.
    """

    def __init__(
        self, folder: ProjectFolder, database: Database, clock: Callable[[], float] = time.time
    ) -> None:
        self.folder = folder
        self.ledger = Ledger(database, clock)
        self.accounts = AccountDesk(self.ledger)
        self.work = WorkDesk(self.ledger)
        self.adjudication = AdjudicationDesk(self.ledger)
        self.pairs = PairShelf(self.ledger)

    @classmethod
    def create(
        cls,
        path: str | Path,
        settings: ProjectSettings,
        items: Iterable[PairItem] = (),
        *,
        store: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> AnnotationProject:
        """Make a project of pairs; if anything fails there is none, and it can be made again."""
        found = cls._prepared(path, settings.task, store, clock)
        try:
            with found.ledger.database.writing() as connection:
                migrate(connection)
                _check_empty(connection, found.folder)
                body: dict[str, Any] = {"id": found.folder.id, "settings": settings.to_dict()}
                found.ledger.record(connection, log.PROJECT_MADE, actor=OWNER, **body)
                _record_guideline(found.ledger, connection, OWNER, 1, found.folder.guidelines)
                found.pairs.add_within(connection, OWNER, items)
            found.folder.seal()
        except BaseException:
            found.close()
            raise
        return found

    @classmethod
    def open(cls, path: str | Path, *, clock: Callable[[], float] = time.time) -> AnnotationProject:
        """Open a project, and bring its tables to the form that this version knows."""
        folder = ProjectFolder.read(path)
        database = Database(folder.url, must_exist=True)
        found = cls(folder, database, clock)
        try:
            with database.writing() as connection:
                migrate(connection)
                known = project_record(connection).id
        except BaseException:
            found.close()
            raise
        if known != folder.id:
            found.close()
            raise ConfigError(f"the store {folder.url} holds another project than {path}")
        return found

    @classmethod
    def restore(
        cls,
        path: str | Path,
        events: Sequence[LogEvent],
        *,
        store: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> AnnotationProject:
        """Make a project from the log of one, with every event as it was."""
        if not events or events[0].kind != log.PROJECT_MADE:
            raise ConfigError("a log begins with the making of its project")
        task = events[0].body["settings"].get("task", "labels")
        found = cls._prepared(path, task, store, clock, ident=events[0].body["id"])
        try:
            with found.ledger.database.writing() as connection:
                migrate(connection)
                _check_empty(connection, found.folder)
                for event in events:
                    record(connection, event, keep_seq=True)
                found.ledger.database.after_numbered(connection, events[-1].seq)
                text = project_record(connection).guideline_text
            found.folder.make(text)
            found.folder.seal()
        except BaseException:
            found.close()
            raise
        return found

    @classmethod
    def _prepared(
        cls,
        path: str | Path,
        task: str,
        store: str | None,
        clock: Callable[[], float],
        ident: str | None = None,
    ) -> AnnotationProject:
        url = None if store is None else check_store(store)
        folder = ProjectFolder(Path(path), ident or str(uuid.uuid4()), url)
        if folder.is_made:
            raise ConfigError(f"{path} is a project already; choose another folder")
        if ident is None:
            folder.make(GUIDELINES[task])
        else:
            folder.path.mkdir(parents=True, exist_ok=True)
        return cls(folder, Database(folder.url), clock)

    def close(self) -> None:
        """Let go of the store."""
        self.ledger.database.close()

    def __enter__(self) -> AnnotationProject:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def record(self, actor: str) -> ProjectRecord:
        """Return the project's rules and guidelines, to anybody with an account."""
        with self._reading(actor) as connection:
            return project_record(connection)

    @property
    def settings(self) -> ProjectSettings:
        """The rules as they are now."""
        return self.record(OWNER).settings

    def change_settings(self, actor: str, settings: ProjectSettings) -> None:
        """Change the rules; what was answered must still fit them."""
        with self.ledger.database.writing() as connection:
            allowed(connection, actor, ADMIN)
            former = project_record(connection).settings
            _check_change(connection, former, settings)
            body: dict[str, Any] = {"settings": settings.to_dict()}
            self.ledger.record(connection, log.SETTINGS_CHANGED, actor=actor, **body)

    def change_guidelines(self, actor: str, text: str | None = None) -> int:
        """Record the guidelines, those of the folder by default; return their version.

        Who has an item open is told when he hands it in.
        """
        text = self.folder.guidelines if text is None else text
        with self.ledger.database.writing() as connection:
            allowed(connection, actor, ADMIN)
            now = project_record(connection)
            if now.guideline_text == text:
                return now.guideline
            version = now.guideline + 1
            _record_guideline(self.ledger, connection, actor, version, text)
            return version

    def notes(self) -> list[str]:
        """Say what is not as it should be: guidelines that changed beside the work."""
        with self.ledger.database.reading() as connection:
            now = project_record(connection)
        if now.guideline_text == self.folder.guidelines:
            return []
        return [
            f"guidelines.md is not version {now.guideline}, which annotators see; "
            "run: paraphrast annotate guidelines"
        ]

    def events(self, actor: str, *, after: int = 0) -> Iterator[LogEvent]:
        """Yield the whole log in order, to admins."""
        with self.ledger.database.reading() as connection:
            allowed(connection, actor, ADMIN)
            yield from log.events(connection, after=after)

    def outcomes(self, actor: str) -> list[ItemOutcome]:
        """Return what came of every item, with all answers, to admins."""
        with self.ledger.database.reading() as connection:
            allowed(connection, actor, ADMIN)
            return item_outcomes(connection)

    def import_answers(self, actor: str, answers: Iterable[ForeignAnswer], *, via: str) -> Imported:
        """Record answers from a file as their annotators': all of them, or none."""
        return import_answers(self.ledger, actor, answers, via=via)

    def report(self, actor: str) -> DeskReport:
        """Return the figures of the project, to admins and adjudicators."""
        with self.ledger.database.reading() as connection:
            allowed(connection, actor, ADMIN, ADJUDICATOR)
            now = project_record(connection)
            return desk_report(
                now.settings,
                now.guideline,
                item_outcomes(connection),
                list(assignment_records(connection)),
                all_suggestions(connection),
                live_agreement(shared_items(connection), now.settings),
            )

    def rebuild(self) -> int:
        """Make all tables anew from the log; return the number of events."""
        with self.ledger.database.writing() as connection:
            return rebuild(connection)

    def snapshot(self) -> Snapshot:
        """Return all tables that the log tells, to compare them."""
        with self.ledger.database.reading() as connection:
            return snapshot(connection)

    @contextmanager
    def _reading(self, actor: str) -> Iterator[Connection]:
        with self.ledger.database.reading() as connection:
            allowed(connection, actor, *ROLES)
            yield connection


def _check_empty(connection: Connection, folder: ProjectFolder) -> None:
    if next(log.events(connection), None) is not None:
        raise ConfigError(f"the store {folder.url} holds a project already; choose another")


def _record_guideline(
    ledger: Ledger, connection: Connection, actor: str, version: int, text: str
) -> None:
    body: dict[str, Any] = {"version": version, "text": text}
    ledger.record(connection, log.GUIDELINE_CHANGED, actor=actor, **body)


def _check_change(
    connection: Connection, former: ProjectSettings, settings: ProjectSettings
) -> None:
    """Refuse rules under which an answer that is in would be none."""
    if settings.task != former.task:
        raise ConfigError(f"the task stays {former.task!r}; make another project for another task")
    for state in assignment_records(connection):
        if state.answer is None or state.state not in (DONE, OPEN, SKIPPED, EXPIRED):
            continue
        pair = item_record(connection, state.item).pair
        try:
            PairAnswer.from_dict(state.answer).checked(pair, settings, final=False)
        except AnnotationRefused as error:
            raise ConfigError(
                f"{state.annotator} answered {state.item!r} under the former rules: {error}"
            ) from error
