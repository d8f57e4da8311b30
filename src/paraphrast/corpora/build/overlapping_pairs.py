"""Pairs of sentences that share words, in any number but all: neighbours in sorted MinHash orders.

Sentences are sorted by the least of their words under a few random orders; those that share many
words tend to become neighbours, however many begin alike (Bawa et al. 2005, *LSH Forest*).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.build.minhash import signatures
from paraphrast.corpora.word_ids import Ints, Sets, seeded, shared_items

TABLES = 12  # orders that are tried

_KEYS = 3  # MinHashes that sentences are sorted by
_REACH = (1, 2)  # which neighbours are looked at, if they share the least word
_BLOCK = 1 << 16  # sets or pairs looked at together


def neighbours(sets: Sets, seed: int, *, apart: bool = False) -> Iterator[tuple[Ints, Ints]]:
    """Yield the pairs of each table; with `apart`, a table of chance pairs is the first."""
    full = np.flatnonzero(sets.sizes)
    if apart:
        order = np.argsort(seeded(full.astype(np.uint64), seed))
        yield full[order[:-1]], full[order[1:]]
    for table in range(TABLES):
        columns = _hashed(sets, full, seed * TABLES + table)
        order = np.lexsort(columns[::-1])
        first, ordered = columns[0, order], full[order]
        near = [np.flatnonzero(first[reach:] == first[:-reach]) for reach in _REACH]
        ones = [ordered[places] for places in near]
        twos = [ordered[places + reach] for places, reach in zip(near, _REACH, strict=True)]
        yield np.concatenate(ones), np.concatenate(twos)


def _hashed(sets: Sets, full: Ints, seed: int) -> NDArray[np.uint32]:
    found = np.empty((_KEYS, len(full)), dtype=np.uint32)
    for start in range(0, len(full), _BLOCK):
        some = slice(start, start + _BLOCK)
        found[:, some] = signatures(sets.take(full[some]), seed, _KEYS)
    return found


def counted(sets: Sets, ones: Ints, twos: Ints) -> tuple[Ints, Ints]:
    """Return how many items the two sets of each pair share, and how many they have together."""
    shared = np.empty(len(ones), dtype=np.int64)
    for start in range(0, len(ones), _BLOCK):
        some = slice(start, start + _BLOCK)
        shared[some] = shared_items(sets.take(ones[some]), sets.take(twos[some]))
    sizes = sets.sizes
    return shared, sizes[ones] + sizes[twos] - shared
