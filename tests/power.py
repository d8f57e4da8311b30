"""A disk that forgets what was not brought to it: what a power cut may leave of a folder.

Of a file, only what was there at its last fsync is sure; what was written since may be missing,
torn or zeros. Of a folder, only the names at its last fsync are sure; those of now may be there
already. The worst of all these together is what a reader must bear.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

State = dict[str, bytes]
"""What is in a folder and below it: contents by path."""

Names = dict[str, int]
"""What is in one folder: inodes by name."""


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
    """Watches a folder and all below it; `cuts` are the states that a power cut could have left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cuts: list[State] = []
        self._contents: dict[int, bytes] = {}
        self._folders: set[int] = set()
        self._held: dict[int, int] = {}  # open, so that no other file gets the inode of one
        self._names = self._look()  # what is there when the watch begins is safe
        self._synced = dict(self._contents)

    def states(self) -> list[State]:
        """Return what a power cut at this moment may leave, each state once.

        The names of the folder itself and those of all others may be of now or of the last fsync.
        """
        now, root = self._look(), self.folder.stat().st_ino
        found: list[State] = []
        for top in (self._names, now):
            for below in (self._names, now):
                for damage in DAMAGES:
                    state = dict(self._tree({**below, root: top[root]}, root, "", damage))
                    if state not in found:
                        found.append(state)
        return found

    def cut(self) -> None:
        """Note what a power cut at this moment would leave."""
        self.cuts += [state for state in self.states() if state not in self.cuts]

    def sync(self, number: int) -> None:
        """Take the fsync of an open file or of a folder to heart."""
        self.cut()
        found, now = os.fstat(number), self._look()
        if found.st_ino in now:
            self._names[found.st_ino] = now[found.st_ino]
        elif found.st_ino in self._contents:
            self._synced[found.st_ino] = self._contents[found.st_ino]
        self.cut()

    def _tree(
        self,
        folders: dict[int, Names],
        folder: int,
        prefix: str,
        damage: Callable[[bytes, bytes], bytes],
    ) -> Iterator[tuple[str, bytes]]:
        for name, inode in folders.get(folder, {}).items():
            if inode in self._folders:
                yield from self._tree(folders, inode, f"{prefix}{name}/", damage)
            else:
                yield prefix + name, self._after(inode, damage)

    def _after(self, inode: int, damage: Callable[[bytes, bytes], bytes]) -> bytes:
        new, kept = self._contents[inode], self._synced.get(inode, b"")
        return kept if new == kept else damage(new, kept)

    def close(self) -> None:
        for number in self._held.values():
            os.close(number)

    def _look(self) -> dict[int, Names]:
        """Return the names in each folder, by the folder's inode; remember what all files hold."""
        found: dict[int, Names] = {self._inode(self.folder): {}}
        for path in sorted(self.folder.rglob("*")):  # a folder before what is in it
            inode = self._inode(path)
            found[self._inode(path.parent)][path.name] = inode
            if path.is_dir():
                found[inode] = {}
            else:
                self._contents[inode] = path.read_bytes()
        self._folders |= found.keys()
        return found

    def _inode(self, path: Path) -> int:
        inode = path.stat().st_ino
        if inode not in self._held:
            self._held[inode] = os.open(path, os.O_RDONLY)
        return inode


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
    disk.close()


def lay_out(state: State, folder: Path) -> Path:
    """Write what a cut left into a new folder."""
    folder.mkdir(parents=True)
    for name, content in state.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder
