"""Metrics of paraphrases against their source: ROUGE-P and PINC."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from paraphrast.errors import ConfigError, InputError
from paraphrast.metrics.base import (
    REFERENCES,
    SOURCE,
    Batch,
    Card,
    MeanMetric,
    choice,
    weighted,
)
from paraphrast.metrics.references import paired_matches, paired_overlap
from paraphrast.metrics.rouge import f_rows, lcs_counts
from paraphrast.signature import Value
from paraphrast.text.ngrams import check_orders
from paraphrast.text.tokenise import WORD_TOKENISERS, Tokeniser, tokeniser_label
from paraphrast.types import Floats

_BLOCK = 1 << 16  # segments looked at together when only their sum is wanted


@dataclass(frozen=True, kw_only=True)
class RougeP(MeanMetric):
    """ROUGE-P: adequacy × novelty × fluency × length, relative to a benchmark ROUGE-L.

    Statistics are `[srcROUGE-1 recall, srcROUGE-L F, length penalty, Σ benchmark, pairs]`; the
    benchmark is known only after every segment has been seen, so `fit` fixes it and `points`
    applies equations (1)–(4). It stays fixed while bootstrapping.
    """

    tokenize: str = "unicode"
    beta: float = 2.0
    gamma: float = 7.0
    benchmark: float | None = None
    name: ClassVar[str] = "rouge_p"
    needs: ClassVar[frozenset[str]] = frozenset({SOURCE, REFERENCES})
    whole_corpus: ClassVar[bool] = True
    card: ClassVar[Card] = Card(
        title="ROUGE-P",
        summary="One number for a paraphrase: says the same, in other words, fluently, no longer. "
        "By its equations word order hardly counts: a shuffled copy of the source scores high, so "
        "read it beside a metric of fluency.",
        formula="srcROUGE₁ · (1 − (max(srcROUGE_L − b, 0) / (1 − b))^β) · "
        "(1 − (max(b − srcROUGE_L, 0) / b)^γ) · min(1, exp(1 − |candidate| / |source|)), "
        "b = mean ROUGE-L F of the corpus's source–reference pairs; srcROUGE₁ is recall",
        paper="Patil et al. 2022, Understanding Metrics for Paraphrasing, equations (1)–(4)",
        range=(0, 1),
        better="higher",
        empty="an empty candidate or source scores 0",
        parts={
            "adequacy": "ROUGE-1 recall of the source",
            "novelty": "factor that falls when the candidate copies more than the benchmark",
            "fluency": "factor that falls when order is lost against the benchmark",
            "length": "penalty for candidates longer than the source",
            "source_rougeL": "ROUGE-L F with the source",
        },
    )

    def __post_init__(self) -> None:
        choice("tokenize", self.tokenize, WORD_TOKENISERS)
        if self.beta <= 0 or self.gamma <= 0:
            raise ConfigError(f"beta and gamma must be positive; got {self.beta}, {self.gamma}")
        if self.benchmark is not None and not 0 < self.benchmark < 1:
            raise ConfigError(
                f"the benchmark must lie strictly between 0 and 1; got {self.benchmark}"
            )

    def required(self) -> frozenset[str]:
        return self.needs if self.benchmark is None else frozenset({SOURCE})

    def describe(self) -> dict[str, Value]:
        return {
            "tok": tokeniser_label(self.tokenize),
            "beta": float(self.beta),
            "gamma": float(self.gamma),
            "bench": "corpus" if self.benchmark is None else float(self.benchmark),
        }

    def stats(self, batch: Batch) -> Floats:
        tokeniser = Tokeniser(self.tokenize)
        mine, source = batch.candidates.encoded(tokeniser), batch.srcs.encoded(tokeniser)
        shared = paired_matches(mine, source, 1)[:, 0]
        recall = shared / np.maximum(source.lengths, 1)
        rouge_l = f_rows(*lcs_counts(batch.candidates, batch.srcs, tokeniser))[:, 0]
        ratio = mine.lengths / np.maximum(source.lengths, 1)
        penalty = np.minimum(1, np.exp(1 - ratio))
        return np.column_stack([recall, rouge_l, penalty, *self._benchmark(batch, tokeniser)])

    def _benchmark(self, batch: Batch, tokeniser: Tokeniser) -> tuple[Floats, Floats]:
        """Return the sum of ROUGE-L over each segment's references, and their number."""
        if self.benchmark is not None or batch.references is None:
            return np.zeros(len(batch)), np.zeros(len(batch))
        values = f_rows(*lcs_counts(batch.srcs, batch.refs, tokeniser))[:, 0]
        owners = batch.refs.owners
        total = np.bincount(owners, weights=values, minlength=len(batch)).astype(np.float64)
        return total, np.bincount(owners, minlength=len(batch)).astype(np.float64)

    def fit(self, rows: Floats) -> Self:
        if self.benchmark is not None:
            return self
        benchmark = float(rows[:, 3].sum() / rows[:, 4].sum())
        if not 1e-12 < benchmark < 1 - 1e-12:
            raise InputError(
                f"rouge_p: the benchmark ROUGE-L of sources and references is {benchmark:.0f}, "
                "so novelty or fluency is undefined; are the references copies of the sources, "
                "or of other texts? Otherwise give the benchmark as a number "
                "(rouge_p:benchmark=0.66)"
            )
        return replace(self, benchmark=benchmark)

    def total(self, rows: Floats) -> Floats:
        blocks = (self.points(rows[at : at + _BLOCK]) for at in range(0, len(rows), _BLOCK))
        return np.array([sum(block.sum(axis=0) for block in blocks)])

    def points(self, rows: Floats) -> Floats:
        assert self.benchmark is not None
        recall, rouge_l, penalty = rows[:, 0], rows[:, 1], rows[:, 2]
        above = np.maximum(rouge_l - self.benchmark, 0) / (1 - self.benchmark)
        below = np.maximum(self.benchmark - rouge_l, 0) / self.benchmark
        novelty, fluency = 1 - above**self.beta, 1 - below**self.gamma
        score = recall * novelty * fluency * penalty
        return weighted(score, recall, novelty, fluency, penalty, rouge_l)


@dataclass(frozen=True, kw_only=True)
class Pinc(MeanMetric):
    """Share of the candidate's n-grams that the source does not have."""

    tokenize: str = "unicode"
    max_ngram_order: int = 4
    name: ClassVar[str] = "pinc"
    needs: ClassVar[frozenset[str]] = frozenset({SOURCE})
    card: ClassVar[Card] = Card(
        title="PINC",
        summary="Paraphrase in n-gram changes: how new the wording is against the source.",
        formula="1 − mean over n = 1..4 of |n-grams(source) ∩ n-grams(candidate)| / "
        "|n-grams(candidate)|, distinct n-grams; orders it is too short for are left out",
        paper="Chen and Dolan 2011, Collecting Highly Parallel Data for Paraphrase Evaluation, §5",
        range=(0, 1),
        better="higher",
        empty="an empty candidate scores 0; against an empty source everything is new",
    )

    def __post_init__(self) -> None:
        choice("tokenize", self.tokenize, WORD_TOKENISERS)
        check_orders("max_ngram_order", self.max_ngram_order)

    def describe(self) -> dict[str, Value]:
        return {"tok": tokeniser_label(self.tokenize), "order": self.max_ngram_order}

    def stats(self, batch: Batch) -> Floats:
        tokeniser = Tokeniser(self.tokenize)
        mine, source = batch.candidates.encoded(tokeniser), batch.srcs.encoded(tokeniser)
        found = paired_overlap(mine, source, self.max_ngram_order)
        exists = found.left_types > 0
        fraction = np.divide(
            found.types, found.left_types, out=np.zeros(exists.shape), where=exists
        )
        orders = exists.sum(axis=1)
        return weighted(np.where(orders, 1 - fraction.sum(axis=1) / np.maximum(orders, 1), 0.0))
