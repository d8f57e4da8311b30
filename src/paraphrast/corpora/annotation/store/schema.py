"""The tables. `event` is the record; accounts' secrets aside, all others are rebuilt from it."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

event = Table(
    "event",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("kind", String(32), nullable=False),
    Column("at", Float(53), nullable=False),
    Column("actor", String(80), nullable=False),
    Column("item", String(200)),
    Column("subject", String(80)),
    Column("body", Text, nullable=False),
    Index("event_of_assignment", "item", "subject", "seq"),
    Index("event_of_actor", "actor", "seq"),
    sqlite_autoincrement=True,
)

project = Table(
    "project",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("settings", Text, nullable=False),
    Column("guideline", Integer, nullable=False),
    Column("guideline_text", Text, nullable=False),
)

account = Table(
    "account",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("role", String(16), nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("made_at", Float(53), nullable=False),
)

item = Table(
    "item",
    metadata,
    Column("id", String(200), primary_key=True),
    Column("rank", Integer, nullable=False),
    Column("purpose", String(16), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("pair", Text, nullable=False),
    Column("wanted", Integer, nullable=False),
    Column("taken", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    Index("item_in_order", "purpose", "rank"),
)

assignment = Table(
    "assignment",
    metadata,
    Column("item", String(200), primary_key=True),
    Column("annotator", String(80), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("slot", Integer),
    Column("version", Integer, nullable=False),
    Column("lease_until", Float(53), nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("item", "slot", name="one_annotator_a_slot"),
    Index("assignment_of", "annotator", "state"),
    Index("assignment_lease", "state", "lease_until"),
)

suggestion = Table(
    "suggestion",
    metadata,
    Column("item", String(200), primary_key=True),
    Column("source", String(80), primary_key=True),
    Column("body", Text, nullable=False),
)

decision = Table(
    "decision",
    metadata,
    Column("item", String(200), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("body", Text, nullable=False),
)

credential = Table(
    "credential",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("hash", Text, nullable=False),
)

session = Table(
    "session",
    metadata,
    Column("token", String(64), primary_key=True),  # its sha256: a stolen table opens nothing
    Column("name", String(80), nullable=False),
    Column("made_at", Float(53), nullable=False),
    Column("expires_at", Float(53), nullable=False),
    Index("session_of", "name"),
)

login_failure = Table(
    "login_failure",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("name", String(80), nullable=False),
    Column("at", Float(53), nullable=False),
    Index("login_failure_of", "name", "at"),
)

PROJECTIONS = (project, account, item, assignment, suggestion, decision)
"""Tables that hold nothing but what the log tells."""
