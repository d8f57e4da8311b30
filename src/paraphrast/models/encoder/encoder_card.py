"""The card of an edit encoder: what it reads at once, its thresholds, its calibration."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from paraphrast.errors import ModelError
from paraphrast.models.card_entries import Entries
from paraphrast.models.weights_card import WeightsCard, open_card, shared_entries, short_hash

KIND = "paraphrast edit encoder"
_LEAST_WINDOW = 16


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where a yes begins, as chosen on training data."""

    tag: float  # a word is tagged 1, not paraphrased, when its support is below
    entailment: float  # on the logit
    score: float  # on the raw score, for "is a paraphrase"


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
    thresholds: Thresholds
    calibration: Calibration

    @classmethod
    def read(cls, directory: Path) -> EncoderCard:
        """Read the card of an encoder directory; whatever is wrong with it is a ModelError."""
        card = open_card(directory, KIND, "an encoder")
        limits = card.inner("thresholds")
        return cls(
            **shared_entries(directory, card),
            window=_window(card),
            thresholds=Thresholds(
                *(limits.number(name) for name in ("tag", "entailment", "score")),
            ),
            calibration=_calibration(card),
        )

    @property
    def fingerprint(self) -> str:
        """A short hash of all that results depend on: the files, limits and calibration."""
        parts = (self.max_tokens, self.window, asdict(self.thresholds), asdict(self.calibration))
        return short_hash(dict(self.files), *parts)

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


def _calibration(card: Entries) -> Calibration:
    entries = card.inner("calibration")
    scores, percentiles = entries.ascending("score"), entries.ascending("percentile")
    if len(scores) != len(percentiles):
        raise ModelError(
            f"{card.path}: 'calibration' has {len(scores)} scores for {len(percentiles)} "
            "percentiles"
        )
    return Calibration(entries.text("data"), scores, percentiles)
