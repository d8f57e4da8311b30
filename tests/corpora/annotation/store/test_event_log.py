"""The log: it only grows, all is rebuilt from it, and it can be carried elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, text, update

from paraphrast.corpora.annotation.project import OWNER, AnnotationProject
from paraphrast.corpora.annotation.refusals import StoreUnavailable
from paraphrast.corpora.annotation.store import schema
from paraphrast.errors import ConfigError
from tests.corpora.annotation.desk import (
    NEGATIVE,
    POSITIVE,
    Clock,
    answer,
    answer_all,
    given,
    make,
    pair,
    pairs,
)


def busy(path: Path, store: str | None) -> AnnotationProject:
    """A project in which everything that can happen has happened."""
    clock = Clock()
    known = replace(pair("t"), purpose="training", gold=NEGATIVE, note="see?")
    project = make(path, [*pairs(6), known], clock=clock, store=store)
    project.pairs.suggest(OWNER, "judge", "m", {"p02": POSITIVE}, {"p02": 0.7})
    answer(project, "ana")
    item = given(project, "ana")
    project.work.save("ana", item.pair.id, POSITIVE, version=item.version)
    clock.now += 60 * 60
    answer_all(project, "bo", POSITIVE)
    answer(project, "ana")
    item = given(project, "ana")
    project.work.flag("ana", item.pair.id, "odd")
    project.work.comment("ana", item.pair.id, "very odd")
    project.work.skip("ana", item.pair.id, version=item.version + 2)
    project.work.undo("ana")
    answer(project, "ana")
    project.work.undo("ana")
    answer_all(project, "ana")
    project.work.others("ana", "p03")
    project.adjudication.decide("ida", "p01", NEGATIVE, version=0, note="as ana says")
    project.adjudication.merge("ida")
    project.adjudication.reopen("ida", "p01")
    project.adjudication.decide("ida", "p01", POSITIVE, version=0)
    project.pairs.add(OWNER, [pair("p05", "New words.")], revise=True)
    project.pairs.order(OWNER, ["t", *(f"p{n:02}" for n in range(5, -1, -1))])
    project.change_guidelines(OWNER, "Other rules.")
    project.change_settings(OWNER, replace(project.settings, alarm=0.5))
    project.accounts.change_role(OWNER, "bo", "adjudicator")
    project.accounts.close(OWNER, "ana")
    return project


def test_every_table_is_rebuilt_from_the_log(tmp_path: Path, store: str | None) -> None:
    with busy(tmp_path, store) as project:
        before = project.snapshot()
        assert all(before[name] for name in ("item", "assignment", "decision", "account"))
        assert project.rebuild() == len(list(project.events(OWNER)))
        assert project.snapshot() == before


def test_a_table_that_was_tampered_with_is_mended(tmp_path: Path) -> None:
    with busy(tmp_path, None) as project:
        before = project.snapshot()
        with project.ledger.database.writing() as connection:
            connection.execute(update(schema.item).values(taken=7))
            connection.execute(delete(schema.decision))
        assert project.snapshot() != before
        project.rebuild()
        assert project.snapshot() == before


@pytest.mark.parametrize("act", ["UPDATE event SET actor = 'x'", "DELETE FROM event"])
def test_the_database_refuses_to_change_the_log(
    tmp_path: Path, store: str | None, act: str
) -> None:
    with make(tmp_path, pairs(1), store=store) as project:
        before = list(project.events(OWNER))
        with (
            pytest.raises(StoreUnavailable, match="append-only"),
            project.ledger.database.writing() as connection,
        ):
            connection.execute(text(act))
        assert list(project.events(OWNER)) == before


def test_a_log_makes_the_same_project_elsewhere(tmp_path: Path, store: str | None) -> None:
    with busy(tmp_path, store) as project:
        events, tables = list(project.events(OWNER)), project.snapshot()
    with AnnotationProject.restore(tmp_path / "copy", events) as copy:
        assert copy.snapshot() == tables
        assert list(copy.events(OWNER)) == events
        copy.accounts.add(OWNER, "di", "annotator")  # the numbering goes on
        assert list(copy.events(OWNER))[-1].seq > events[-1].seq


def test_a_store_of_a_server_takes_a_log_too(tmp_path: Path, store: str | None) -> None:
    with busy(tmp_path, None) as project:
        events, tables = list(project.events(OWNER)), project.snapshot()
    with AnnotationProject.restore(tmp_path / "copy", events, store=store) as copy:
        assert copy.snapshot() == tables
        copy.accounts.add(OWNER, "di", "annotator")


def test_no_secret_is_in_the_log(tmp_path: Path) -> None:
    with make(tmp_path, pairs(1)) as project:
        project.accounts.set_password(OWNER, "ana", "correct horse")
        token = project.accounts.log_in("ana", "correct horse").token
        told = repr(list(project.events(OWNER)))
        assert "argon2" not in told
        assert token not in told


def test_a_store_holds_one_project(tmp_path: Path, store: str | None) -> None:
    with make(tmp_path, pairs(1), store=store) as project:
        url = project.folder.url
    if store is not None:
        with pytest.raises(ConfigError, match="holds a project already"):
            make(tmp_path / "other", pairs(1), store=store)
    with pytest.raises(ConfigError, match="is a project already"):
        make(tmp_path, pairs(1), store=url)


def test_a_card_that_belongs_to_another_store_is_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        make(tmp_path / name, pairs(1)).close()
    card = tmp_path / "one" / "desk" / "project.toml"
    card.write_text((tmp_path / "two" / "desk" / "project.toml").read_text())
    with pytest.raises(ConfigError, match="another project"):
        AnnotationProject.open(tmp_path / "one" / "desk")


def test_a_store_that_is_gone_is_not_made_anew(tmp_path: Path) -> None:
    make(tmp_path, pairs(1)).close()
    (tmp_path / "desk" / "annotations.sqlite3").unlink()
    with pytest.raises(StoreUnavailable, match="restore it"):
        AnnotationProject.open(tmp_path / "desk")


def test_a_failed_beginning_leaves_no_project(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="UNIQUE"):
        make(tmp_path, [pair("a"), pair("a")])
    make(tmp_path, pairs(1)).close()


def test_an_event_of_another_time_keeps_its_place(tmp_path: Path) -> None:
    with make(tmp_path, pairs(1)) as project:
        with project.ledger.database.writing() as connection:
            connection.execute(
                insert(schema.event).values(
                    kind="account_made", at=1.5, actor="x", body='{"name": "y", "role": "admin"}'
                )
            )
        last = list(project.events(OWNER))[-1]
        assert (last.at, last.to_dict()["time"]) == (1.5, "1970-01-01T00:00:01.500+00:00")
