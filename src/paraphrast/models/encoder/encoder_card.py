"""The card of an edit encoder: what it reads at once, its thresholds, its calibration."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from paraphrast.errors import ModelError
from paraphrast.models.card_entries import Entries
from paraphrast.models.weights_card import WeightsCard, open_card, shared_entries, short_hash

KIND = "paraphrast edit encoder"
FORMATS = (1, 2)  # 2: relations in both directions, sameness and how certain they are
_LEAST_WINDOW = 16


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where a yes begins, as chosen on held-out training data."""

    tag: float  # a word is tagged 1, not paraphrased, when its support is below
    entailment: float  # on the logit
    score: float  # on the raw score, for "is a paraphrase"


@dataclass(frozen=True, slots=True)
class Certainty:
    """How logits become probabilities that hold: fitted on held-out pairs.

    The logit of "they say the same" is `same` × the encoder's own + `entailment` × the lower of
    both entailments + `bias`; those of entailment and contradiction are multiplied by `scale`.
    """

    same: float
    entailment: float
    bias: float
    scale: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Scores and the percentile of human ratings they stand for; both ascending."""

    data: str
    score: tuple[float, ...]
    percentile: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderCard(WeightsCard):
    """Pairs of up to `max_tokens` sub-words are read at once, longer ones in windows."""

    window: int
    format: int
    thresholds: Thresholds
    calibration: Calibration
    certainty: Certainty

    @classmethod
    def read(cls, directory: Path) -> EncoderCard:
        """Read the card of an encoder directory; whatever is wrong with it is a ModelError."""
        card = open_card(directory, KIND, "an encoder", formats=FORMATS)
        limits = card.inner("thresholds")
        thresholds = Thresholds(*(limits.number(name) for name in ("tag", "entailment", "score")))
        return cls(
            **shared_entries(directory, card),
            window=_window(card),
            format=card.whole("format", 1),
            thresholds=thresholds,
            calibration=_calibration(card),
            certainty=_certainty(card, thresholds),
        )

    @property
    def fingerprint(self) -> str:
        """A short hash of all that results depend on: the files, limits and calibration."""
        parts = (self.max_tokens, self.window, asdict(self.thresholds), asdict(self.calibration))
        later = (asdict(self.certainty),) if self.format > 1 else ()
        return short_hash(dict(self.files), *parts, *later)

    def percentile(self, score: float) -> float:
        """Return the share of human ratings, in percent, that lie below this score."""
        return float(np.interp(score, self.calibration.score, self.calibration.percentile))


def _window(card: Entries) -> int:
    """Return the size of windows: as much as is read at once, unless the card says less."""
    most = card.whole("max_tokens", _LEAST_WINDOW)
    found = card.whole("window", _LEAST_WINDOW) if "window" in card.entries else most
    if found > most:
        raise ModelError(
            f"{card.path}: 'window' must not be more than 'max_tokens', {most}; got {found}"
        )
    return found


def _certainty(card: Entries, thresholds: Thresholds) -> Certainty:
    """Return what the card says; one of format 1 has a threshold of entailment instead."""
    if card.number("format") == 1:
        return Certainty(0.0, 1.0, 0.0 - thresholds.entailment, 1.0)
    entries = card.inner("certainty")
    found = Certainty(*(entries.number(name) for name in ("same", "entailment", "bias", "scale")))
    if found.scale <= 0:
        raise ModelError(
            f"{card.path}: 'scale' of 'certainty' must be above 0; got {found.scale:g}"
        )
    return found


def _calibration(card: Entries) -> Calibration:
    entries = card.inner("calibration")
    scores, percentiles = entries.ascending("score"), entries.ascending("percentile")
    if len(scores) != len(percentiles):
        raise ModelError(
            f"{card.path}: 'calibration' has {len(scores)} scores for {len(percentiles)} "
            "percentiles"
        )
    return Calibration(entries.text("data"), scores, percentiles)
