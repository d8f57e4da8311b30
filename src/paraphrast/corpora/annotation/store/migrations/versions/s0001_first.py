"""The first schema: the log, what is told from it, and the secrets of accounts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_REFUSAL = "the log is append-only"


def upgrade() -> None:
    """Make the tables, and let the database itself refuse changes to the log."""
    _log()
    _told()
    _secrets()
    if op.get_bind().dialect.name == "sqlite":
        for act in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER event_no_{act.lower()} BEFORE {act} ON event "
                f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER event_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON event "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )


def _log() -> None:
    op.create_table(
        "event",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
        sa.Column("actor", sa.String(80), nullable=False),
        sa.Column("item", sa.String(200)),
        sa.Column("subject", sa.String(80)),
        sa.Column("body", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("event_of_assignment", "event", ["item", "subject", "seq"])
    op.create_index("event_of_actor", "event", ["actor", "seq"])


def _told() -> None:
    op.create_table(
        "project",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("guideline", sa.Integer, nullable=False),
        sa.Column("guideline_text", sa.Text, nullable=False),
    )
    op.create_table(
        "account",
        sa.Column("name", sa.String(80), primary_key=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("made_at", sa.Float(53), nullable=False),
    )
    _items()
    for name in ("suggestion", "decision"):
        second = (
            sa.Column("source", sa.String(80), primary_key=True)
            if name == "suggestion"
            else sa.Column("version", sa.Integer, nullable=False)
        )
        op.create_table(
            name,
            sa.Column("item", sa.String(200), primary_key=True),
            second,
            sa.Column("body", sa.Text, nullable=False),
        )


def _items() -> None:
    op.create_table(
        "item",
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("purpose", sa.String(16), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("pair", sa.Text, nullable=False),
        sa.Column("wanted", sa.Integer, nullable=False),
        sa.Column("taken", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
    )
    op.create_index("item_in_order", "item", ["purpose", "rank"])
    op.create_table(
        "assignment",
        sa.Column("item", sa.String(200), primary_key=True),
        sa.Column("annotator", sa.String(80), primary_key=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("slot", sa.Integer),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("lease_until", sa.Float(53), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("item", "slot", name="one_annotator_a_slot"),
    )
    op.create_index("assignment_of", "assignment", ["annotator", "state"])
    op.create_index("assignment_lease", "assignment", ["state", "lease_until"])


def _secrets() -> None:
    op.create_table(
        "credential",
        sa.Column("name", sa.String(80), primary_key=True),
        sa.Column("hash", sa.Text, nullable=False),
    )
    op.create_table(
        "session",
        sa.Column("token", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("made_at", sa.Float(53), nullable=False),
        sa.Column("expires_at", sa.Float(53), nullable=False),
    )
    op.create_index("session_of", "session", ["name"])
