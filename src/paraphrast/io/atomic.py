"""Files that appear under their name complete, or not at all."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, overload

from paraphrast.errors import InputError

TEMPORARY = ".paraphrast-*.tmp"
"""A pattern of the names that files have while they are being written."""

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


_OPEN_FILE = re.compile(r"/dev/std(out|err)|(?:/dev|/proc/self)/fd/(\d+)")


@overload
def atomic_writer(
    path: str | Path, *, binary: Literal[False] = False
) -> AbstractContextManager[IO[str]]: ...
@overload
def atomic_writer(
    path: str | Path, *, binary: Literal[True]
) -> AbstractContextManager[IO[bytes]]: ...
def atomic_writer(path: str | Path, *, binary: bool = False) -> AbstractContextManager[IO[Any]]:
    """Open a file that takes its name only when the block ends well; gzipped if named .gz.

    Whatever goes wrong, an older file of that name stays as it was and no temporary one is left.
    Text is UTF-8 with "\\n" line ends. A device or pipe (/dev/stdout) is written directly. Failed
    writes raise InputError; other exceptions of the block pass unchanged.
    """
    if is_stream(path):
        return _direct(Path(path), str(path), binary)
    return _atomic(Path(os.path.realpath(path)), str(path), binary)  # a link stays a link


def is_stream(path: str | Path) -> bool:
    """Tell whether a path is a device, a pipe or an open file: /dev/stdout, bash's >(command)."""
    if _OPEN_FILE.fullmatch(str(path)):
        return True
    found = Path(path)
    return found.exists() and not found.is_file() and not found.is_dir()


def check_writable(path: str | Path) -> None:
    """Raise the InputError that writing would raise at once: a folder, no folder, no permission."""
    if not is_stream(path):
        _check(Path(os.path.realpath(path)), str(path))


@contextmanager
def _direct(device: Path, shown: str, binary: bool) -> Iterator[IO[Any]]:
    with _layers(_open(device, "w", shown, left=""), binary) as file:
        yield file


@contextmanager
def _atomic(final: Path, shown: str, binary: bool) -> Iterator[IO[Any]]:
    _check(final, shown)
    # The name is short, because the final one may already be as long as the system allows.
    temporary = final.with_name(TEMPORARY.replace("*", os.urandom(6).hex()))
    target = _open(temporary, "x", shown, left="; nothing was left under that name")
    _lock(target)
    if final.exists():
        target.left = "; the file of that name is as it was"
    try:
        with _layers(target, binary) as file:
            yield file
        _rename(temporary, final, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


class _Target(io.FileIO):
    """The file behind the buffers: failures name the final path, and what follows is dropped.

    Buffers write again when they are closed; after a failure that must neither fail again, hiding
    the first error, nor reach the disk.
    """

    shown: str
    left: str
    dropped = False

    def write(self, data: ReadableBuffer) -> int:
        if self.dropped:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except OSError as error:
            raise self.failed(error) from error

    def close(self) -> None:
        """Close when all has reached the disk, so that a rename cannot overtake the contents."""
        try:
            if not (self.closed or self.dropped) and stat.S_ISREG(os.fstat(self.fileno()).st_mode):
                os.fsync(self.fileno())
        except OSError as error:
            raise self.failed(error) from error
        finally:
            super().close()

    def failed(self, error: OSError) -> InputError:
        self.dropped = True
        return _cannot_write(self.shown, error.strerror or str(error), self.left)


@contextmanager
def _layers(target: _Target, binary: bool) -> Iterator[IO[Any]]:
    """Stack buffer, gzip and text over the target; closed from the top."""
    with ExitStack() as stack:
        file: Any = stack.enter_context(io.BufferedWriter(target))
        if target.shown.lower().endswith(".gz"):
            # no name and no time inside: the same contents give the same bytes
            file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        if not binary:
            file = stack.enter_context(io.TextIOWrapper(file, "utf-8", newline="\n"))
        try:
            yield file
        except BaseException:
            target.dropped = True
            raise


def _check(final: Path, shown: str) -> None:
    if final.is_dir():
        raise _cannot_write(shown, "it is a directory")
    if not final.parent.is_dir():
        raise _cannot_write(shown, f"there is no folder {final.parent}")
    if final.exists() and not os.access(final, os.W_OK):
        raise _cannot_write(shown, "it is write-protected")


def _open(path: Path, mode: str, shown: str, left: str) -> _Target:
    try:
        target = _Target(_descriptor(path), mode)
    except OSError as error:
        raise _cannot_write(shown, error.strerror or str(error)) from error
    target.shown, target.left = shown, left
    return target


def _descriptor(path: Path) -> Path | int:
    """Return the path, or for a file that is open already a second handle of it.

    Opened anew it would have a place of its own, and what the shell writes next would overlap.
    """
    found = _OPEN_FILE.fullmatch(str(path))
    if found is None:
        return path
    if sys.stdout is not None:
        sys.stdout.flush()
    number = found[2] or {"out": 1, "err": 2}[found[1]]
    return os.dup(int(number))


def _rename(temporary: Path, final: Path, target: _Target) -> None:
    try:
        if final.exists():
            temporary.chmod(stat.S_IMODE(final.stat().st_mode))
        temporary.replace(final)
        flush_folder(final.parent)
    except OSError as error:
        raise target.failed(error) from error


def _lock(target: _Target) -> None:
    """Show other processes that somebody writes this file: its lock goes with its writer."""
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        return
    with suppress(OSError):  # a file system without locks
        fcntl.flock(target, fcntl.LOCK_EX | fcntl.LOCK_NB)


def flush_folder(folder: Path) -> None:
    """Bring a new name to the disk, so that a power cut cannot undo it."""
    if os.name != "nt":  # where folders cannot be opened
        flush_file(folder)


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, so that a power cut cannot undo it."""
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
    for each in reversed(new):
        flush_folder(each.parent)


def flush_file(path: Path) -> None:
    """Bring what was written to a file to the disk."""
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _cannot_write(shown: str, why: str, left: str = "") -> InputError:
    return InputError(f"cannot write {shown}: {why}{left}")
