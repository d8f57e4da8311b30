"""Failed log-ins are counted, so that guessing a password takes long."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the table of failed attempts."""
    op.create_table(
        "login_failure",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
    )
    op.create_index("login_failure_of", "login_failure", ["name", "at"])
