"""Work that survives a kill: one process in a folder, entries with checksums, nothing left over.

A job that can go on keeps its work in a folder (`work_folder`) or in one file of rows (`journal`).
The names of what it keeps hold a `digest` of all that it was made from, so that a changed job
never takes another's. An entry is a file that appears complete or not at all (`atomic_writer`) or
a line; its sha256 is kept beside it and read before the entry is used. What fails is made again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from paraphrast.errors import ConfigError, InputError
from paraphrast.io.atomic import TEMPORARY, atomic_writer, make_folder

_LOCK = ".lock"
_MARK = 16  # hexadecimal digits of each line's sha256
_LINE = b'{"sha256": "%b", "row": %b}\n'
_ROW_STARTS = len(_LINE % (b"0" * _MARK, b"")) - 2
_FRESH = 60.0  # seconds in which a writer may not have locked its file yet


def digest(parts: Any) -> str:
    """Return 16 hexadecimal digits for JSON values, whatever the order of their keys."""
    canonical = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal_file(path: Path) -> None:
    """Write the sha256 of a file beside it, once the file is complete."""
    with atomic_writer(_seal(path)) as file:
        file.write(file_sha256(path) + "\n")


def is_sealed(path: Path) -> bool:
    """Tell whether a file is as it was sealed; yes for one of an earlier version, without seal."""
    try:
        return _seal(path).read_text(encoding="utf-8").strip() == file_sha256(path)
    except FileNotFoundError:
        return path.exists()


def _seal(path: Path) -> Path:
    return path.with_suffix(".sha256")


def sealed_line(row: Mapping[str, Any]) -> bytes:
    """Return a row as a line of JSONL that holds the row and the beginning of its sha256."""
    raw = json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return _LINE % (hashlib.sha256(raw).hexdigest()[:_MARK].encode(), raw)


def unsealed_line(line: bytes) -> dict[str, Any] | None:
    """Return the row of a sealed line; None if the line is cut off or not what was written."""
    raw = line[_ROW_STARTS:-2]
    if line != _LINE % (hashlib.sha256(raw).hexdigest()[:_MARK].encode(), raw):
        return None
    return dict(json.loads(raw.decode("utf-8", "surrogatepass")))


def whole_lines(file: IO[bytes]) -> tuple[int, int]:
    """Count the sealed lines from here to the first damaged one; return where the last ends."""
    count, end = 0, file.tell()
    for line in file:
        if unsealed_line(line) is None:
            break
        count, end = count + 1, end + len(line)
    return count, end


@contextmanager
def work_folder(folder: Path, *, doing: str) -> Iterator[Path]:
    """Make a folder if need be and hold it alone; remove what killed processes left in it."""
    try:
        make_folder(folder)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}") from error
    if not os.access(folder, os.W_OK):
        raise InputError(f"cannot write into {folder}: Permission denied")
    with alone(folder, doing=doing):
        for path in folder.rglob(TEMPORARY):  # nobody else writes here now
            path.unlink(missing_ok=True)
        yield folder


@contextmanager
def alone(folder: Path, *, doing: str, main: bool = True) -> Iterator[None]:
    """Hold the folder's lock; ConfigError if another process is `doing` its work there.

    A kill lets the lock go. Where the system has no such locks (Windows), nothing is held.
    """
    if not main:
        yield
        return
    try:
        file = (folder / _LOCK).open("w")
    except OSError as error:
        raise InputError(f"cannot write into {folder}: {error.strerror or error}") from error
    with file:
        if not lock_file(file):
            raise ConfigError(f"another process is {doing} in {folder}; wait for it")
        yield


@contextmanager
def lock_folder(folder: Path, *, doing: str) -> Iterator[None]:
    """Hold a lock on a folder itself, which leaves no file in it; otherwise as `alone`."""
    if os.name == "nt":  # where folders cannot be opened
        yield
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        if not lock_file(number):
            raise ConfigError(f"another process is {doing} in {folder}; wait for it")
        yield
    finally:
        os.close(number)


def lock_file(file: IO[Any] | int) -> bool:
    """Lock an open file until it is closed; False if another process holds it."""
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def remove_leftovers(place: Path, folders: str) -> None:
    """Remove from a folder that is anybody's what killed processes left there.

    That is temporary files, and temporary work folders whose names match `folders`. Writers hold a
    lock on a file and `alone` on a folder, so what can be locked is left over. What has no lock yet
    may belong to a process that is about to take it, unless it is a minute old.
    """
    for path in place.glob(TEMPORARY):
        with suppress(OSError), path.open("rb") as file:
            if not _is_new(path) and lock_file(file):
                path.unlink()
    for folder in place.glob(folders):
        with suppress(OSError, ConfigError, InputError):
            if not (folder / _LOCK).exists() and _is_new(folder):
                continue
            with alone(folder, doing="working"):
                shutil.rmtree(folder)


def _is_new(path: Path) -> bool:
    return time.time() - path.stat().st_mtime < _FRESH
