"""MinHash and locality-sensitive hashing: which sets are likely to share much of their items.

Broder 1997, *On the resemblance and containment of documents*; bands as in Leskovec et al.,
*Mining of Massive Datasets*, section 3.4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.word_ids import Ints, Keys, Sets, mixed, text_key

HASHES = 64
RECALL = 0.99  # of pairs that are just alike enough

_HIGH = np.uint64(32)
_ODD = np.uint64(0x9E3779B97F4A7C15)


def signatures(sets: Sets, seed: int, count: int = HASHES) -> NDArray[np.uint32]:
    """Return, for sets that are not empty, the least of their items under each of `count` orders.

    Two sets have the same least item with the probability of their Jaccard similarity.
    """
    draw = np.random.Generator(np.random.PCG64(text_key(f"minhash {seed}")))
    factors = draw.integers(1 << 63, size=(count, 2), dtype=np.uint64) << np.uint64(1)
    found = np.empty((count, len(sets)), dtype=np.uint32)
    items = np.empty_like(sets.items)
    for row, (factor, shift) in zip(found, factors, strict=True):
        np.multiply(sets.items, factor | np.uint64(1), out=items)
        np.add(items, shift, out=items)
        np.right_shift(items, _HIGH, out=items)
        row[:] = np.minimum.reduceat(items, sets.starts[:-1]) if len(sets) else 0
    return found


def band_width(near: float, count: int = HASHES) -> int:
    """Return how many hashes a band may have to find `RECALL` of the pairs as alike as `near`."""
    widths = [
        width
        for width in range(1, count + 1)
        if 1 - (1 - near**width) ** (count // width) >= RECALL
    ]
    return max(widths, default=1)


def band_keys(found: NDArray[np.uint32], width: int) -> Keys:
    """Return a key for each set (row) and band (column); equal keys of a band: the same bucket."""
    bands = len(found) // width
    keys = np.empty((found.shape[1], bands), dtype=np.uint64)
    for band in range(bands):
        key = np.full(found.shape[1], band + 1, dtype=np.uint64)
        for row in found[band * width : (band + 1) * width]:
            key = mixed(key * _ODD + row.astype(np.uint64))
        keys[:, band] = key
    return keys


class Buckets:
    """The first rows of each bucket, as sorted runs that are merged when they grow alike.

    12 bytes a row and bucket; a bucket that holds `most` rows takes no more.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._runs: list[tuple[Keys, NDArray[np.uint32]]] = []

    def find(self, keys: Keys) -> tuple[Ints, Ints]:
        """Return the places in `keys`, which ascend, and the rows in the bucket of each."""
        places, rows = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for known, members in self._runs:
            at = np.searchsorted(known, keys)
            left = np.arange(len(keys))
            for _ in range(self._most):
                inside = at < len(known)
                at, left = at[inside], left[inside]
                same = known[at] == keys[left]
                at, left = at[same], left[same]
                places.append(left)
                rows.append(members[at].astype(np.int64))
                at = at + 1
        return np.concatenate(places), np.concatenate(rows)

    def add(self, keys: Keys, rows: Ints) -> None:
        """Put rows into buckets, those that come first first."""
        order = np.argsort(keys, kind="stable")
        keys, rows = keys[order], rows[order]
        places, _ = self.find(keys)
        taken = np.bincount(places, minlength=len(keys)) + rank_in_run(keys)
        room = taken < self._most
        self._runs.append((keys[room], rows[room].astype(np.uint32)))
        while len(self._runs) > 1 and 2 * len(self._runs[-1][0]) > len(self._runs[-2][0]):
            self._merge()

    def _merge(self) -> None:
        (keys, rows), (more, others) = self._runs[-2:]
        del self._runs[-2:]
        keys, rows = np.concatenate([keys, more]), np.concatenate([rows, others])
        order = np.argsort(keys, kind="stable")  # two sorted runs: linear, and older rows first
        self._runs.append((keys[order], rows[order]))


def rank_in_run(values: Keys) -> Ints:
    """Number equal neighbours from 0."""
    places = np.arange(len(values))
    fresh = np.ones(len(values), dtype=np.bool_)
    fresh[1:] = values[1:] != values[:-1]
    return places - np.maximum.accumulate(np.where(fresh, places, 0))
