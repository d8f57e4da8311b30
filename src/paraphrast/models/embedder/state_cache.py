"""States that were computed before: the last ones in memory, and on disk where one asks for it."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import InputError

States = NDArray[np.float32]
T = TypeVar("T")

MEMORY = 256 << 20  # bytes of states that stay in memory
FILE = "embeddings.sqlite"
_AT_ONCE = 500  # keys of one question; SQLite allows 999
_MARK = 0x50417261  # "PAra": tells our files from other databases


def text_key(text: str) -> bytes:
    """Return sixteen bytes that stand for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Recent:
    """The states that were asked for last, as many as fit into a number of bytes."""

    def __init__(self, limit: int = MEMORY) -> None:
        self._limit, self._size = limit, 0
        self._known: OrderedDict[tuple[int, bytes], States] = OrderedDict()

    def get(self, layer: int, key: bytes) -> States | None:
        found = self._known.get((layer, key))
        if found is not None:
            self._known.move_to_end((layer, key))
        return found

    def add(self, layer: int, new: Mapping[bytes, States]) -> None:
        """Remember these, and forget those that were not asked for the longest."""
        for key, states in new.items():
            if (layer, key) not in self._known:
                self._size += states.nbytes
            self._known[layer, key] = states
        while self._size > self._limit:
            _, states = self._known.popitem(last=False)
            self._size -= states.nbytes


class StateFile:
    """States on disk, by weights, layer and text; several processes may share the file.

    They are kept as 32-bit floats, so what comes back is what was computed, to the bit. A failed
    write, say on a full disk, leaves what the file held before.
    """

    def __init__(self, folder: str | Path, fingerprint: str, width: int) -> None:
        self.path = Path(folder) / FILE
        self._fingerprint, self._width = fingerprint, width
        self._ask(lambda _: None)

    def get(self, layer: int, keys: Sequence[bytes]) -> dict[bytes, States]:
        """Return the states that are there."""
        return self._ask(lambda file: dict(self._found(file, layer, keys)))

    def _found(
        self, file: sqlite3.Connection, layer: int, keys: Sequence[bytes]
    ) -> Iterable[tuple[bytes, States]]:
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            question = (
                f"SELECT text, states FROM state WHERE weights = ? AND layer = ? "  # noqa: S608
                f"AND text IN ({marks})"
            )
            for key, raw in file.execute(question, (self._fingerprint, layer, *part)):
                yield bytes(key), np.frombuffer(raw, dtype="<f4").reshape(-1, self._width)

    def add(self, layer: int, new: Mapping[bytes, States]) -> None:
        """Write states; all of them or, when it fails, none."""
        rows = [
            (self._fingerprint, layer, key, np.ascontiguousarray(states, dtype="<f4").tobytes())
            for key, states in new.items()
        ]

        def write(file: sqlite3.Connection) -> None:
            with file:
                file.executemany("INSERT OR IGNORE INTO state VALUES (?, ?, ?, ?)", rows)

        self._ask(write)

    def _ask(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Open the file, making it where it is missing; whatever goes wrong is an InputError."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=60)) as file:
                self._prepare(file)
                return work(file)
        except (sqlite3.Error, OSError, ValueError) as error:
            raise InputError(
                f"the cache of embeddings {self.path} cannot be used: {error}; what it held is "
                "as it was; name another folder or leave the cache out"
            ) from error

    def _prepare(self, file: sqlite3.Connection) -> None:
        if _is_marked(file):
            return
        with file:
            file.execute("BEGIN IMMEDIATE")  # another process may be making it just now
            if _is_marked(file):
                return
            if file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise ValueError("it is another program's database")
            file.execute(
                "CREATE TABLE IF NOT EXISTS state (weights TEXT, layer INTEGER, text BLOB, "
                "states BLOB, PRIMARY KEY (weights, layer, text)) WITHOUT ROWID"
            )
            file.execute(f"PRAGMA application_id = {_MARK}")


def _is_marked(file: sqlite3.Connection) -> bool:
    (mark,) = file.execute("PRAGMA application_id").fetchone()
    return bool(mark == _MARK)
