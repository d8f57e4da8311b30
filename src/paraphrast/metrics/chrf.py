"""chrF and chrF++, equal to sacrebleu's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ConfigError
from paraphrast.metrics.base import Batch, Card, Metric
from paraphrast.metrics.references import best, paired_matches, per_reference
from paraphrast.signature import Value
from paraphrast.text.column import Column, Encoded
from paraphrast.text.ngrams import check_orders, totals
from paraphrast.text.tokenise import Tokeniser
from paraphrast.types import Floats

_TINY = 1e-16
_PAPER = (
    "Popović 2015, chrF: character n-gram F-score for automatic MT evaluation; "
    "Popović 2017, chrF++: words helping character n-grams"
)


@dataclass(frozen=True, kw_only=True)
class Chrf(Metric):
    """Character n-gram F-score; with word_order 2 it is chrF++."""

    char_order: int = 6
    word_order: int = 0
    beta: float = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False
    name: ClassVar[str] = "chrf"
    card: ClassVar[Card] = Card(
        title="chrF",
        summary="F-score of character n-grams, recall weighted twice; no tokeniser needed.",
        formula="100 · (1 + β²) · P · R / (β² · P + R), P and R averaged over n = 1..6",
        paper=_PAPER,
        range=(0, 100),
        digits=2,
        better="higher",
        empty="an empty candidate or reference has no n-grams: the segment scores 0",
    )

    def __post_init__(self) -> None:
        if self.char_order < 1 or self.word_order < 0 or self.beta <= 0:
            raise ConfigError(
                "char_order must be at least 1, word_order at least 0 and beta above 0; got "
                f"{self.char_order}, {self.word_order}, {self.beta}"
            )
        check_orders("char_order", self.char_order)
        check_orders("word_order", max(self.word_order, 1))

    def describe(self) -> dict[str, Value]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": not self.eps_smoothing,
            "nc": self.char_order,
            "nw": self.word_order,
            "beta": float(self.beta),
            "space": self.whitespace,
        }

    def stats(self, batch: Batch) -> Floats:
        """Return `[candidate, reference, matched]` n-gram counts for each order."""
        references = batch.refs
        counts = [self._counts(self._chars, batch.candidates, references, self.char_order)]
        if self.word_order:
            counts.append(self._counts(self._words, batch.candidates, references, self.word_order))
        rows: Floats = np.concatenate(counts, axis=1).astype(np.float64)
        rows = rows.reshape(len(references.texts), -1)
        if references.single:
            return rows
        return rows[best(self.value(rows)[:, 0], references)]

    def _chars(self, column: Column) -> Encoded:
        return column.characters(whitespace=self.whitespace, lowercase=self.lowercase)

    def _words(self, column: Column) -> Encoded:
        return column.encoded(Tokeniser("chrf", lowercase=self.lowercase))

    def _counts(
        self, encode: Callable[[Column], Encoded], column: Column, references: Column, orders: int
    ) -> NDArray[np.int64]:
        left, right = per_reference(encode(column), references), encode(references)
        matched = paired_matches(left, right, orders)
        mine, theirs = totals(left.lengths, orders), totals(right.lengths, orders)
        mine = np.where(theirs > 0, mine, 0)  # sacrebleu counts no candidate n-grams then
        return np.stack([mine, theirs, matched], axis=2)

    def value(self, points: Floats) -> Floats:
        orders = self.char_order + self.word_order
        mine, theirs, matched = np.moveaxis(points.reshape(len(points), orders, 3), 2, 0)
        tiny = np.full(mine.shape, _TINY)
        precision = np.divide(matched, mine, out=tiny.copy(), where=mine > 0)
        recall = np.divide(matched, theirs, out=tiny.copy(), where=theirs > 0)
        if self.eps_smoothing:
            scores: Floats = self._f(precision, recall, tiny).sum(axis=1) / orders
        else:
            both = (mine > 0) & (theirs > 0)
            used = np.maximum(both.sum(axis=1), 1)
            mean_precision = np.where(both, precision, 0).sum(axis=1) / used
            mean_recall = np.where(both, recall, 0).sum(axis=1) / used
            scores = self._f(mean_precision, mean_recall, np.zeros(len(points)))
        return 100 * scores[:, None]

    def _f(self, precision: Floats, recall: Floats, otherwise: Floats) -> Floats:
        factor = float(self.beta) ** 2
        low = factor * precision + recall
        top = (1 + factor) * precision * recall
        np.divide(top, low, out=otherwise, where=low > 0)
        return otherwise


@dataclass(frozen=True, kw_only=True)
class ChrfPlusPlus(Chrf):
    """chrF with word unigrams and bigrams."""

    word_order: int = 2
    name: ClassVar[str] = "chrf++"
    card: ClassVar[Card] = Card(
        title="chrF++",
        summary="chrF with word unigrams and bigrams beside the character n-grams.",
        formula="100 · (1 + β²) · P · R / (β² · P + R), mean over 6 character and 2 word orders",
        paper=_PAPER,
        range=(0, 100),
        digits=2,
        better="higher",
        empty=Chrf.card.empty,
    )
