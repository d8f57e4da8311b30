"""Stores: SQLite, and PostgreSQL as Debian installs it, run by an unprivileged user."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")
pytest.importorskip("argon2")


def _program(name: str) -> str | None:
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return shutil.which(name) or (str(versions[0]) if versions else None)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Callable[[], str]]:
    """A function that makes an empty database and returns its URL; skipped without PostgreSQL."""
    pytest.importorskip("psycopg", reason="the package psycopg is not installed")
    initdb, control = _program("initdb"), _program("pg_ctl")
    if initdb is None or control is None:
        pytest.skip("PostgreSQL is not installed (Debian's package: postgresql)")
    folder, port = Path(tempfile.mkdtemp(prefix="paraphrast-pg-")), _free_port()
    user = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    if os.geteuid() == 0:
        shutil.chown(folder, user)

    def run(*command: str) -> None:
        done = subprocess.run(
            command,
            cwd=folder,
            user=user if os.geteuid() == 0 else None,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()

    data, log = str(folder / "data"), str(folder / "log")
    run(initdb, "-D", data, "-U", "desk", "-A", "trust", "-E", "UTF8")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder} -F -c max_connections=200"
    run(control, "-D", data, "-l", log, "-w", "-o", options, "start")
    numbers = count()

    def database() -> str:
        import psycopg

        name = f"desk{next(numbers)}"
        address = f"postgresql://desk@127.0.0.1:{port}"
        with psycopg.connect(f"{address}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
        return f"{address}/{name}"

    yield database
    run(control, "-D", data, "-m", "immediate", "stop")
    shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> str | None:
    """A store's URL: None is SQLite's file beside the project."""
    if request.param == "sqlite":
        return None
    url: str = request.getfixturevalue("postgresql")()
    return url
