"""Distinct n-grams over everything a system wrote (Li et al. 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paraphrast.metrics.base import Batch, Card, Metric, choice
from paraphrast.signature import Value
from paraphrast.text.column import Column, Encoded
from paraphrast.text.tokenise import WORD_TOKENISERS, Tokeniser, tokeniser_label
from paraphrast.types import Floats

_PAPER = "Li et al. 2016, A Diversity-Promoting Objective Function for Neural Conversation Models"
_EMPTY = "a candidate too short for an n-gram adds nothing; a segment of such candidates scores 0"
_FORMULA = "distinct {n}-grams in all candidates / {n}-grams in all candidates"
Hashes = NDArray[np.uint64]


@dataclass(frozen=True, kw_only=True)
class _Distinct(Metric):
    """The share of n-grams that are new, pooled over the corpus.

    The pooled count of types is not a sum over segments, so each type's one is shared equally by
    the segments that hold it: `Σ 1 / (segments with the type)` adds up to the exact number of
    types, and resampling works on these shares as on any statistic. Statistics are therefore a
    row `[n-grams, 1]` that opens a segment and a row `[hash, 0]` for each n-gram type in it, where
    the bits of the 64-bit hash stand for the n-gram in every process.
    """

    tokenize: str = "unicode"
    order: ClassVar[int]
    needs: ClassVar[frozenset[str]] = frozenset()
    whole_corpus: ClassVar[bool] = True
    ragged: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice("tokenize", self.tokenize, WORD_TOKENISERS)

    def describe(self) -> dict[str, Value]:
        return {"tok": tokeniser_label(self.tokenize), "pool": "corpus"}

    def stats(self, batch: Batch) -> Floats:
        grams, owners = self._grams(batch.candidates)
        counts = np.bincount(owners, minlength=len(batch))
        order = np.lexsort((grams, owners))
        grams, owners = grams[order], owners[order]
        fresh = np.ones(len(grams), dtype=bool)
        fresh[1:] = (grams[1:] != grams[:-1]) | (owners[1:] != owners[:-1])
        rows = np.zeros((len(batch) + int(fresh.sum()), 2))
        rows[: len(batch)] = np.column_stack([counts, np.ones(len(batch))])
        rows[len(batch) :, 0] = grams[fresh].view(np.float64)
        segment = np.concatenate([np.arange(len(batch)), owners[fresh]])
        return rows[np.argsort(segment, kind="stable")]

    def condense(self, rows: Floats) -> Floats:
        """Pool everything into one segment: its n-grams, and each type once."""
        opens = rows[:, 1] > 0
        types = np.unique(np.ascontiguousarray(rows[~opens, 0]).view(np.uint64))
        pooled = np.zeros((1 + len(types), 2))
        pooled[0] = rows[opens, 0].sum(), 1
        pooled[1:, 0] = types.view(np.float64)
        return pooled

    def _grams(self, column: Column) -> tuple[Hashes, NDArray[np.int64]]:
        tokeniser = Tokeniser(self.tokenize)
        encoded = column.encoded(tokeniser)
        words = _hashes(column.lexicon.vocabulary(tokeniser))
        return _rolling(words[encoded.ids], encoded, column.owners, self.order)

    def points(self, rows: Floats) -> Floats:
        opens = rows[:, 1] > 0
        segment = np.cumsum(opens) - 1
        count = int(segment[-1]) + 1
        grams = np.ascontiguousarray(rows[~opens, 0]).view(np.uint64)
        _, inverse, holders = np.unique(grams, return_inverse=True, return_counts=True)
        owners = segment[~opens]
        shares = np.bincount(owners, weights=1 / holders[inverse], minlength=count)
        types = np.bincount(owners, minlength=count)
        return np.column_stack([shares, rows[opens, 0], types])

    def value(self, points: Floats) -> Floats:
        return np.column_stack([points[:, 0] / np.maximum(points[:, 1], 1), points[:, :2]])

    def segment_value(self, points: Floats) -> Floats:
        types, tokens = points[:, 2], points[:, 1]
        return np.column_stack([types / np.maximum(tokens, 1), types, tokens])


def _hashes(vocabulary: dict[str, int]) -> Hashes:
    """Return a hash per token id that is the same in every process."""
    digests = (blake2b(w.encode("utf-8", "surrogatepass"), digest_size=8) for w in vocabulary)
    return np.frombuffer(b"".join(d.digest() for d in digests), dtype=np.uint64)


def _rolling(
    words: Hashes, encoded: Encoded, owners: NDArray[np.int64], order: int
) -> tuple[Hashes, NDArray[np.int64]]:
    """Combine word hashes into n-gram hashes, and name the segment of each."""
    grams = words
    for n in range(1, order):
        grams = grams[:-1] * np.uint64(0x9E3779B97F4A7C15) + words[n:]
        grams = grams ^ (grams >> np.uint64(29))
    lengths = encoded.lengths
    room = np.repeat(encoded.starts[1:], lengths) - np.arange(len(words))
    keep = room[: len(grams)] >= order
    return grams[keep], np.repeat(owners, lengths)[: len(grams)][keep]


def _card(n: int) -> Card:
    return Card(
        title=f"distinct-{n}",
        summary=f"How many of all {n}-grams a system wrote are different ones; a segment's value "
        "is the same within its own candidates.",
        formula=_FORMULA.format(n=n),
        paper=_PAPER,
        range=(0, 1),
        better="higher",
        empty=_EMPTY,
        sets=True,
        parts={"types": f"distinct {n}-grams", "tokens": f"{n}-grams"},
    )


@dataclass(frozen=True, kw_only=True)
class Distinct1(_Distinct):
    """Distinct words."""

    order: ClassVar[int] = 1
    name: ClassVar[str] = "distinct_1"
    card: ClassVar[Card] = _card(1)


@dataclass(frozen=True, kw_only=True)
class Distinct2(_Distinct):
    """Distinct word bigrams."""

    order: ClassVar[int] = 2
    name: ClassVar[str] = "distinct_2"
    card: ClassVar[Card] = _card(2)
