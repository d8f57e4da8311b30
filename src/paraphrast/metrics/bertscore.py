"""BERTScore: each sub-word finds its nearest counterpart in the other text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from paraphrast.errors import ConfigError, ParaphrastError
from paraphrast.metrics.base import Card, Place, choice
from paraphrast.metrics.embedding import Vectors, View, Weighted, unit, view_of
from paraphrast.models.embedder.embedder_card import Baseline, EmbedderCard
from paraphrast.models.weights_card import short_hash
from paraphrast.signature import Value
from paraphrast.types import Floats

if TYPE_CHECKING:
    from paraphrast.models.embedder.text_embedder import Tokens

_PARTS = ("P", "R", "F")
_AT_ONCE = 1 << 24  # cosines that are held at once: 64 MB


@dataclass(frozen=True, kw_only=True)
class BertScore(Weighted):
    """BERTScore as the package bert-score computes it, with any exported encoder and layer."""

    rescale: bool = False
    part: str = "F"
    name: ClassVar[str] = "bertscore"
    card: ClassVar[Card] = Card(
        title="BERTScore",
        summary="How well the sub-words of each text find a counterpart in the other, by the "
        "cosine of their states in context; the score is one of P, R and F.",
        formula="P = mean over the candidate's sub-words of the largest cosine with one of the "
        "reference's, R the reverse, F = 2PR/(P+R); weighted by idf = ln((N+1)/(n+1)) if asked "
        "for; special tokens weigh nothing but may be matched; rescale: (x − b)/(1 − b) with the "
        "value b of unrelated texts",
        paper="Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT",
        range=(-1, 1),
        better="higher",
        empty="an empty text on either side gives P = R = F = 0 (before rescaling); undefined "
        "where the weights know no word of a text, or idf gives all of it the weight 0",
        parts={
            "P": "precision: the candidate's sub-words",
            "R": "recall: the reference's sub-words",
            "F": "2PR/(P+R), and 0 where P and R differ in sign",
        },
        usual="0.3 to 1; with rescale=true about 0 to 1",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("part", self.part, _PARTS)
        if not isinstance(self.rescale, bool):
            raise ConfigError(f"rescale must be true or false; got {self.rescale!r}")

    def prepare(self, place: Place) -> None:
        super().prepare(place)
        if self.rescale:
            self._baseline(self._card())

    def describe(self) -> dict[str, Value]:
        return {**super().describe(), "rescale": self._rescaling(), "part": self.part}

    def view(self, tokens: Tokens) -> View:
        return view_of(tokens, unit(tokens.states), self.importance(tokens))

    def compare(self, candidate: View, reference: View) -> tuple[float, ...]:
        ours, theirs = _nearest(candidate.vectors, reference.vectors)
        precision = float(np.clip(ours, -1, 1) @ candidate.weights)
        recall = float(np.clip(theirs, -1, 1) @ reference.weights)
        parts = (precision, recall, _harmonic(precision, recall))
        return (parts[_PARTS.index(self.part)], *parts)

    def emptiness(self, both: bool) -> tuple[float, ...]:
        return (0.0,) * (1 + len(_PARTS))

    def scaled(self, values: Floats, card: EmbedderCard) -> Floats:
        if not self.rescale:
            return values
        low = self._baseline(card)
        bases = np.array([low[_PARTS.index(self.part)], *low])
        found: Floats = (values - bases) / (1 - bases)
        return found

    def _baseline(self, card: EmbedderCard) -> Baseline:
        layer = self.chosen_layer(card)
        if layer not in card.baseline:
            known = ", ".join(map(str, card.baseline)) or "none"
            raise ConfigError(
                f"rescale=true needs a baseline, and the card of {card.model!r} has none for layer "
                f"{layer} (layers with one: {known}); leave rescale out"
            )
        return card.baseline[layer]

    def _rescaling(self) -> str:
        if not self.rescale:
            return "no"
        try:
            return short_hash(*self._baseline(self._card()))
        except ParaphrastError:
            return "missing"


def _nearest(ours: Vectors, theirs: Vectors) -> tuple[Floats, Floats]:
    """Return the largest cosine of each of ours and of each of theirs, in bounded memory."""
    rows = max(_AT_ONCE // max(len(theirs), 1), 1)
    if len(ours) <= rows:
        cosines = ours @ theirs.T
        return cosines.max(axis=1).astype(np.float64), cosines.max(axis=0).astype(np.float64)
    parts = [_nearest(ours[start : start + rows], theirs) for start in range(0, len(ours), rows)]
    mine, other = zip(*parts, strict=True)
    return np.concatenate(mine), np.max(other, axis=0)


def _harmonic(precision: float, recall: float) -> float:
    """Return 2PR/(P+R), and 0 where P and R differ in sign: between those it has no bounds."""
    return 2 * precision * recall / (precision + recall) if precision * recall > 0 else 0.0
