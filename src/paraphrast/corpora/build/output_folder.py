"""The folder that a corpus is written into: never over other files, never half over its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from paraphrast.corpora.build.manifest import MANIFEST, read_manifest
from paraphrast.errors import ConfigError, InputError
from paraphrast.io.atomic import flush_folder
from paraphrast.io.resume import lock_folder

STAGING = ".paraphrast-new"


def check_home(home: Path, work: Path) -> None:
    """Refuse a folder with anything in it but a corpus of ours; `work` may lie inside."""
    if home.exists() and not home.is_dir():
        raise ConfigError(f"{home} is a file; a corpus is written into a folder")
    if home.resolve() == work.resolve():
        raise ConfigError(f"{home} cannot hold the corpus and the rows of the steps; change --work")
    there = next(folder for folder in (home, *home.resolve().parents) if folder.exists())
    if not os.access(there, os.W_OK):
        raise InputError(f"cannot write into {there}: it is write-protected")
    if home.is_dir() and not _is_ours(home) and (found := _others(home, work)):
        raise ConfigError(
            f"{home} is not empty, and what is in it ({found}) is no corpus of Paraphrast; give a "
            "new or an empty folder"
        )


def _is_ours(home: Path) -> bool:
    """Tell whether there is a corpus, or one that was being put there when the job was killed."""
    if (home / STAGING).is_dir():
        return True
    try:
        read_manifest(home)
    except InputError:
        return False
    return True


def _others(home: Path, work: Path) -> str:
    """Name a few of the files that are not the work folder's."""
    inner = work.resolve()
    names = sorted(
        path.name for path in home.iterdir() if path.resolve() not in (inner, *inner.parents)
    )
    return ", ".join([*names[:3], *(["…"] if len(names) > 3 else [])])


@contextmanager
def sole_writer(home: Path) -> Iterator[None]:
    """Make the folder and hold it against other jobs; one that stays empty goes again.

    The folder itself is locked, so no file of ours is in it. Where the system has no such locks
    (Windows), nothing is held.
    """
    is_new = not home.exists()
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write into {home}: {error.strerror or error}") from error
    try:
        with lock_folder(home, doing="building a corpus"):
            yield
    finally:
        if is_new:
            with suppress(OSError):  # it has a corpus now
                home.rmdir()


@contextmanager
def staged(home: Path) -> Iterator[Path]:
    """Give a folder for the files of a corpus; when the block ends well, they become those of home.

    Until then a corpus of before is as it was. Files that only the old manifest names go; those
    that it does not name stay. The new manifest comes last.
    """
    staging, is_new = home / STAGING, not home.exists()
    before = _named(home) | _named(staging)  # of a job that was killed while it put them there
    shutil.rmtree(staging, ignore_errors=True)
    try:
        staging.mkdir(parents=True)
    except OSError as error:
        raise InputError(f"cannot write into {home}: {error.strerror or error}") from error
    try:
        yield staging
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        if is_new:
            home.rmdir()
        raise
    try:
        _publish(staging, home, before)
    except OSError as error:
        raise InputError(f"cannot write into {home}: {error.strerror or error}") from error


def _publish(staging: Path, home: Path, before: set[str]) -> None:
    new = [file.path for file in read_manifest(staging).files]
    for name in sorted(before - {*new}):
        (home / name).unlink(missing_ok=True)
    for name in new:
        os.replace(staging / name, home / name)
    flush_folder(home)  # a power cut must not leave the manifest without what it names
    os.replace(staging / MANIFEST, home / MANIFEST)
    staging.rmdir()
    flush_folder(home)


def _named(home: Path) -> set[str]:
    """Return the files that the manifest of a folder names, none if there is none."""
    try:
        return {file.path for file in read_manifest(home).files}
    except InputError:
        return set()


def work_folder(home: Path, given: str | os.PathLike[str] | None) -> Path:
    """Return where the steps keep their rows: HOME.work unless it is given."""
    if given is not None:
        return Path(given)
    whole = home.resolve()
    if not whole.name:
        raise ConfigError(f"{home} is no folder for a corpus; name another with -o")
    return whole.with_name(f"{whole.name}.work")


def sweep(folder: Path) -> None:
    """Remove what a job or a worker that was killed left: half-written files, scratch folders.

    The caller holds the lock of the work folder, and none of its workers is at work.
    """
    for path in folder.rglob(".paraphrast-*.tmp"):
        path.unlink(missing_ok=True)
    for path in folder.glob("scratch-*"):
        shutil.rmtree(path, ignore_errors=True)
