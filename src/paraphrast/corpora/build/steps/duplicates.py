"""Duplicates and near-duplicates: the first of them stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paraphrast.corpora.build.build_step import SENTENCES, BuildStep, build_step
from paraphrast.corpora.build.minhash import (
    HASHES,
    Buckets,
    band_keys,
    band_width,
    rank_in_run,
    signatures,
)
from paraphrast.corpora.build.record_file import RecordFile, SetFile
from paraphrast.corpora.word_ids import (
    MOST_SETS,
    Ints,
    Keys,
    Sets,
    WordSets,
    sentence_keys,
    shared_items,
    word_tokeniser,
    words_label,
)
from paraphrast.engine.step import Advance, Dropped, Row
from paraphrast.errors import ConfigError
from paraphrast.io import chunks
from paraphrast.text.ngrams import slices

if TYPE_CHECKING:
    from paraphrast.corpora.build.recipe_run import RecipeRun


DUPLICATE, NEAR = "duplicate", "near-duplicate"

_BLOCK = 1 << 13  # rows looked at together
_COMPARED = 4  # kept rows of a bucket that others are compared with
_ITEMS = 1 << 22  # items of sets that are compared at once
_NONE = -1
_ROW = 32  # bits of a kept row's number


@build_step("deduplicate", takes=(SENTENCES,), gives=SENTENCES)
@dataclass(frozen=True, kw_only=True)
class DeduplicateStep(BuildStep):
    """Keep the first of sentences that are equal or nearly so.

    Equal are texts of equal normal form (`text_store.normal_form`). Nearly equal are two whose
    shingles (runs of `shingle` words) have a Jaccard similarity of at least `near`; such pairs are
    looked for by MinHash, which finds more than 99 % of them, and then compared. Lines of one
    template may fill a bucket with any number of rows: each is compared with the first four that
    are kept of each of its buckets only (within 8,192 rows, the first four), so the time stays
    linear and a few near-duplicates may stay. `near` of 0 looks for equal texts only.
    """

    near: float = 0.8
    shingle: int = 2
    tokenize: str = "unicode"
    seed: int = 0
    name: ClassVar[str] = "deduplicate"

    def __post_init__(self) -> None:
        word_tokeniser(self.tokenize)
        if not 0 <= self.near <= 1:
            raise ConfigError(f"near must be between 0 and 1; got {self.near}")
        if self.shingle < 1:
            raise ConfigError(f"shingle must be at least 1; got {self.shingle}")

    @property
    def signature(self) -> Mapping[str, Any]:
        return {
            "step": "deduplicate",
            "near": self.near,
            "shingle": self.shingle,
            "tokenize": words_label(self.tokenize),
            "seed": self.seed,
        }

    def apply(self, run: RecipeRun) -> None:
        run.all_rows(self)
        run.sentences = run.last

    def run(
        self, rows: Callable[[], Iterator[Row]], scratch: Path, advance: Advance
    ) -> Iterator[Row | Dropped]:
        with closing(_Kept(self, scratch)) as kept:
            for block in chunks(rows(), _BLOCK):
                yield from kept.sorted_out(block)
                advance(len(block))


class _Kept:
    """What was kept so far: its ids and shingles on disk, and how to find both again."""

    def __init__(self, how: DeduplicateStep, scratch: Path) -> None:
        self._near = how.near
        self._sets = WordSets(how.tokenize, shingle=how.shingle)
        self._seed = how.seed
        self._width = band_width(how.near, HASHES)
        self._exact, self._bands = Buckets(1), Buckets(_COMPARED)
        self._ids, self._shingles = RecordFile(scratch / "ids"), SetFile(scratch / "shingles")

    def close(self) -> None:
        self._ids.close()
        self._shingles.close()

    def sorted_out(self, rows: list[Row]) -> Iterable[Row | Dropped]:
        """Return the rows, in their order, kept or dropped."""
        texts = [row["text"] for row in rows]
        keys = sentence_keys(texts)
        keeper, first = self._equal(keys)
        fresh = np.flatnonzero((keeper == _NONE) & (first == np.arange(len(rows))))
        near = np.full(len(rows), _NONE)  # the kept row, numbered from the first that was kept
        if self._near:
            near[fresh] = self._alike([texts[place] for place in fresh])
        kept = fresh[near[fresh] == _NONE]
        number = np.full(len(rows), _NONE)
        number[kept] = len(self._ids) + np.arange(len(kept))
        self._ids.extend(str(rows[place]["id"]).encode() for place in kept)
        number[fresh] = np.maximum(number, near)[fresh]
        self._exact.add(keys[fresh], number[fresh])
        number = np.where(keeper == _NONE, number[first], keeper)
        return self._told(rows, number, kept, fresh)

    def _told(
        self, rows: list[Row], number: Ints, kept: Ints, fresh: Ints
    ) -> Iterator[Row | Dropped]:
        stays, was_near = np.zeros((2, len(rows)), dtype=np.bool_)
        stays[kept], was_near[fresh] = True, True
        told = zip(rows, stays.tolist(), was_near.tolist(), number.tolist(), strict=True)
        for row, good, alike, by in told:
            if good:
                yield row
            else:
                yield Dropped(row, NEAR if alike else DUPLICATE, self._ids[by].decode())

    def _equal(self, keys: Keys) -> tuple[Ints, Ints]:
        """Return the kept row that equals each, and the first of the block that does."""
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(keys)
        places, rows = self._exact.find(keys[order])
        keeper = np.full(len(keys), _NONE)
        keeper[order[places]] = rows
        return keeper, first[inverse]

    def _alike(self, texts: list[str]) -> Ints:
        """Return the kept row that each text nearly equals; those without are kept from now on."""
        sets = self._sets(texts)
        full = np.flatnonzero(sets.sizes)
        keys = np.zeros((len(texts), HASHES // self._width), dtype=np.uint64)
        keys[full] = band_keys(signatures(sets.take(full), self._seed), self._width)
        keeper = np.full(len(texts), _NONE)
        self._like_earlier(sets, full, keys, keeper)
        full = full[keeper[full] == _NONE]
        verified = self._verified(sets, sets, *_within(full, keys[full]))
        number = len(self._shingles) + np.arange(len(texts))
        dropped: dict[int, int] = {}
        for later, earlier in zip(*(side.tolist() for side in verified), strict=True):
            if later not in dropped and earlier not in dropped:  # `later` ascends
                dropped[later] = earlier
        gone = np.array(list(dropped), dtype=np.int64)
        stays = keeper == _NONE
        stays[gone] = False
        number[stays] = len(self._shingles) + np.arange(int(stays.sum()))
        keeper[gone] = number[np.array(list(dropped.values()), dtype=np.int64)]
        stayed = np.flatnonzero(stays)
        self._shingles.extend(sets.take(stayed))
        own = stayed[sets.sizes[stayed] > 0]
        self._bands.add(keys[own].ravel(), np.repeat(number[own], keys.shape[1]))
        return keeper

    def _like_earlier(self, sets: Sets, full: Ints, keys: Keys, keeper: Ints) -> None:
        """Find the first of the rows kept in earlier blocks that each nearly equals."""
        flat = keys[full].ravel()
        order = np.argsort(flat)
        places, rows = self._bands.find(flat[order])
        owners = full[order[places] // keys.shape[1]]
        mine, theirs = self._verified(sets, self._shingles.sets(), *_once(owners, rows))
        keeper[mine[::-1]] = theirs[::-1]  # of several, the first is written last

    def _verified(self, left: Sets, right: Sets, mine: Ints, theirs: Ints) -> tuple[Ints, Ints]:
        """Return the pairs of sets that are alike enough."""
        ours, others = left.sizes[mine], right.sizes[theirs]
        hopeful = np.minimum(ours, others) / np.maximum(ours, others) >= self._near
        mine, theirs = mine[hopeful], theirs[hopeful]
        sizes = ours[hopeful] + others[hopeful]
        good = np.zeros(len(mine), dtype=np.bool_)
        for part in slices(sizes, _ITEMS):
            for some in _at_most(part, MOST_SETS):
                shared = shared_items(left.take(mine[some]), right.take(theirs[some]))
                good[some] = shared / (sizes[some] - shared) >= self._near
        return mine[good], theirs[good]


def _within(rows: Ints, keys: Keys) -> tuple[Ints, Ints]:
    """Pair each row with the first of each of its buckets, ordered by row; rows ascend."""
    flat, owners = keys.ravel(), np.repeat(rows, keys.shape[1])
    order = np.argsort(flat, kind="stable")
    flat, owners = flat[order], owners[order]
    rank = rank_in_run(flat)
    start = np.arange(len(flat)) - rank
    later = [np.flatnonzero(rank > leader) for leader in range(_COMPARED)]
    leaders = [owners[start[some] + leader] for leader, some in enumerate(later)]
    return _once(owners[np.concatenate(later)], np.concatenate(leaders))


def _once(mine: Ints, theirs: Ints) -> tuple[Ints, Ints]:
    """Return each pair once, in order."""
    found = np.unique((mine << _ROW) | theirs)
    return found >> _ROW, found & ((1 << _ROW) - 1)


def _at_most(part: slice, size: int) -> Iterator[slice]:
    for start in range(part.start, part.stop, size):
        yield slice(start, min(part.stop, start + size))
