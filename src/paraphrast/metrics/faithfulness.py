"""Faithfulness: does the source support the text? Entailment, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paraphrast.errors import ConfigError
from paraphrast.meaning.source_chunks import REACH, WORDS, Chunking
from paraphrast.meaning.support import SentenceSupport, supports
from paraphrast.metrics.base import SOURCE, Batch, Card, MeanMetric, Place, choice, weighted
from paraphrast.metrics.weights import letter_counts, named_weights
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.scripts import language_note
from paraphrast.models.store import checked_name, find
from paraphrast.signature import Value
from paraphrast.types import Floats

_PARTS = ("mean", "least", "both")
_COUNTS = 5  # columns after the values: sentences, unsupported, texts with such, letters, foreign
_NOTHING_SAID = 1.0  # by a candidate without a sentence


@dataclass(frozen=True, kw_only=True)
class Faithfulness(MeanMetric):
    """How far the sentences of a candidate follow from its source."""

    model: str = "mini"
    part: str = "mean"
    chunk: int = WORDS
    reach: int = REACH
    name: ClassVar[str] = "faithfulness"
    runs_model: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({SOURCE})
    card: ClassVar[Card] = Card(
        title="Faithfulness",
        summary="The probability that what a candidate says follows from its source: each of its "
        "sentences is read against overlapping chunks of the source, and counts as far as it "
        "follows from the chunk that supports it best.",
        formula="mean or least, over the candidate's sentences, of max over chunks of "
        "P(chunk ⇒ sentence)",
        paper="after Laban et al. 2022, SummaC: Re-Visiting NLI-based Models for Inconsistency "
        "Detection in Summarization; the encoder is that of `entailment`",
        range=(0, 1),
        better="higher",
        empty="a candidate without a sentence claims nothing and gets 1; one against an empty "
        "source gets 0; no model is asked",
        parts={
            "mean": "mean over the candidate's sentences",
            "least": "that of the sentence supported least",
            "both": "half the sum of the two",
        },
    )

    def __post_init__(self) -> None:
        checked_name(self.model)
        choice("part", self.part, _PARTS)
        for option in ("chunk", "reach"):
            if getattr(self, option) < 1:
                raise ConfigError(f"{option} must be at least 1; got {getattr(self, option)}")

    def prepare(self, place: Place) -> None:
        self._encoder(place)

    def describe(self) -> dict[str, Value]:
        """Name the weights by what they are, wherever they lie."""
        weights = named_weights(self.model, self._card)
        return {**weights, "part": self.part, "chunk": self.chunk, "reach": self.reach}

    def stats(self, batch: Batch) -> Floats:
        """Return points and then, for the notes, counts of sentences and letters."""
        encoder = self._encoder(batch.place)
        pairs = list(zip(batch.srcs.texts, batch.candidates.texts, strict=True))
        chunking = Chunking(words=self.chunk, reach=self.reach)
        found = supports(encoder, pairs, chunking=chunking)
        parts = np.array([_parts(sentences) for sentences in found])
        chosen = parts[:, [_PARTS.index(self.part)]]
        counts = np.array([_counts(sentences) for sentences in found], dtype=np.float64)
        known = letter_counts({text for pair in pairs for text in pair}, encoder.card.languages)
        letters = np.array([np.add(known[a], known[b]) for a, b in pairs], dtype=np.float64)
        return np.hstack([weighted(chosen, parts), counts, letters])

    def value(self, points: Floats) -> Floats:
        return super().value(points[:, :-_COUNTS])

    def notes(self, points: Floats) -> list[str]:
        """Count the sentences that are not supported, which `paraphrast support` names."""
        sums = points[:, -_COUNTS:].sum(axis=0).astype(int).tolist()
        sentences, unsupported, texts, total, foreign = sums
        found = []
        if unsupported:
            do = "does" if unsupported == 1 else "do"
            found.append(
                f"faithfulness: {unsupported:,} of {sentences:,} sentences, in {texts:,} "
                f"candidate{'s' * (texts != 1)}, {do} not follow from the source "
                "(P < .5); `paraphrast support` names them and their words"
            )
        warning = language_note(total, foreign, self._card())
        return [*found, warning] if warning else found

    def _card(self) -> EncoderCard:
        return EncoderCard.read(find(self.model, download=False))

    def _encoder(self, place: Place) -> EditEncoder:
        return EditEncoder.load(self.model, threads=place.threads, device=place.device)


def _parts(sentences: Sequence[SentenceSupport]) -> tuple[float, float, float]:
    every = [one.probability for one in sentences] or [_NOTHING_SAID]
    mean, least = float(np.mean(every)), min(every)
    return mean, least, (mean + least) / 2


def _counts(sentences: Sequence[SentenceSupport]) -> tuple[int, int, bool]:
    lacking = sum(not one.supported for one in sentences)
    return len(sentences), lacking, lacking > 0
