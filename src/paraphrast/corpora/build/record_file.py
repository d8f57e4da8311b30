"""Records on disk that are found again by their number; only their ends are held in memory."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable
from contextlib import suppress
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.word_ids import Ints, Keys, Sets
from paraphrast.errors import InputError


class RecordFile:
    """An append-only file; a full disk is an InputError that names it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("w+b")
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def ends(self) -> Ints:
        """Where records end, in bytes, after a leading 0."""
        return np.array(self._ends, dtype=np.int64)

    def extend(self, records: Iterable[bytes]) -> None:
        """Append records."""
        given = list(records)
        self.append_all(b"".join(given), map(len, given))

    def append_all(self, data: bytes, sizes: Iterable[int]) -> None:
        """Append records that lie end to end already."""
        self._write(data)
        self._ends.extend(islice(accumulate(sizes, initial=self._ends[-1]), 1, None))

    def __getitem__(self, number: int) -> bytes:
        self._flush()
        start = self._ends[number]
        return os.pread(self._file.fileno(), self._ends[number + 1] - start, start)

    def mapped(self, dtype: type[Any]) -> NDArray[Any]:
        """Return all records as one array that the system pages in and out."""
        self._flush()
        if not self._ends[-1]:
            return np.zeros(0, dtype=dtype)
        # a plain array: every index into a memmap makes another
        return np.asarray(np.memmap(self._path, dtype=dtype, mode="r"))

    def close(self) -> None:
        with suppress(OSError):  # what could not be written was not read either
            self._file.close()

    def _write(self, data: bytes) -> None:
        try:
            self._file.write(data)
        except OSError as error:
            raise self._failed(error) from error

    def _flush(self) -> None:
        try:
            self._file.flush()
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> InputError:
        return InputError(f"cannot write {self._path}: {error.strerror or error}")


class SetFile:
    """Sets on disk."""

    def __init__(self, path: Path) -> None:
        self._records = RecordFile(path)

    def __len__(self) -> int:
        return len(self._records)

    def extend(self, sets: Sets) -> None:
        items: Keys = np.ascontiguousarray(sets.items)
        self._records.append_all(items.tobytes(), (sets.sizes * items.itemsize).tolist())

    def sets(self) -> Sets:
        """Return all sets, mapped into memory."""
        items = self._records.mapped(np.uint64)
        return Sets(items, self._records.ends // items.itemsize)

    def close(self) -> None:
        self._records.close()
