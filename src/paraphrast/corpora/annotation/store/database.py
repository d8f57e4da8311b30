"""SQLite or PostgreSQL: one writer at a time, so that events are numbered in the order of commits.

SQLite runs in WAL mode with `BEGIN IMMEDIATE`, a busy timeout and full synchronisation: what was
acknowledged is on the disk. On PostgreSQL a transaction that writes holds an advisory lock.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from paraphrast.corpora.annotation.refusals import StoreUnavailable
from paraphrast.errors import ConfigError, MissingExtra

_BUSY_SECONDS = 60
_POOL, _OVERFLOW = 8, 120
_WRITERS = 0x9A2A92A5  # the advisory lock's number
_WRITES = "paraphrast_writes"


class Database:
    """A store's engine, and the two kinds of transactions on it."""

    def __init__(self, url: str, *, must_exist: bool = False) -> None:
        self.url = url
        self.engine = _engine(url)
        file = self.engine.url.database if self.engine.dialect.name == "sqlite" else None
        if must_exist and file is not None and not Path(file).exists():
            raise StoreUnavailable(
                f"there is no store {file}; restore it from an export of its log"
            )
        if file is not None and not must_exist:
            Path(file).touch(mode=0o600)  # it holds the hashes of passwords
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self._writer = threading.Lock()  # waiting here is fair; SQLite's own waiting is not

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that no other writer is beside; it commits when the block ends."""
        connected = self._connected(writes=True)
        with self._writer, _told(self.url), connected as connection, connection.begin():
            if not self.is_sqlite:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_WRITERS})"))
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that sees one state of the store and changes nothing."""
        with _told(self.url), self._connected(writes=False) as connection, connection.begin():
            yield connection

    def after_numbered(self, connection: Connection, last: int) -> None:
        """Go on numbering after events that brought their numbers along."""
        if not self.is_sqlite:  # SQLite goes on by itself
            sequence = "pg_get_serial_sequence('event', 'seq')"
            connection.execute(text(f"SELECT setval({sequence}, {int(last)})"))

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def _connected(self, *, writes: bool) -> Iterator[Connection]:
        with self.engine.connect() as connection:
            options: dict[str, Any] = {_WRITES: writes}
            if not self.is_sqlite and not writes:
                options["isolation_level"] = "REPEATABLE READ"
            yield connection.execution_options(**options)


def sqlite_url(path: Path) -> str:
    """Return the URL of a database file."""
    return f"sqlite:///{path}"


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise ConfigError(f"{url!r} is no database URL; write postgresql://HOST/NAME") from error
    kind = parsed.get_backend_name()
    if kind not in ("sqlite", "postgresql"):
        raise ConfigError(f"the store is SQLite or PostgreSQL, not {kind!r}")
    if kind == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    try:
        if kind == "postgresql":
            return create_engine(
                parsed, pool_size=_POOL, max_overflow=_OVERFLOW, pool_pre_ping=True
            )
        engine = create_engine(
            parsed,
            pool_size=_POOL,
            max_overflow=_OVERFLOW,
            connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False},
        )
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise MissingExtra("postgresql", "psycopg") from error
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: Any) -> None:
    """Set up a connection to SQLite; the driver itself must not begin transactions."""
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={_BUSY_SECONDS * 1000}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _told(url: str) -> Iterator[None]:
    """Say in plain words what the database could not do."""
    try:
        yield
    except PoolTimeout as error:
        raise StoreUnavailable("the store is too busy; try again in a minute") from error
    except DBAPIError as error:
        raise StoreUnavailable(_reason(str(error.orig), url)) from error


def _reason(message: str, url: str) -> str:
    where = make_url(url).render_as_string(hide_password=True)
    nothing = "; nothing of this request was recorded, and all that was before is kept"
    lower = message.lower().strip()
    if "disk is full" in lower or "disk i/o error" in lower or "no space left" in lower:
        return f"{where}: the disk is full or cannot be written ({message}){nothing}"
    if "locked" in lower:
        return f"{where}: another program holds the store for over {_BUSY_SECONDS} s{nothing}"
    if "unable to open" in lower:
        return f"{where}: there is no such store, or it may not be opened"
    if "readonly" in lower or "read-only" in lower:
        return f"{where}: the store is write-protected{nothing}"
    if "malformed" in lower or "not a database" in lower:
        return f"{where}: the store is damaged ({message}); restore it from an export of its log"
    if "append-only" in lower:
        return f"{where}: the log is append-only: its events are never changed or removed"
    if "connect" in lower or "terminat" in lower or "closed" in lower:
        return f"{where}: the connection to the store is lost ({message}){nothing}; try again"
    return f"{where}: {message}{nothing}"
