"""Sentence vectors on disk, a shard at a time, so that a stopped run goes on where it was.

They are kept as 32-bit floats: what is read back is what the network gave, so a score is the
cosine that other commands print. Half the width would shift it in the fourth decimal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.array_files import fits, load_array, save_array
from paraphrast.corpora.text_store import StoredTexts, batches
from paraphrast.engine.step import Advance
from paraphrast.io.resume import is_sealed, seal_file

Array = NDArray[np.float32]
Ints = NDArray[np.int64]

SHARD = 32_768  # vectors of a file: about a minute's work of the shipped network
READ_AT_ONCE = 4096  # texts handed to the network, which sorts them by length


class SentenceEmbedder(Protocol):
    """What turns texts into vectors of unit length, or of length 0 where it knows no word."""

    def sentences(self, texts: Sequence[str]) -> Array:
        """Return one vector for each text."""
        ...


class Vectors:
    """The vectors of all texts of a side, mapped from their shards."""

    def __init__(self, folder: Path, count: int, size: int) -> None:
        self._size = size
        self._count = count
        self._shards = [load_array(path, mapped=True) for path in _paths(folder, count, size)]

    def __len__(self) -> int:
        return self._count

    @property
    def width(self) -> int:
        return int(self._shards[0].shape[1])

    def blocks(self, step: int, start: int = 0) -> Iterator[tuple[int, Array]]:
        """Yield vectors in order, at most `step` at once, with the number of the first."""
        for number, shard in enumerate(self._shards):
            first = number * self._size
            for part in range(max(0, start - first), len(shard), step):
                yield first + part, shard[part : part + step]

    def take(self, numbers: Ints) -> Array:
        """Return a copy of the vectors with these numbers."""
        found = np.empty((len(numbers), self.width), dtype=np.float32)
        where = numbers // self._size
        for shard in np.unique(where):
            here = where == shard
            found[here] = self._shards[shard][numbers[here] - shard * self._size]
        return found

    def directed(self) -> NDArray[np.bool_]:
        """Tell for each vector whether it points anywhere."""
        return np.concatenate([block.any(axis=1) for _, block in self.blocks(READ_AT_ONCE)])


def embed(
    texts: StoredTexts,
    embedder: SentenceEmbedder,
    folder: Path,
    *,
    width: int,
    size: int = SHARD,
    advance: Advance = lambda _done: None,
) -> int:
    """Write the shards that are not there yet; return how many were."""
    found_whole = 0
    paths = _paths(folder, len(texts), size)
    for path, numbers in zip(paths, batches(len(texts), size), strict=True):
        if fits(path, (len(numbers), width), np.float32) and is_sealed(path):
            found_whole += 1
            advance(len(numbers))
            continue
        shard = np.empty((len(numbers), width), dtype=np.float32)
        for part in batches(len(numbers), READ_AT_ONCE):
            found = embedder.sentences(texts.many(numbers[part.start : part.stop]))
            shard[part.start : part.stop] = found
            advance(len(part))
        save_array(path, shard)
        seal_file(path)
    return found_whole


def shards(count: int, size: int) -> int:
    """How many files that many vectors take."""
    return -(-count // size)


def _paths(folder: Path, count: int, size: int) -> list[Path]:
    return [folder / f"shard-{number:05}.npy" for number in range(shards(count, size))]
