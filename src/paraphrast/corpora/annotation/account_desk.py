"""The door to accounts: who works here, in which role, and who is logged in."""

from __future__ import annotations

from dataclasses import dataclass

from paraphrast.corpora.annotation.refusals import LoginRefused
from paraphrast.corpora.annotation.store import accounts as store
from paraphrast.corpora.annotation.store.accounts import (
    ADMIN,
    AnnotatorAccount,
    DeskSession,
    allowed,
)
from paraphrast.corpora.annotation.store.ledger import Ledger


@dataclass(frozen=True, slots=True)
class AccountDesk:
    """Accounts and sessions; only an admin makes, changes and closes accounts."""

    ledger: Ledger

    def add(
        self, actor: str, name: str, role: str, password: str | None = None
    ) -> AnnotatorAccount:
        """Add an account; without a password nobody can log in to it."""
        kept = None if password is None else store.hashed_password(password)
        with self.ledger.database.writing() as connection:
            allowed(connection, actor, ADMIN)
            at = self.ledger.clock()
            made = store.make_account(connection, name, role, actor=actor, at=at)
            if kept is not None:
                store.keep_password(connection, name, kept)
        return made

    def set_password(self, actor: str, name: str, password: str) -> None:
        """Change a password, one's own or as an admin; all sessions of the account end."""
        kept = store.hashed_password(password)
        with self.ledger.database.writing() as connection:
            if actor != name:
                allowed(connection, actor, ADMIN)
            store.keep_password(connection, name, kept)

    def change_role(self, actor: str, name: str, role: str) -> None:
        """Give an account another role, and open it if it was closed."""
        with self.ledger.database.writing() as connection:
            allowed(connection, actor, ADMIN)
            store.change_role(connection, name, role, actor=actor, at=self.ledger.clock())

    def close(self, actor: str, name: str) -> None:
        """Close an account; its sessions end, and what its holder did stays."""
        with self.ledger.database.writing() as connection:
            allowed(connection, actor, ADMIN)
            store.close_account(connection, name, actor=actor, at=self.ledger.clock())

    def all(self, actor: str) -> list[AnnotatorAccount]:
        """Return all accounts."""
        with self.ledger.database.reading() as connection:
            allowed(connection, actor, ADMIN)
            return store.accounts(connection)

    def log_in(self, name: str, password: str) -> DeskSession:
        """Open a session; its token is told only now."""
        with self.ledger.database.reading() as connection:
            store.check_attempts(connection, name, self.ledger.clock())
            kept = store.password_hash(connection, name)
        right = store.password_matches(kept, password)
        with self.ledger.database.writing() as connection:
            at = self.ledger.clock()
            store.check_attempts(connection, name, at)  # others may have tried meanwhile
            store.note_attempt(connection, name, at, right=right)
            if right:
                return store.open_session(connection, name, at)
        raise LoginRefused("the name or the password is wrong")

    def session(self, token: str) -> AnnotatorAccount:
        """Return whose session a token opens, or refuse."""
        with self.ledger.database.reading() as connection:
            return store.session_account(connection, token, self.ledger.clock())

    def log_out(self, token: str) -> None:
        """End one session."""
        with self.ledger.database.writing() as connection:
            store.end_session(connection, token)

    def revoke(self, actor: str, name: str) -> int:
        """End all sessions of an account and return how many there were."""
        with self.ledger.database.writing() as connection:
            if actor != name:
                allowed(connection, actor, ADMIN)
            return store.revoke_sessions(connection, name)
