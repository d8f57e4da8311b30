"""Equation 5 of Patil et al. 2022, Understanding Metrics for Paraphrasing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from paraphrast.errors import ConfigError
from paraphrast.generation.selection.overlaps import Overlaps
from paraphrast.types import Floats


@dataclass(frozen=True, kw_only=True)
class Harmonic:
    """R1·(1 − RL)·w / (R1 + (1 − RL)·w), times a penalty for candidates longer than the source.

    R1 is the ROUGE-1 recall of the source, RL the ROUGE-L F with it; a higher w prefers adequacy to
    novelty. The penalty has the form of BLEU's, the other way round as in ROUGE-P, since a recall
    can be raised by saying more: exp(1 − |candidate| / |source|) where the candidate has more
    words. RL must lie within `lower` and `upper`.
    """

    w: float = 3.0
    lower: float = 0.0
    upper: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.w < math.inf:
            raise ConfigError(f"harmonic: w={self.w:g} is wrong: it must be a number above 0")
        if not 0 <= self.lower <= self.upper <= 1:
            raise ConfigError(
                f"harmonic: lower={self.lower:g} and upper={self.upper:g} are wrong: they bound "
                "ROUGE-L, so 0 <= lower <= upper <= 1"
            )

    @property
    def boundless(self) -> bool:
        """Whether any ROUGE-L will do."""
        return self.lower <= 0 and self.upper >= 1

    def score(self, found: Overlaps) -> tuple[Floats, Floats]:
        """Return equation 5 with the penalty, and the penalty; 0 for a candidate without words."""
        novelty = (1 - found.rouge_l) * self.w
        below = found.rouge1 + novelty
        mean = np.divide(found.rouge1 * novelty, below, out=np.zeros_like(below), where=below > 0)
        penalty = length_penalty(found)
        return mean * penalty, penalty


def length_penalty(found: Overlaps) -> Floats:
    """Return the penalty of each candidate for words beyond the number of its source's."""
    ratio = found.words / np.maximum(found.source_words, 1)
    penalty: Floats = np.minimum(1.0, np.exp(1 - ratio))
    return penalty
