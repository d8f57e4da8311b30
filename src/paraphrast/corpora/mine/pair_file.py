"""Pairs on disk: appended as they are found, then sorted in place, each kept once.

A pair is one number of 64 bits, so the system pages the file in and out and memory stays bounded
however many pairs there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from paraphrast.corpora.mine.neighbours import Packed
from paraphrast.errors import InputError

_READ_AT_ONCE = 1 << 16


def spill(pairs: Iterable[Packed], path: Path) -> int:
    """Write all pairs to a file, best first and each once; return how many they are."""
    try:
        with path.open("wb") as file:
            for block in pairs:
                file.write(block.tobytes())
        if not path.stat().st_size:
            return 0
        found = np.memmap(path, dtype=np.uint64, mode="r+")
        found.sort()
        found.flush()
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    return sum(len(block) for block in sorted_pairs(path))


def sorted_pairs(path: Path) -> Iterator[Packed]:
    """Yield the pairs of a file that `spill` wrote, a block at a time."""
    if not path.stat().st_size:
        return
    found: Packed = np.memmap(path, dtype=np.uint64, mode="r")
    for start in range(0, len(found), _READ_AT_ONCE):
        block = np.array(found[start : start + _READ_AT_ONCE])
        new = np.ones(len(block), dtype=np.bool_)
        new[1:] = block[1:] != block[:-1]
        new[0] = start == 0 or found[start - 1] != block[0]
        yield block[new]
