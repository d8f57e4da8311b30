"""Plain overlap and length: word-overlap rate, length ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paraphrast.metrics.base import Batch, Card, MeanMetric, Metric, choice, weighted
from paraphrast.metrics.references import (
    COMBINE,
    closest_length,
    combine,
    paired_overlap,
    per_reference,
)
from paraphrast.signature import Value
from paraphrast.text.tokenise import WORD_TOKENISERS, Tokeniser, tokeniser_label
from paraphrast.types import Floats


@dataclass(frozen=True, kw_only=True)
class Wor(MeanMetric):
    """Word-overlap rate: Jaccard similarity of the two word sets."""

    tokenize: str = "unicode"
    combine: str = "best"
    name: ClassVar[str] = "wor"
    card: ClassVar[Card] = Card(
        title="Word-overlap rate",
        summary="Distinct words in common over distinct words in either text.",
        formula="|words(candidate) ∩ words(reference)| / |words(candidate) ∪ words(reference)|",
        paper="Jaccard 1901; used by Suzuki et al. 2017, Building a Non-Trivial Paraphrase Corpus "
        "using Multiple Machine Translation Systems",
        range=(0, 1),
        better="higher",
        empty="two texts without words score 1, one against none 0",
    )

    def __post_init__(self) -> None:
        choice("tokenize", self.tokenize, WORD_TOKENISERS)
        choice("combine", self.combine, COMBINE)

    def describe(self) -> dict[str, Value]:
        return {"tok": tokeniser_label(self.tokenize), "refs": self.combine}

    def stats(self, batch: Batch) -> Floats:
        tokeniser = Tokeniser(self.tokenize)
        left = per_reference(batch.candidates.encoded(tokeniser), batch.refs)
        found = paired_overlap(left, batch.refs.encoded(tokeniser), 1)
        union = (found.left_types + found.right_types - found.types)[:, 0]
        rate = np.divide(found.types[:, 0], union, out=np.ones(len(union)), where=union > 0)
        return weighted(combine(rate[:, None], batch.refs, self.combine))


@dataclass(frozen=True, kw_only=True)
class LengthRatio(Metric):
    """Candidate length over reference length."""

    tokenize: str = "13a"
    name: ClassVar[str] = "length_ratio"
    card: ClassVar[Card] = Card(
        title="Length ratio",
        summary="Candidate tokens per reference token; 1 is neither longer nor shorter.",
        formula="Σ candidate tokens / Σ tokens of the reference closest in length",
        paper="the length term of Papineni et al. 2002",
        range=(0, float("inf")),
        better="near 1",
        empty="an empty reference counts as one token",
        parts={"sys_len": "candidate tokens", "ref_len": "reference tokens"},
    )

    def __post_init__(self) -> None:
        choice("tokenize", self.tokenize, WORD_TOKENISERS)

    def describe(self) -> dict[str, Value]:
        return {"tok": tokeniser_label(self.tokenize), "refs": "closest"}

    def stats(self, batch: Batch) -> Floats:
        tokeniser = Tokeniser(self.tokenize)
        mine = batch.candidates.encoded(tokeniser).lengths
        theirs = batch.refs.encoded(tokeniser).lengths
        closest = closest_length(mine, theirs, batch.refs)
        return np.column_stack([mine, np.maximum(closest, 1)]).astype(np.float64)

    def value(self, points: Floats) -> Floats:
        return np.column_stack([points[:, 0] / points[:, 1], points])
