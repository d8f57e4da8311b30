"""Bring a store's tables to the form that this version knows (Alembic)."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from paraphrast.corpora.annotation.refusals import StoreUnavailable

_SCRIPTS = Path(__file__).parent / "migrations"


def migrate(connection: Connection, revision: str = "head") -> None:
    """Take the steps that are lacking; a store of a later version is refused."""
    config = _config(connection)
    known = {one.revision for one in ScriptDirectory.from_config(config).walk_revisions()}
    current = MigrationContext.configure(connection).get_current_revision()
    if current is not None and current not in known:
        raise StoreUnavailable(
            f"the store was made by a later version of paraphrast (its schema is {current}); "
            "update paraphrast"
        )
    if revision != "head" or current != newest(connection):
        command.upgrade(config, revision)


def newest(connection: Connection) -> str:
    """Return the name of the last schema."""
    head = ScriptDirectory.from_config(_config(connection)).get_current_head()
    assert head is not None
    return head


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
