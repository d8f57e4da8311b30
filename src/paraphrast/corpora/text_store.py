"""Texts on disk: written once as they stream in, found again by their number.

Only numbers are held in memory, so a file may be larger than it.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
import unicodedata
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import regex
from numpy.typing import NDArray

from paraphrast.corpora.array_files import load_array, save_array
from paraphrast.io import atomic_writer

Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

LONGEST = 100_000  # characters of a text that is read: some 30,000 sub-words, ten seconds' work
_DIGEST = 16
_TEXTS, _OFFSETS, _ROWS, _KEYS = TEXT_FILES = ("texts.bin", "offsets.npy", "rows.npy", "keys.npy")
_PUNCTUATION = regex.compile(r"\p{P}+")


@dataclass(frozen=True, slots=True)
class Intake:
    """What a source held: its texts, how many were left out and why, and the hash of all."""

    texts: int
    empty: int
    repeated: int
    sha256: str
    long: int = 0


class StoredTexts:
    """The distinct texts of a folder that `store` filled, as a sequence; nothing is kept."""

    def __init__(self, folder: Path) -> None:
        self.rows: Ints = load_array(folder / _ROWS)
        """The row of the source, counted from 1, that each text was first seen in."""
        self.keys: Keys = load_array(folder / _KEYS)
        """A hash of each text's normal form."""
        self._offsets: Ints = load_array(folder / _OFFSETS, mapped=True)
        with (folder / _TEXTS).open("rb") as file, suppress(ValueError):  # an empty file
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> str:
        row = self.rows[number] - 1
        return self._data[self._offsets[row] : self._offsets[row + 1]].decode()

    def many(self, numbers: Sequence[int]) -> list[str]:
        return [self[number] for number in numbers]


def normal_form(text: str) -> str:
    """Return what is left of a text without case, punctuation and extra white space.

    NFKC, Unicode case folding and NFKC once more; then characters of category P are removed and
    every run of white space becomes one space.
    """
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(_PUNCTUATION.sub("", text).split())


def examine(texts: Iterable[str]) -> tuple[int, str]:
    """Return the number of texts and the hash of all, and write nothing."""
    seen = _Seen()
    for text in texts:
        seen.add(text.encode())
    return seen.texts, seen.sha256


def store(texts: Iterable[str], folder: Path) -> Intake:
    """Write the texts to a folder; some of them are counted and are not to be found again.

    These are empty texts, those seen before, and those of more than LONGEST characters. Texts that
    differ in outer white space only are one text, the first.
    """
    seen, offsets, long = _Seen(), array("q", [0]), 0
    digests, keys = bytearray(), bytearray()
    with atomic_writer(folder / _TEXTS, binary=True) as file:
        for text in texts:
            data = text.encode()
            seen.add(data)
            file.write(data)
            offsets.append(offsets[-1] + len(data))
            bare = text.strip()
            if len(bare) > LONGEST:
                long, bare = long + 1, ""
            digests += _hash(bare, _DIGEST) if bare else bytes(_DIGEST)
            keys += _hash(normal_form(bare), 8)
    found = np.frombuffer(digests, dtype=np.uint64).reshape(-1, 2)
    first = _first_rows(found)
    full = found.any(axis=1)
    kept = np.flatnonzero(full & (first == np.arange(len(first))))
    save_array(folder / _OFFSETS, np.frombuffer(offsets, dtype=np.int64))
    save_array(folder / _ROWS, kept + 1)
    save_array(folder / _KEYS, np.frombuffer(keys, dtype=np.uint64)[kept])
    left_out = int((~full).sum())
    repeated = seen.texts - left_out - len(kept)
    return Intake(seen.texts, left_out - long, repeated, seen.sha256, long)


class _Seen:
    """How many texts have passed, and the hash of all of them."""

    def __init__(self) -> None:
        self.texts = 0
        self._hash = hashlib.sha256()

    def add(self, data: bytes) -> None:
        self._hash.update(struct.pack("<Q", len(data)) + data)
        self.texts += 1

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


def _hash(text: str, size: int) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=size).digest()


def _first_rows(digests: Keys) -> Ints:
    """Return for each row the first one with the same digest; sorting needs less than a dict."""
    order = np.lexsort((digests[:, 1], digests[:, 0]))  # stable: equal ones stay in order
    ordered = digests[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    first = np.empty(len(order), dtype=np.int64)
    first[order] = order[starts]
    return first


def batches(count: int, size: int) -> Iterator[range]:
    """Yield the numbers below `count` in ranges of `size`; the last may be shorter."""
    for start in range(0, count, size):
        yield range(start, min(count, start + size))
