"""Metrics that the edit encoder answers: ParaBLEU's score, entailment, ParaTag's P, R and F.

Asked for together they read each pair once: the encoder remembers what it said.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from paraphrast.meaning.assessment import Assessment, assess
from paraphrast.metrics.base import Batch, Card, MeanMetric, Place, choice, weighted
from paraphrast.metrics.references import COMBINE, combine
from paraphrast.metrics.weights import letter_counts, named_weights, windows_note
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.encoder.tag_scores import sigmoid
from paraphrast.models.scripts import language_note
from paraphrast.models.store import checked_name, find
from paraphrast.signature import Value
from paraphrast.types import Floats

if TYPE_CHECKING:
    from paraphrast.models.encoder.edit_encoder import EditEncoder
    from paraphrast.models.encoder.pair_summary import Summary

_DIRECTIONS = ("reference", "candidate", "both")
_PARTS = ("P", "R", "F")
_SCALES = ("probability", "logit")
_COUNTS = 5  # columns after the values: pairs, windowed, limited, letters, foreign letters
_EMPTY = (
    "two empty texts say the same and get the {best}; one against a text gets the {worst}; "
    "no model is asked"
)


@dataclass(frozen=True, kw_only=True)
class Learned(MeanMetric):
    """What the metrics of the encoder share: the weights, and how references are combined."""

    model: str = "mini"
    combine: str = "best"
    runs_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked_name(self.model)
        choice("combine", self.combine, COMBINE)

    def prepare(self, place: Place) -> None:
        self._encoder(place)

    def describe(self) -> dict[str, Value]:
        """Name the weights by what they are, wherever they lie; without them there is no hash."""
        return {**named_weights(self.model, self._card), "refs": self.combine}

    def stats(self, batch: Batch) -> Floats:
        """Return points and then, for the notes, counts of pairs, windowed pairs and letters."""
        owners = batch.refs.owners.tolist()
        pairs = [
            (reference, batch.candidates.texts[owner])
            for reference, owner in zip(batch.refs.texts, owners, strict=True)
        ]
        encoder = self._encoder(batch.place)
        values, windows = self.values(encoder, pairs)
        counts = np.column_stack(
            [np.ones(len(pairs)), windows, _letters(pairs, encoder.card.languages)]
        )
        sums = np.add.reduceat(counts, batch.refs.offsets[:-1], axis=0)
        return np.hstack([weighted(combine(values, batch.refs, self.combine)), sums])

    @abstractmethod
    def values(
        self, encoder: EditEncoder, pairs: Sequence[tuple[str, str]]
    ) -> tuple[Floats, Floats]:
        """Return score and parts of each pair, and whether it was windowed and limited."""

    def value(self, points: Floats) -> Floats:
        return super().value(points[:, :-_COUNTS])

    def notes(self, points: Floats) -> list[str]:
        pairs, windowed, limited, total, foreign = points[:, -_COUNTS:].sum(axis=0).astype(int)
        card = self._card()
        found = []
        if windowed:
            found.append(windows_note(windowed, pairs, "pairs", card.max_tokens))
        if limited:
            found.append(
                f"{limited} of {pairs} pairs had so many windows that each was compared only with "
                "those nearest to its place in the other text"
            )
        warning = language_note(total, foreign, card)
        return [*found, warning] if warning else found

    def _card(self) -> EncoderCard:
        return EncoderCard.read(find(self.model, download=False))

    def _encoder(self, place: Place) -> EditEncoder:
        from paraphrast.models.encoder.edit_encoder import EditEncoder

        return EditEncoder.load(self.model, threads=place.threads, device=place.device)


@dataclass(frozen=True, kw_only=True)
class ParaBleu(Learned):
    """ParaBLEU's score: what people would say of the candidate, given the reference."""

    name: ClassVar[str] = "parableu"
    card: ClassVar[Card] = Card(
        title="ParaBLEU",
        summary="How good a person would find the candidate, given the reference: learned from "
        "human ratings, on the scale of their z-scores (0 is an average translation).",
        formula="a linear function of the edit encoder's state of (reference, candidate), fitted "
        "to human ratings by mean squared error",
        paper="Weston et al. 2021, Generative Pretraining for Paraphrase Evaluation",
        range=(float("-inf"), float("inf")),
        better="higher",
        empty=_EMPTY.format(
            best="highest score of the card's calibration", worst="lowest score of it"
        ),
        usual="about −2 to 1",
    )

    def values(
        self, encoder: EditEncoder, pairs: Sequence[tuple[str, str]]
    ) -> tuple[Floats, Floats]:
        found = encoder.summaries(pairs)
        return np.array([[one.score] for one in found]), _windows(found)


@dataclass(frozen=True, kw_only=True)
class Entailment(Learned):
    """The probability that one text follows from the other."""

    direction: str = "reference"
    name: ClassVar[str] = "entailment"
    card: ClassVar[Card] = Card(
        title="Entailment",
        summary="Probability that the candidate follows from the reference; with "
        "direction=candidate the reverse, with direction=both the smaller of the two.",
        formula="σ(c · logit of reference ⇒ candidate), c as the model's card says",
        paper="the entailment objective of Weston et al. 2021, Generative Pretraining for "
        "Paraphrase Evaluation",
        range=(0, 1),
        better="higher",
        empty=_EMPTY.format(best="probability of the logit 10", worst="probability of −10"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("direction", self.direction, _DIRECTIONS)

    def describe(self) -> dict[str, Value]:
        return {**super().describe(), "direction": self.direction}

    def values(
        self, encoder: EditEncoder, pairs: Sequence[tuple[str, str]]
    ) -> tuple[Floats, Floats]:
        if self.direction == "reference":  # encoders of format 1 need no second reading
            read = encoder.summaries(pairs)
            logits = encoder.card.certainty.scale * np.array([one.entailment for one in read])
            return sigmoid(logits)[:, None], _windows(read)
        found = assess(encoder, pairs)
        values = [
            one.chances.backward if self.direction == "candidate" else one.chances.entailment
            for one in found
        ]
        return np.array(values)[:, None], _windows(found)


@dataclass(frozen=True, kw_only=True)
class ParaTag(Learned):
    """ParaTag's scores: how much of each text the other one paraphrases, word by word."""

    part: str = "F"
    scale: str = "probability"
    name: ClassVar[str] = "paratag"
    card: ClassVar[Card] = Card(
        title="ParaTag",
        summary="How much of each text the other one paraphrases, as the mean probability of its "
        "words; the score is one of P, R and F. With scale=logit the means of the words' "
        "logit differences, which have no bounds.",
        formula="P = mean over the candidate's words of σ(G[0] − G[1]), R over the reference's, "
        "F over both, where G are the logits of paraphrased and not paraphrased",
        paper="Wang et al. 2022, ParaTag: A Dataset of Paraphrase Tagging for Fine-Grained "
        "Labels, NLG Evaluation, and Data Augmentation",
        range=(0, 1),
        better="higher",
        empty="two texts without words score 1, one against none 0 (logits: 10 and −10)",
        parts={
            "P": "mean over the candidate's words",
            "R": "mean over the reference's words",
            "F": "mean over the words of both",
        },
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("part", self.part, _PARTS)
        choice("scale", self.scale, _SCALES)

    def describe(self) -> dict[str, Value]:
        return {**super().describe(), "part": self.part, "scale": self.scale}

    def values(
        self, encoder: EditEncoder, pairs: Sequence[tuple[str, str]]
    ) -> tuple[Floats, Floats]:
        found = encoder.summaries(pairs)
        logit = self.scale == "logit"
        parts = np.array(
            [
                (one.logit_p, one.logit_r, one.logit_f)
                if logit
                else (one.probability_p, one.probability_r, one.probability_f)
                for one in found
            ]
        )
        return np.column_stack([parts[:, _PARTS.index(self.part)], parts]), _windows(found)


def _windows(found: Sequence[Summary | Assessment]) -> Floats:
    return np.array([(one.windowed, one.limited) for one in found], dtype=np.float64)


def _letters(pairs: Sequence[tuple[str, str]], languages: Sequence[str]) -> Floats:
    """Count letters and foreign letters of each pair."""
    texts = letter_counts({text for pair in pairs for text in pair}, languages)
    return np.array([np.add(texts[a], texts[b]) for a, b in pairs], dtype=np.float64)
