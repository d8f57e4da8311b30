"""Migrations: from each schema there ever was to the last, with what was in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from paraphrast.corpora.annotation.refusals import StoreUnavailable
from paraphrast.corpora.annotation.store import migration
from paraphrast.corpora.annotation.store.database import Database, sqlite_url
from paraphrast.corpora.annotation.store.event_log import LogEvent, events
from paraphrast.corpora.annotation.store.projections import record
from paraphrast.corpora.annotation.store.schema import metadata

_SCRIPTS = Path(migration.__file__).parent / "migrations"
REVISIONS = sorted(one.revision for one in ScriptDirectory(str(_SCRIPTS)).walk_revisions())


def test_the_first_schema_is_known() -> None:
    assert REVISIONS[0] == "0001"
    assert len(REVISIONS) > 1


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_schema_becomes_the_last(tmp_path: Path, store: str | None, revision: str) -> None:
    database = Database(store or sqlite_url(tmp_path / "old.sqlite3"))
    event = LogEvent(
        kind="account_made", at=1.25, actor="x", body={"name": "ana", "role": "annotator"}
    )
    with database.writing() as connection:
        migration.migrate(connection, revision)
        assert ("login_failure" in inspect(connection).get_table_names()) == (revision > "0001")
        kept = record(connection, event)
    with database.writing() as connection:
        migration.migrate(connection)
    with database.reading() as connection:
        assert list(events(connection)) == [kept]
        context = MigrationContext.configure(connection)
        assert context.get_current_revision() == REVISIONS[-1] == migration.newest(connection)
        assert compare_metadata(context, metadata) == []
    database.close()


def test_a_store_of_the_future_is_left_alone(tmp_path: Path) -> None:
    database = Database(sqlite_url(tmp_path / "new.sqlite3"))
    with database.writing() as connection:
        migration.migrate(connection)
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreUnavailable, match="later version"), database.writing() as connection:
        migration.migrate(connection)
    database.close()
