"""Edit distances: character similarity and word error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paraphrast.metrics.base import Batch, Card, MeanMetric, Metric, choice, weighted
from paraphrast.metrics.references import COMBINE, best, combine, per_reference
from paraphrast.signature import Value
from paraphrast.text.alignment.long_pairs import CHARACTER_CELLS, edit_distances
from paraphrast.text.column import sequences
from paraphrast.text.tokenise import WORD_TOKENISERS, Tokeniser, tokeniser_label
from paraphrast.types import Floats


@dataclass(frozen=True, kw_only=True)
class Levenshtein(MeanMetric):
    """Character edit similarity."""

    combine: str = "best"
    name: ClassVar[str] = "levenshtein"
    card: ClassVar[Card] = Card(
        title="Levenshtein similarity",
        summary="Share of characters that need no edit; 1 for equal texts.",
        formula="1 − edits / max(|candidate|, |reference|), in characters",
        paper="Levenshtein 1966, Binary Codes Capable of Correcting Deletions, Insertions and "
        "Reversals",
        range=(0, 1),
        better="higher",
        empty="two empty texts score 1, an empty and a non-empty one 0",
    )

    def __post_init__(self) -> None:
        choice("combine", self.combine, COMBINE)

    def describe(self) -> dict[str, Value]:
        return {"refs": self.combine}

    def stats(self, batch: Batch) -> Floats:
        references = batch.refs
        candidates = [batch.candidates.texts[owner] for owner in references.owners]
        edits = edit_distances(candidates, references.texts, most=CHARACTER_CELLS)
        longer = [max(map(len, pair)) for pair in zip(candidates, references.texts, strict=True)]
        similar = 1 - edits / np.maximum(longer, 1)
        return weighted(combine(similar[:, None], references, self.combine))


@dataclass(frozen=True, kw_only=True)
class Wer(Metric):
    """Word error rate."""

    tokenize: str = "none"
    lowercase: bool = False
    name: ClassVar[str] = "wer"
    card: ClassVar[Card] = Card(
        title="Word error rate",
        summary="Word insertions, deletions and substitutions per reference word.",
        formula="Σ edits / Σ reference words; of several references the one with the lowest rate",
        paper="Woodard and Nelson 1982, An information theoretic measure of speech recognition "
        "performance",
        range=(0, float("inf")),
        better="lower",
        empty="against an empty reference each candidate word is one error of one word",
        parts={"edits": "word edits", "ref_len": "reference words"},
    )

    def __post_init__(self) -> None:
        choice("tokenize", self.tokenize, WORD_TOKENISERS)

    def describe(self) -> dict[str, Value]:
        return {"case": "lc" if self.lowercase else "mixed", "tok": tokeniser_label(self.tokenize)}

    def stats(self, batch: Batch) -> Floats:
        references = batch.refs
        tokeniser = Tokeniser(self.tokenize, lowercase=self.lowercase)
        left = per_reference(batch.candidates.encoded(tokeniser), references)
        right = references.encoded(tokeniser)
        edits = edit_distances(*sequences(left, right))
        lengths = right.lengths.astype(np.float64)
        chosen = best(-edits / np.maximum(lengths, 1), references)
        return np.column_stack([edits, np.maximum(lengths, 1)])[chosen]

    def value(self, points: Floats) -> Floats:
        return np.column_stack([points[:, 0] / points[:, 1], points])
