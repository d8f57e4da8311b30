"""Accounts, passwords (Argon2) and sessions that can be revoked.

That an account exists, and its role, is told by the log. Hashes and sessions are not in the log
and are never exported. Of a session's token only the sha256 is kept.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, delete, func, insert, select

from paraphrast.corpora.annotation.refusals import LoginRefused, NotAllowed
from paraphrast.corpora.annotation.store import event_log as log
from paraphrast.corpora.annotation.store import schema
from paraphrast.corpora.annotation.store.event_log import LogEvent
from paraphrast.corpora.annotation.store.projections import record
from paraphrast.errors import ConfigError

ANNOTATOR, ADJUDICATOR, ADMIN = ROLES = ("annotator", "adjudicator", "admin")
OWNER = "(owner)"
"""Who holds the files of the project, and works on them without an account."""

SESSION_SECONDS = 12 * 3600.0
_NAME = re.compile(r"[\w.@+-]{1,80}")
_SHORTEST_PASSWORD = 8
_ATTEMPTS, _WINDOW = 5, 900.0  # so many wrong passwords in so many seconds

_hasher = PasswordHasher()


@dataclass(frozen=True, slots=True)
class AnnotatorAccount:
    """A person's name and role; a closed account may do nothing."""

    name: str
    role: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class DeskSession:
    """A log-in: the token is for the browser's cookie and is told only once."""

    token: str
    account: AnnotatorAccount
    expires_at: float


def make_account(
    connection: Connection, name: str, role: str, *, actor: str, at: float
) -> AnnotatorAccount:
    """Add an account; until it has a password nobody can log in to it."""
    if not _NAME.fullmatch(name):
        raise ConfigError(f"a name has 1 to 80 letters, digits or . @ + - _; got {name!r}")
    _check_role(role)
    if find_account(connection, name) is not None:
        raise ConfigError(f"there is an account {name!r} already")
    body = {"name": name, "role": role}
    record(connection, LogEvent(kind=log.ACCOUNT_MADE, at=at, actor=actor, body=body))
    return AnnotatorAccount(name, role, True)


def change_role(connection: Connection, name: str, role: str, *, actor: str, at: float) -> None:
    """Give an account another role, and open it if it was closed."""
    _check_role(role)
    known_account(connection, name)
    body = {"name": name, "role": role}
    record(connection, LogEvent(kind=log.ROLE_CHANGED, at=at, actor=actor, body=body))


def close_account(connection: Connection, name: str, *, actor: str, at: float) -> None:
    """Close an account and end its sessions; what its holder did stays."""
    known_account(connection, name)
    revoke_sessions(connection, name)
    body = {"name": name}
    record(connection, LogEvent(kind=log.ACCOUNT_CLOSED, at=at, actor=actor, body=body))


def hashed_password(password: str) -> str:
    """Return the Argon2 hash of a password, which takes a while: hold no transaction."""
    if len(password) < _SHORTEST_PASSWORD:
        raise ConfigError(f"a password has at least {_SHORTEST_PASSWORD} characters")
    return _hasher.hash(password)


def keep_password(connection: Connection, name: str, kept: str) -> None:
    """Keep a password's hash and end the sessions that the former one opened."""
    known_account(connection, name)
    table = schema.credential
    connection.execute(delete(table).where(table.c.name == name))
    connection.execute(insert(table).values(name=name, hash=kept))
    revoke_sessions(connection, name)


def accounts(connection: Connection) -> list[AnnotatorAccount]:
    """Return all accounts by name."""
    table = schema.account
    rows = connection.execute(select(table).order_by(table.c.name))
    return [AnnotatorAccount(row.name, row.role, bool(row.is_open)) for row in rows]


def find_account(connection: Connection, name: str) -> AnnotatorAccount | None:
    """Return an account, None if there is none of that name."""
    table = schema.account
    row = connection.execute(select(table).where(table.c.name == name)).first()
    return None if row is None else AnnotatorAccount(row.name, row.role, bool(row.is_open))


def known_account(connection: Connection, name: str) -> AnnotatorAccount:
    """Return an account that must be there."""
    found = find_account(connection, name)
    if found is None:
        raise NotAllowed(f"there is no account {name!r}")
    return found


def allowed(connection: Connection, name: str, *roles: str) -> None:
    """Refuse what an account's role does not cover; the owner of the files may do all."""
    if name == OWNER:
        return
    found = known_account(connection, name)
    if not found.is_open:
        raise NotAllowed(f"the account {name!r} is closed")
    if found.role not in roles:
        needed = " or ".join(roles)
        raise NotAllowed(f"{name!r} is {found.role}; this needs the role {needed}")


def check_worker(connection: Connection, name: str) -> None:
    """Demand an account that may annotate, which the owner and admins may not.

    Admins can export all answers, and nobody may see others' before his own are in.
    """
    if name == OWNER:
        raise NotAllowed("annotating needs an account; add one with: paraphrast annotate account")
    allowed(connection, name, ANNOTATOR, ADJUDICATOR)


def check_attempts(connection: Connection, name: str, at: float) -> None:
    """Refuse to check a password after too many wrong ones."""
    failures = schema.login_failure
    recent = (failures.c.name == name[:80]) & (failures.c.at > at - _WINDOW)
    count = connection.execute(select(func.count()).select_from(failures).where(recent))
    if count.scalar_one() >= _ATTEMPTS:
        minutes = round(_WINDOW / 60)
        raise LoginRefused(f"too many wrong passwords for {name!r}; wait {minutes} minutes")


def password_hash(connection: Connection, name: str) -> str | None:
    """Return the hash of an open account's password, None if it has none."""
    found = find_account(connection, name)
    table = schema.credential
    kept = connection.execute(select(table.c.hash).where(table.c.name == name)).scalar()
    return kept if found is not None and found.is_open else None


def password_matches(kept: str | None, password: str) -> bool:
    """Check a password; it takes as long for a name that nobody has. Hold no transaction."""
    try:
        return _hasher.verify(kept or _nobody(), password) and kept is not None
    except (VerificationError, InvalidHashError):
        return False


def note_attempt(connection: Connection, name: str, at: float, *, right: bool) -> None:
    """Count a wrong password; forget the wrong ones before a right one."""
    failures = schema.login_failure
    if right:
        connection.execute(delete(failures).where(failures.c.name == name))
    else:
        connection.execute(insert(failures).values(name=name[:80], at=at))


def open_session(connection: Connection, name: str, at: float) -> DeskSession:
    """Make a session for an account whose password was right."""
    token, ends, table = secrets.token_urlsafe(32), at + SESSION_SECONDS, schema.session
    connection.execute(delete(table).where(table.c.expires_at <= at))
    connection.execute(
        insert(table).values(token=_hashed(token), name=name, made_at=at, expires_at=ends)
    )
    return DeskSession(token, known_account(connection, name), ends)


def session_account(connection: Connection, token: str, at: float) -> AnnotatorAccount:
    """Return whose session a token opens, or refuse."""
    table = schema.session
    live = (table.c.token == _hashed(token)) & (table.c.expires_at > at)
    name = connection.execute(select(table.c.name).where(live)).scalar()
    found = None if name is None else find_account(connection, name)
    if found is None or not found.is_open:
        raise LoginRefused("the session has ended; log in again")
    return found


def revoke_sessions(connection: Connection, name: str) -> int:
    """End all sessions of an account and return how many there were."""
    table = schema.session
    return int(connection.execute(delete(table).where(table.c.name == name)).rowcount)


def end_session(connection: Connection, token: str) -> None:
    """End one session."""
    table = schema.session
    connection.execute(delete(table).where(table.c.token == _hashed(token)))


@cache
def _nobody() -> str:
    return _hasher.hash(secrets.token_hex(16))


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise ConfigError(f"a role is one of {', '.join(ROLES)}; got {role!r}")
