"""A disk that forgets what was not brought to it: what a power cut may leave of a folder.

Of a file, only what was there at its last fsync is sure; what was written since may be missing,
torn or zeros. Of a folder, only the names at its last fsync are sure; those of now may be there
already. The worst of all these together is what a reader must bear.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

State = dict[str, bytes]
"""What is in a folder: contents by name."""


def _dropped(_new: bytes, kept: bytes) -> bytes:
    return kept


def _torn(new: bytes, kept: bytes) -> bytes:
    start = len(kept) if new.startswith(kept) else 0
    return new[: start + (len(new) - start) // 2]


def _zeros(new: bytes, kept: bytes) -> bytes:
    start = len(kept) if new.startswith(kept) else 0
    return new[:start] + bytes(len(new) - start)


DAMAGES: tuple[Callable[[bytes, bytes], bytes], ...] = (_dropped, _torn, _zeros)


class ForgetfulDisk:
    """Watches one folder; `cuts` are the states that a power cut could have left so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cuts: list[State] = []
        self._contents: dict[int, bytes] = {}
        self._names = self._look()  # what is there when the watch begins is safe
        self._synced = dict(self._contents)

    def states(self) -> list[State]:
        """Return what a power cut at this moment may leave, each state once."""
        now = self._look()
        found: list[State] = []
        for names in (self._names, now):
            for damage in DAMAGES:
                state = {name: self._after(inode, damage) for name, inode in names.items()}
                if state not in found:
                    found.append(state)
        return found

    def cut(self) -> None:
        """Note what a power cut at this moment would leave."""
        self.cuts += [state for state in self.states() if state not in self.cuts]

    def sync(self, number: int) -> None:
        """Take the fsync of an open file or of the folder to heart."""
        self.cut()
        found = os.fstat(number)
        names = self._look()
        if stat.S_ISDIR(found.st_mode):
            if os.path.samestat(found, self.folder.stat()):
                self._names = names
        elif found.st_ino in self._contents:
            self._synced[found.st_ino] = self._contents[found.st_ino]
        self.cut()

    def _after(self, inode: int, damage: Callable[[bytes, bytes], bytes]) -> bytes:
        new, kept = self._contents[inode], self._synced.get(inode, b"")
        return kept if new == kept else damage(new, kept)

    def _look(self) -> dict[str, int]:
        """Return the files of the folder by name; remember what all below it hold."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        self._contents |= {path.stat().st_ino: path.read_bytes() for path in files}
        return {path.name: path.stat().st_ino for path in files if path.parent == self.folder}


@contextmanager
def forgetful(folder: Path) -> Iterator[ForgetfulDisk]:
    """Watch what this process does in a folder; fsync does nothing else meanwhile."""
    disk = ForgetfulDisk(folder)
    replace = os.replace

    def watched(*arguments: str | Path) -> None:
        disk.cut()
        replace(*arguments)
        disk.cut()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: disk.sync(getattr(file, "fileno", lambda: file)()))
        patch.setattr(os, "replace", watched)
        patch.setattr(os, "rename", watched)
        yield disk
        disk.cut()


def lay_out(state: State, folder: Path) -> Path:
    """Write what a cut left into a new folder."""
    folder.mkdir(parents=True)
    for name, content in state.items():
        (folder / name).write_bytes(content)
    return folder
