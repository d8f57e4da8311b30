"""One process group at a time in a folder that several must not share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from paraphrast.errors import ConfigError, InputError


@contextmanager
def alone(folder: Path, *, doing: str, main: bool = True) -> Iterator[None]:
    """Hold the folder's lock; ConfigError if another process is `doing` its work there.

    A kill lets the lock go. Where the system has no such locks (Windows), nothing is held.
    """
    try:
        import fcntl
    except ModuleNotFoundError:
        main = False
    if not main:
        yield
        return
    with _opened(folder) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"another process is {doing} in {folder}; wait for it") from None
        yield


@contextmanager
def lock_folder(folder: Path, *, doing: str) -> Iterator[None]:
    """Hold a lock on a folder itself, which leaves no file in it; otherwise as `alone`."""
    try:
        import fcntl
    except ModuleNotFoundError:
        yield
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"another process is {doing} in {folder}; wait for it") from None
        yield
    finally:
        os.close(number)


def _opened(folder: Path) -> IO[str]:
    try:
        return (folder / ".lock").open("w")
    except OSError as error:
        raise InputError(f"cannot write into {folder}: {error.strerror or error}") from error
