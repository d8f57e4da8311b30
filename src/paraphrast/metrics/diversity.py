"""Diversity of sets of paraphrases: DS_BOW, DS_tree, vocabulary diversity, distinct n-grams."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ConfigError, InputError
from paraphrast.metrics.base import (
    REFERENCES,
    SET,
    SOURCE,
    TREES,
    Batch,
    Card,
    MeanMetric,
    choice,
    weighted,
)
from paraphrast.metrics.references import paired_overlap
from paraphrast.signature import Value
from paraphrast.text.column import Column, Encoded
from paraphrast.text.ngrams import overlap, slices, take
from paraphrast.text.tokenise import WORD_TOKENISERS, Tokeniser, tokeniser_label
from paraphrast.text.trees import Tree, parse, similarity
from paraphrast.types import Floats

_BAWDEN = (
    "Bawden et al. 2020, A Study in Improving BLEU Reference Coverage with Diverse Automatic "
    "Paraphrasing, §5.2"
)

_TOKENS = 1 << 20  # tokens of pairs compared together


@dataclass(frozen=True, kw_only=True)
class _PairDiversity(MeanMetric):
    """Mean over pairs of a set of 1 − similarity; a set of one is not counted."""

    def stats(self, batch: Batch) -> Floats:
        column = self.column(batch)
        pairs = [_pairs(a, b) for a, b in pairwise(column.offsets.tolist()) if b - a > 1]
        if not pairs:
            return np.zeros((len(batch), 2))
        first, second = np.concatenate(pairs, axis=1)
        owners = column.owners[first]
        count = np.bincount(owners, minlength=len(batch))
        different = 1 - self.similar(batch, first, second)
        total = np.bincount(owners, weights=different, minlength=len(batch))
        return np.column_stack([count > 0, total / np.maximum(count, 1)]).astype(np.float64)

    @abstractmethod
    def column(self, batch: Batch) -> Column:
        """Return the sets to compare."""

    @abstractmethod
    def similar(self, batch: Batch, first: np.ndarray, second: np.ndarray) -> Floats:
        """Return the similarity Δ of each pair of texts."""


def _pairs(start: int, end: int) -> NDArray[np.int64]:
    """Return all pairs of the texts of one segment."""
    return np.array(np.triu_indices(end - start, k=1)) + start


@dataclass(frozen=True, kw_only=True)
class DsBow(_PairDiversity):
    """Lexical diversity of a set."""

    tokenize: str = "13a"
    lowercase: bool = False
    name: ClassVar[str] = "ds_bow"
    needs: ClassVar[frozenset[str]] = frozenset({SET})
    card: ClassVar[Card] = Card(
        title="DS_BOW",
        summary="How different the words of a set of paraphrases are, on plain sentences.",
        formula="mean over ordered pairs y ≠ y′ of 1 − |types(y) ∩ types(y′)| / mean(|y|, |y′|)",
        paper=_BAWDEN,
        range=(0, 1),
        better="higher",
        empty="two empty texts count as equal; a set of one is not counted",
    )

    def __post_init__(self) -> None:
        choice("tokenize", self.tokenize, WORD_TOKENISERS)

    def describe(self) -> dict[str, Value]:
        return {"case": "lc" if self.lowercase else "mixed", "tok": tokeniser_label(self.tokenize)}

    def column(self, batch: Batch) -> Column:
        return batch.candidates

    def similar(self, batch: Batch, first: np.ndarray, second: np.ndarray) -> Floats:
        encoded = batch.candidates.encoded(Tokeniser(self.tokenize, lowercase=self.lowercase))
        lengths = encoded.lengths
        shared = [
            paired_overlap(take(encoded, first[part]), take(encoded, second[part]), 1).types[:, 0]
            for part in slices(lengths[first] + lengths[second], _TOKENS)
        ]
        mean = (lengths[first] + lengths[second]) / 2
        similar = np.ones(len(mean))
        np.divide(np.concatenate(shared), mean, out=similar, where=mean > 0)
        return similar


@dataclass(frozen=True, kw_only=True)
class DsTree(_PairDiversity):
    """Syntactic diversity of a set, from constituency trees given beside the candidates."""

    decay: float = 0.5
    sigma: float = 0.0
    name: ClassVar[str] = "ds_tree"
    needs: ClassVar[frozenset[str]] = frozenset({SET, TREES})
    card: ClassVar[Card] = Card(
        title="DS_tree",
        summary="How different the syntax of a set of paraphrases is, from bracketed trees.",
        formula="mean over ordered pairs of 1 − K(t, t′) / √(K(t, t) · K(t′, t′)), "
        "K the subset-tree kernel with decay λ and σ, leaves excluded",
        paper=f"{_BAWDEN}; Moschitti 2006, Making Tree Kernels Practical, §2.2",
        range=(0, 1),
        better="higher",
        empty="a set of one is not counted",
    )

    def __post_init__(self) -> None:
        if not 0 < self.decay <= 1 or not 0 <= self.sigma <= 1:
            raise ConfigError(
                f"decay must be in (0, 1] and sigma in [0, 1]; got {self.decay}, {self.sigma}"
            )

    def describe(self) -> dict[str, Value]:
        return {"lambda": float(self.decay), "sigma": float(self.sigma)}

    def column(self, batch: Batch) -> Column:
        assert batch.trees is not None
        return batch.trees

    def similar(self, batch: Batch, first: np.ndarray, second: np.ndarray) -> Floats:
        column = self.column(batch)
        rows = (column.owners + batch.start + 1).tolist()
        trees = [_tree(text, row) for text, row in zip(column.texts, rows, strict=True)]
        return np.array(
            [
                similarity(trees[a], trees[b], decay=self.decay, sigma=self.sigma)
                for a, b in zip(first, second, strict=True)
            ]
        )


def _tree(text: str, row: int) -> Tree:
    try:
        return parse(text)
    except InputError as error:
        raise InputError(f"trees, segment {row}: {error}: {text[:80]!r}") from None


@dataclass(frozen=True, kw_only=True)
class VocabularyDiversity(MeanMetric):
    """Type–token ratio of source, references and candidates together."""

    tokenize: str = "unicode"
    name: ClassVar[str] = "vocabulary_diversity"
    needs: ClassVar[frozenset[str]] = frozenset({SOURCE, REFERENCES})
    card: ClassVar[Card] = Card(
        title="Vocabulary diversity",
        summary="Distinct words per word in the source, its references and all its candidates.",
        formula="|types| / |tokens| over source, references and candidates of a segment; mean",
        paper="Patil et al. 2022, Understanding Metrics for Paraphrasing, §5.2; Richards 1987",
        range=(0, 1),
        better="higher",
        empty="a segment without any word scores 0",
        sets=True,
    )

    def __post_init__(self) -> None:
        choice("tokenize", self.tokenize, WORD_TOKENISERS)

    def describe(self) -> dict[str, Value]:
        return {"tok": tokeniser_label(self.tokenize)}

    def stats(self, batch: Batch) -> Floats:
        tokeniser = Tokeniser(self.tokenize)
        columns = (batch.candidates, batch.refs, batch.srcs)
        tokens = np.zeros(len(batch), dtype=np.int64)
        ids, groups = [], []
        for column in columns:
            encoded = column.encoded(tokeniser)
            np.add.at(tokens, column.owners, encoded.lengths)
            ids.append(encoded.ids)
            groups.append(np.repeat(column.owners, encoded.lengths))
        everything = _regroup(np.concatenate(ids), np.concatenate(groups), len(batch))
        types = _distinct(everything, np.arange(len(batch)), len(batch), 1)
        return weighted(types / np.maximum(tokens, 1))


def _regroup(ids: np.ndarray, groups: np.ndarray, count: int) -> Encoded:
    """Lay the tokens of each group end to end as one text."""
    order = np.argsort(groups, kind="stable")
    starts = np.r_[0, np.cumsum(np.bincount(groups, minlength=count))]
    return Encoded(ids[order], starts, int(ids.max(initial=0)) + 1)


def _distinct(encoded: Encoded, groups: np.ndarray, count: int, order: int) -> np.ndarray:
    """Count distinct n-grams of one order in each group of texts."""
    nothing = Encoded(np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64), encoded.size)
    none = np.zeros(0, dtype=np.int64)
    return overlap(encoded, nothing, groups, none, count, order).left_types[:, -1]
