"""ROUGE-1, -2, -L and -Lsum: Google's preset to the digit, and a Unicode-aware default."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from paraphrast.metrics.base import Batch, Card, MeanMetric, choice, weighted
from paraphrast.metrics.references import COMBINE, combine, paired_matches, per_reference
from paraphrast.signature import Value
from paraphrast.text.alignment.lcs import union_hits
from paraphrast.text.alignment.long_pairs import LongPair, lcs_lengths
from paraphrast.text.column import Column, sequences
from paraphrast.text.ngrams import totals
from paraphrast.text.sentences import split_sentences
from paraphrast.text.tokenise import WORD_TOKENISERS, Tokeniser, tokeniser_label
from paraphrast.types import Floats

_PAPER = "Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries"
_EMPTY = "a text without a token scores 0"
_PARTS = {"precision": "matched / candidate tokens", "recall": "matched / reference tokens"}


@dataclass(frozen=True, kw_only=True)
class _Rouge(MeanMetric):
    """F1 of what candidate and reference share; the best (or mean) reference counts."""

    preset: str = "unicode"
    stemmer: bool = False
    combine: str = "best"

    def __post_init__(self) -> None:
        choice("preset", self.preset, WORD_TOKENISERS)
        choice("combine", self.combine, COMBINE)

    @property
    def tokeniser(self) -> Tokeniser:
        return Tokeniser(self.preset, stemmer=self.stemmer)

    def describe(self) -> dict[str, Value]:
        return {"tok": tokeniser_label(self.preset), "stem": self.stemmer, "refs": self.combine}

    def stats(self, batch: Batch) -> Floats:
        hits, mine, theirs = self.counts(batch.candidates, batch.refs)
        return weighted(combine(f_rows(hits, mine, theirs), batch.refs, self.combine))

    @abstractmethod
    def counts(self, candidates: Column, references: Column) -> tuple[Floats, Floats, Floats]:
        """Return hits, candidate size and reference size for each reference."""


def f_rows(hits: Floats, mine: Floats, theirs: Floats) -> Floats:
    """Return F1, precision, recall; an empty side counts as size one, so nothing is undefined."""
    precision = hits / np.maximum(mine, 1)
    recall = hits / np.maximum(theirs, 1)
    both = precision + recall
    f = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)
    return np.column_stack([f, precision, recall])


@dataclass(frozen=True, kw_only=True)
class _RougeN(_Rouge):
    order: ClassVar[int]

    def counts(self, candidates: Column, references: Column) -> tuple[Floats, Floats, Floats]:
        left = per_reference(candidates.encoded(self.tokeniser), references)
        right = references.encoded(self.tokeniser)
        hits = paired_matches(left, right, self.order)[:, -1]
        mine, theirs = (totals(side.lengths, self.order)[:, -1] for side in (left, right))
        return hits.astype(np.float64), mine.astype(np.float64), theirs.astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Rouge1(_RougeN):
    """Unigram ROUGE."""

    order: ClassVar[int] = 1
    name: ClassVar[str] = "rouge1"
    card: ClassVar[Card] = Card(
        title="ROUGE-1",
        summary="Shared words; the score is F1, with precision and recall beside it.",
        formula="F1 = 2PR / (P + R), P = matches / candidate words, R = matches / reference words",
        paper=_PAPER,
        range=(0, 1),
        better="higher",
        empty=_EMPTY,
        parts=_PARTS,
    )


@dataclass(frozen=True, kw_only=True)
class Rouge2(_RougeN):
    """Bigram ROUGE."""

    order: ClassVar[int] = 2
    name: ClassVar[str] = "rouge2"
    card: ClassVar[Card] = Card(
        title="ROUGE-2",
        summary="Shared word bigrams; the score is F1, with precision and recall beside it.",
        formula="F1 over bigrams",
        paper=_PAPER,
        range=(0, 1),
        better="higher",
        empty="a text with fewer than two tokens scores 0",
        parts=_PARTS,
    )


@dataclass(frozen=True, kw_only=True)
class RougeL(_Rouge):
    """Longest common subsequence."""

    name: ClassVar[str] = "rougeL"
    card: ClassVar[Card] = Card(
        title="ROUGE-L",
        summary="Longest common subsequence of words: overlap that respects order.",
        formula="F1 with matches = length of the longest common subsequence",
        paper=_PAPER,
        range=(0, 1),
        better="higher",
        empty=_EMPTY,
        parts=_PARTS,
    )

    def counts(self, candidates: Column, references: Column) -> tuple[Floats, Floats, Floats]:
        return lcs_counts(candidates, references, self.tokeniser)


def lcs_counts(
    candidates: Column, references: Column, tokeniser: Tokeniser
) -> tuple[Floats, Floats, Floats]:
    """Return common subsequence length and both lengths for each reference."""
    left = per_reference(candidates.encoded(tokeniser), references)
    right = references.encoded(tokeniser)
    hits = lcs_lengths(*sequences(left, right))
    return hits, left.lengths.astype(np.float64), right.lengths.astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class RougeLsum(_Rouge):
    """Union of the longest common subsequences of sentences, for summaries."""

    split: str = "newline"
    name: ClassVar[str] = "rougeLsum"
    card: ClassVar[Card] = Card(
        title="ROUGE-Lsum",
        summary="ROUGE-L for texts of several sentences: the union of each reference sentence's "
        "common subsequences with all candidate sentences.",
        formula="F1 with matches = Σ over reference sentences of the union LCS, each token once",
        paper=_PAPER,
        range=(0, 1),
        better="higher",
        empty=_EMPTY,
        parts=_PARTS,
    )

    def __post_init__(self) -> None:
        _Rouge.__post_init__(self)
        choice("split", self.split, ("newline", "sentences"))

    def describe(self) -> dict[str, Value]:
        return {**_Rouge.describe(self), "split": self.split}

    def counts(self, candidates: Column, references: Column) -> tuple[Floats, Floats, Floats]:
        mine, theirs = self._sentences(candidates), self._sentences(references)
        rows = np.zeros((3, len(theirs)))
        for row, (owner, target) in enumerate(zip(references.owners, theirs, strict=True)):
            candidate = mine[owner]
            try:
                hits = union_hits(target, candidate)
            except LongPair as error:
                raise error.at(row) from None
            rows[:, row] = hits, _size(candidate), _size(target)
        return rows[0], rows[1], rows[2]

    def _sentences(self, column: Column) -> list[list[list[int]]]:
        """Return the token ids of each sentence of each text."""
        cut = split_sentences if self.split == "sentences" else _lines
        sentences = Column.ragged([cut(text) for text in column.texts], column.lexicon)
        encoded = sentences.encoded(self.tokeniser)
        ids, starts = encoded.ids.tolist(), encoded.starts.tolist()
        pieces = [ids[a:b] for a, b in pairwise(starts)]
        bounds = sentences.offsets.tolist()
        return [pieces[a:b] for a, b in pairwise(bounds)]


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


def _size(sentences: list[list[int]]) -> int:
    return sum(map(len, sentences))
