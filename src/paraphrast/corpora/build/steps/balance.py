"""Sample pairs so that each bin of word overlap has as many (Suzuki et al. 2017, section 3.2)."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paraphrast.corpora.build.build_step import PAIRS, BuildStep, build_step
from paraphrast.corpora.word_ids import Ints, Keys, seeded, text_key, word_tokeniser
from paraphrast.corpora.word_overlap import BINS, EXACT, bin_names, bin_of
from paraphrast.engine.step import Advance, Dropped, Row
from paraphrast.errors import ConfigError, InputError
from paraphrast.io import chunks
from paraphrast.types import Floats

if TYPE_CHECKING:
    from paraphrast.corpora.build.recipe_run import RecipeRun


EXACT_MATCH, NOT_SAMPLED = "exact match", "not sampled"

_BLOCK = 1 << 12


@build_step("balance", takes=(PAIRS,), gives=PAIRS)
@dataclass(frozen=True, kw_only=True)
class BalanceStep(BuildStep):
    """Take `per_bin` pairs of each bin in descending quality; of equals, by a seeded draw.

    Pairs whose overlap is 1 are exact matches and out. Unless `repeat_sources`, no source sentence
    gives two pairs: bins with the fewest pairs choose first. Pairs without a quality come last.
    The sample keeps the order of the rows. `bin_table` tells what each bin had and got.
    """

    per_bin: int
    repeat_sources: bool = False
    seed: int = 0
    name: ClassVar[str] = "balance"

    def __post_init__(self) -> None:
        if self.per_bin < 1:
            raise ConfigError(f"per_bin must be at least 1; got {self.per_bin}")

    @property
    def signature(self) -> Mapping[str, Any]:
        return {
            "step": "balance",
            "per_bin": self.per_bin,
            "repeat_sources": self.repeat_sources,
            "seed": self.seed,
        }

    def apply(self, run: RecipeRun) -> None:
        run.pool = run.last
        run.all_rows(self)

    def run(
        self, rows: Callable[[], Iterator[Row]], scratch: Path, advance: Advance
    ) -> Iterator[Row | Dropped]:
        pool = _Pool()
        for row in rows():
            pool.add(row)
        chosen = np.zeros(len(pool), dtype=np.bool_)
        chosen[pool.best(self.per_bin, self.seed, distinct=not self.repeat_sources)] = True
        marks = zip(chosen.tolist(), pool.bins, strict=True)
        for block in chunks(rows(), _BLOCK):
            for row in block:
                is_chosen, place = next(marks)
                if is_chosen:
                    yield row
                else:
                    reason = EXACT_MATCH if place == EXACT else NOT_SAMPLED
                    yield Dropped(row, reason, bin_names()[place])
            advance(len(block))


class _Pool:
    """What the choice needs of each pair: 33 bytes of numbers."""

    def __init__(self) -> None:
        self.bins = array("b")
        self._quality, self._ids = array("d"), array("Q")
        self._sources, self._ends = array("Q"), array("q", [0])

    def __len__(self) -> int:
        return len(self.bins)

    def add(self, row: Row) -> None:
        self.bins.append(row_bin(row))
        self._quality.append(_quality(row))
        self._ids.append(text_key(str(row["id"])))
        self._sources.extend(text_key(str(source)) for source in row.get("sources") or ())
        self._ends.append(len(self._sources))

    def best(self, per_bin: int, seed: int, *, distinct: bool) -> list[int]:
        """Return the places of the pairs to take."""
        bins = np.array(self.bins, dtype=np.int64)
        quality = np.array(self._quality)
        draw = seeded(np.array(self._ids, dtype=np.uint64), seed)
        counts = np.bincount(bins, minlength=BINS)[:EXACT]
        used: set[int] = set()
        chosen: list[int] = []
        for one in np.argsort(counts, kind="stable").tolist():
            order = _best_first(np.flatnonzero(bins == one), quality, draw)
            chosen += self._first(order, per_bin, used) if distinct else order[:per_bin].tolist()
        return chosen

    def _first(self, order: Ints, per_bin: int, used: set[int]) -> list[int]:
        """Go down a bin, past pairs whose source has given one already."""
        found: list[int] = []
        for place in map(int, order):
            if len(found) == per_bin:
                break
            sources = self._sources[self._ends[place] : self._ends[place + 1]]
            if used.isdisjoint(sources):
                used.update(sources)
                found.append(place)
        return found


def _best_first(places: Ints, quality: Floats, draw: Keys) -> Ints:
    order = np.lexsort((draw[places], -quality[places]))
    found: Ints = places[order]
    return found


def row_bin(row: Row) -> int:
    """Return the bin of a pair by its `overlap`."""
    try:
        return bin_of(row["overlap"])
    except (KeyError, TypeError, InputError):
        raise InputError(
            f"pair {row.get('id', '?')} has no word overlap between 0 and 1: "
            f"found {row.get('overlap')!r}"
        ) from None


def _quality(row: Row) -> float:
    value = row.get("quality")
    if value is None:
        return -math.inf
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise InputError(f"pair {row.get('id', '?')} has no number for its quality: {value!r}")
    return float(value)


@dataclass(frozen=True, slots=True)
class Bin:
    """A line of the paper's Table 1: mean lengths are in words, and those of all pairs there are.

    Means are None where there is nothing to take them of.
    """

    bin: str
    available: int
    sampled: int
    shortfall: int
    words_source: float | None
    words_text1: float | None
    words_text2: float | None

    def to_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class _Lengths:
    """Sums over the pairs of all bins: words of source, text1 and text2, and how many had them."""

    words: Ints = field(default_factory=lambda: np.zeros((3, BINS), dtype=np.int64))
    texts: Ints = field(default_factory=lambda: np.zeros((3, BINS), dtype=np.int64))
    pairs: Ints = field(default_factory=lambda: np.zeros(BINS, dtype=np.int64))

    def mean(self, which: int, place: int) -> float | None:
        count = int(self.texts[which, place])
        return float(self.words[which, place]) / count if count else None


def bin_table(
    available: Iterable[Row],
    sampled: Iterable[Row],
    *,
    per_bin: int,
    tokenize: str = "unicode",
    source_tokenize: str = "unicode",
) -> tuple[Bin, ...]:
    """Return what there was before a `BalanceStep` and after it, bin by bin, exact matches last."""
    lengths = _Lengths()
    for block in chunks(available, _BLOCK):
        _count(lengths, block, tokenize, source_tokenize)
    counts = np.bincount([row_bin(row) for row in sampled], minlength=BINS)
    return tuple(
        Bin(
            name,
            int(lengths.pairs[place]),
            int(counts[place]),
            0 if place == EXACT else max(per_bin - int(counts[place]), 0),
            *(lengths.mean(which, place) for which in range(3)),
        )
        for place, name in enumerate(bin_names())
    )


def _count(lengths: _Lengths, rows: list[Row], tokenize: str, source_tokenize: str) -> None:
    bins = np.array([row_bin(row) for row in rows], dtype=np.int64)
    lengths.pairs += np.bincount(bins, minlength=BINS)
    named = (("source", source_tokenize), ("text1", tokenize), ("text2", tokenize))
    for which, (name, tokeniser) in enumerate(named):
        texts = [row.get(name) or "" for row in rows]
        words = [len(tokens) for tokens in word_tokeniser(tokeniser)(texts)]
        full = [bool(text) for text in texts]
        lengths.words[which] += np.bincount(bins, words, minlength=BINS).astype(np.int64)
        lengths.texts[which] += np.bincount(bins, full, minlength=BINS).astype(np.int64)
