"""METEOR's paraphrase table (5.3 million phrase pairs) as three memory-mapped arrays.

The package ships the table as 62 MB of gzipped text, which the jar reads on every start. Here the
first use turns it into an index under the cache directory, and later uses map that file. Phrases
are kept as 64-bit hashes: the chance that a phrase of a text is taken for another is below 1e-12
per look-up, and the index needs no strings.

Layout of the index, one uint64 array in a .npy file: a header (number of source phrases, words in
the longest phrase), the sorted hashes of the source phrases, the offsets of their rows, and the
rows: hashes of the paraphrases in the order of the text, on which tie-breaking depends.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Positions = NDArray[np.intp]

_FORMAT = 1
_HEADER = 2
_BASE = 0x9E3779B97F4A7C15
_BLOCK = 1 << 18
_BUCKETS = np.uint64(1 << 16)


def span_hashes(data: bytes, starts: Positions, ends: Positions) -> Hashes:
    """Hash spans of a text: the sum of ``byte[i] * BASE ** i`` modulo 2**64, i from the start.

    All spans come from one running sum, shifted back by the inverse powers (BASE is odd).
    """
    powers, inverses = _powers(len(data).bit_length())
    sums = np.zeros(len(data) + 1, dtype=np.uint64)
    np.cumsum(np.frombuffer(data, dtype=np.uint8) * powers[: len(data)], out=sums[1:])
    return (sums[ends] - sums[starts]) * inverses[starts]


@lru_cache(maxsize=16)
def _powers(bits: int) -> tuple[Hashes, Hashes]:
    """Return 2 ** bits powers of BASE and of its inverse."""
    factors = np.ones((2, 1 << bits), dtype=np.uint64)
    factors[:, 1:] = [[_BASE], [pow(_BASE, -1, 1 << 64)]]
    powers, inverses = np.cumprod(factors, axis=1)
    return powers, inverses


@dataclass(frozen=True, slots=True)
class Phrases:
    """Every n-gram of a sentence, ordered by start and then length, with its hash."""

    hashes: Hashes
    starts: Positions
    lengths: Positions


@dataclass(frozen=True, slots=True)
class ParaphraseTable:
    """Source phrases, each with a row of paraphrases."""

    sources: Hashes
    offsets: Hashes
    targets: Hashes
    longest: int

    @classmethod
    def from_array(cls, data: Hashes) -> ParaphraseTable:
        """Cut an index into views; raises ``ValueError`` for an array that is not one."""
        if data.ndim != 1 or data.dtype != np.uint64 or data.size < _HEADER:
            raise ValueError("not a paraphrase index")
        count, longest = (int(value) for value in data[:_HEADER])
        sources, offsets, targets = np.split(data[_HEADER:], [count, 2 * count + 1])
        if offsets.size != count + 1 or int(offsets[-1]) != targets.size:
            raise ValueError("not a paraphrase index")
        return cls(sources, offsets, targets, longest)

    def phrases(self, words: Sequence[str]) -> Phrases:
        """Return the n-grams of a sentence up to the length of the longest known phrase."""
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        ends = np.cumsum([len(word) + 1 for word in encoded], dtype=np.intp) - 1
        begins = ends - np.array([len(word) for word in encoded], dtype=np.intp)
        first, longer = np.nonzero(
            np.arange(len(words))[:, None] + np.arange(self.longest) < len(words)
        )
        hashes = span_hashes(b" ".join(encoded), begins[first], ends[first + longer])
        return Phrases(hashes, first, longer + 1)

    def pairs(self, source: Phrases, target: Phrases) -> Iterator[tuple[int, int, int, int]]:
        """Yield (source start, source length, target start, target length) of each paraphrase.

        Ordered by source start, source length, place in the table, target start, as in the jar.
        """
        rows = np.minimum(np.searchsorted(self.sources, source.hashes), self.sources.size - 1)
        known = np.flatnonzero(self.sources[rows] == source.hashes)
        if not known.size:
            return
        rows = rows[known]
        begins, ends = self.offsets[rows].tolist(), self.offsets[rows + 1].tolist()
        found = [self.targets[begin:end] for begin, end in zip(begins, ends, strict=True)]
        values = np.concatenate(found)
        owners = np.repeat(known, [row.size for row in found])
        # Thousands of paraphrases face a few hundred n-grams: a small table of low bits leaves
        # only a handful to look up exactly.
        present = np.zeros(int(_BUCKETS), dtype=np.bool_)
        present[target.hashes % _BUCKETS] = True
        hits = np.flatnonzero(present[values % _BUCKETS])
        for hit, place in _equal(values[hits], target.hashes):
            owner = owners[hits[hit]]
            yield (
                int(source.starts[owner]),
                int(source.lengths[owner]),
                int(target.starts[place]),
                int(target.lengths[place]),
            )


def _equal(values: Hashes, among: Hashes) -> Iterator[tuple[int, int]]:
    """Yield the positions of each value and, in order, of each of its equals."""
    order = np.argsort(among, kind="stable")
    ranked = among[order]
    begins = np.searchsorted(ranked, values, "left")
    ends = np.searchsorted(ranked, values, "right")
    for position in np.flatnonzero(begins < ends).tolist():
        for place in order[begins[position] : ends[position]].tolist():
            yield position, place


def open_table(path: Path) -> ParaphraseTable:
    """Map the index of a paraphrase file, building it first where the cache has none.

    Where the cache directory cannot be written the index is built in memory, with a warning.
    """
    index = cache_directory() / _index_name(path)
    try:
        # A plain view: ndarray's memmap subclass costs more per operation than the operation.
        return ParaphraseTable.from_array(np.asarray(np.load(index, mmap_mode="r")))
    except (EOFError, ValueError):
        warnings.warn(f"{index} is damaged and is built again", RuntimeWarning, stacklevel=2)
    except OSError:
        pass
    data = build_index(path)
    try:
        _write(index, data)
    except OSError as error:
        warnings.warn(
            f"METEOR's paraphrase index cannot be kept ({error}), so every run builds it anew; "
            "set PARAPHRAST_CACHE to a writable directory",
            RuntimeWarning,
            stacklevel=2,
        )
    return ParaphraseTable.from_array(data)


def cache_directory() -> Path:
    """Return ``PARAPHRAST_CACHE`` or, where it is unset, ``~/.cache/paraphrast``."""
    return Path(os.environ.get("PARAPHRAST_CACHE") or Path.home() / ".cache" / "paraphrast")


def _index_name(path: Path) -> str:
    """Name the index after the text: a gzip file ends in the text's CRC-32 and length."""
    with path.open("rb") as file:
        file.seek(-8, os.SEEK_END)
        trailer = file.read(8)
    return f"meteor-paraphrases-v{_FORMAT}-{trailer.hex()}.npy"


def _write(path: Path, data: Hashes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            np.save(file, data)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def build_index(path: Path) -> Hashes:
    """Read the gzipped text (lines: probability, phrase, paraphrase) into the index's layout."""
    sources: list[Hashes] = []
    targets: list[Hashes] = []
    longest = 1
    for block, starts, ends in _blocks(path):
        hashes = span_hashes(block, starts, ends)
        sources.append(hashes[1::3].copy())
        targets.append(hashes[2::3].copy())
        spaces = np.append(0, np.cumsum(np.frombuffer(block, dtype=np.uint8) == ord(" ")))
        longest = max(longest, 1 + int((spaces[ends] - spaces[starts]).max()))
    keys = np.concatenate(sources)
    order = np.argsort(keys, kind="stable")
    unique, begins = np.unique(keys[order], return_index=True)
    header = np.array([unique.size, longest], dtype=np.uint64)
    offsets = np.append(begins, order.size).astype(np.uint64)
    return np.concatenate([header, unique, offsets, np.concatenate(targets)[order]])


def _blocks(path: Path) -> Iterator[tuple[bytes, Positions, Positions]]:
    """Yield stretches of the text that hold whole records, with their lines' starts and ends."""
    rest = b""
    with gzip.open(path) as file:
        while read := file.read(_BLOCK):
            block = rest + read
            ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))
            ends = ends[: ends.size // 3 * 3]
            starts = np.append(0, ends + 1)
            if ends.size:
                yield block, starts[:-1], ends
            rest = block[starts[-1] :]
