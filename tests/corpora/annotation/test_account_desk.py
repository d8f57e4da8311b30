"""Accounts, passwords, sessions, throttling."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from paraphrast.corpora.annotation.project import OWNER, AnnotationProject
from paraphrast.corpora.annotation.refusals import LoginRefused, NotAllowed
from paraphrast.corpora.annotation.store import schema
from paraphrast.errors import ConfigError
from tests.corpora.annotation.desk import Clock, make, pairs

SECRET = "correct horse"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def project(tmp_path: Path, clock: Clock) -> Iterator[AnnotationProject]:
    with make(tmp_path, pairs(1), clock=clock) as made:
        made.accounts.set_password(OWNER, "ana", SECRET)
        yield made


def test_a_session_opens_with_the_password_and_ends(
    project: AnnotationProject, clock: Clock
) -> None:
    session = project.accounts.log_in("ana", SECRET)
    assert project.accounts.session(session.token).name == "ana"
    project.accounts.log_out(session.token)
    with pytest.raises(LoginRefused, match="log in again"):
        project.accounts.session(session.token)
    again = project.accounts.log_in("ana", SECRET)
    assert again.token != session.token
    clock.now = again.expires_at
    with pytest.raises(LoginRefused):
        project.accounts.session(again.token)


@pytest.mark.parametrize("end", ["revoke", "close", "set_password"])
def test_sessions_are_revoked(project: AnnotationProject, end: str) -> None:
    tokens = [project.accounts.log_in("ana", SECRET).token for _ in range(2)]
    rest = ("another one",) if end == "set_password" else ()
    getattr(project.accounts, end)(OWNER, "ana", *rest)
    for token in tokens:
        with pytest.raises(LoginRefused):
            project.accounts.session(token)


@pytest.mark.parametrize(("name", "secret"), [("ana", "wrong"), ("bo", SECRET), ("who", SECRET)])
def test_wrong_names_and_passwords_are_told_alike(
    project: AnnotationProject, name: str, secret: str
) -> None:
    with pytest.raises(LoginRefused, match=r"^the name or the password is wrong$"):
        project.accounts.log_in(name, secret)


def test_guessing_is_slowed_down(project: AnnotationProject, clock: Clock) -> None:
    for _ in range(5):
        with pytest.raises(LoginRefused, match="is wrong"):
            project.accounts.log_in("ana", "guess")
    with pytest.raises(LoginRefused, match="too many"):
        project.accounts.log_in("ana", SECRET)
    clock.now += 901
    assert project.accounts.log_in("ana", SECRET).account.role == "annotator"


def test_only_hashes_are_kept(project: AnnotationProject) -> None:
    token = project.accounts.log_in("ana", SECRET).token
    with project.ledger.database.reading() as connection:
        hashes = list(connection.execute(select(schema.credential.c.hash)).scalars())
        tokens = list(connection.execute(select(schema.session.c.token)).scalars())
    assert all(one.startswith("$argon2id$") for one in hashes)
    assert token not in tokens


def test_only_admins_manage_accounts(project: AnnotationProject) -> None:
    for refused in (
        lambda: project.accounts.add("ana", "di", "admin"),
        lambda: project.accounts.change_role("ida", "ida", "admin"),
        lambda: project.accounts.close("ana", "bo"),
        lambda: project.accounts.set_password("ana", "bo", "new password"),
        lambda: project.accounts.revoke("ana", "bo"),
    ):
        with pytest.raises(NotAllowed):
            refused()
    project.accounts.set_password("ana", "ana", "new password")
    project.accounts.change_role(OWNER, "bo", "admin")
    assert project.accounts.add("bo", "di", "annotator").name == "di"


@pytest.mark.parametrize("name", ["", "a b", "(owner)", "x" * 81])
def test_names_are_plain(project: AnnotationProject, name: str) -> None:
    with pytest.raises(ConfigError, match="a name has"):
        project.accounts.add(OWNER, name, "annotator")


def test_wrong_requests_change_nothing(project: AnnotationProject) -> None:
    for refused in (
        lambda: project.accounts.add(OWNER, "ana", "annotator"),
        lambda: project.accounts.add(OWNER, "di", "boss"),
        lambda: project.accounts.add(OWNER, "di", "annotator", "short"),
    ):
        with pytest.raises(ConfigError):
            refused()
    assert [one.name for one in project.accounts.all(OWNER)] == ["ana", "bo", "ida"]
