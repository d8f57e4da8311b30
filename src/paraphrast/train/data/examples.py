"""Training examples: two texts and whatever labels are known of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.models.encoder.pair_encoding import EncodedSide
from paraphrast.text.words import WordText

Labels = NDArray[np.float32]

RELATIONS = ("entailment", "neutral", "contradiction")


def relation(name: str) -> Labels:
    """Return the probabilities of a known relation."""
    return np.array([float(name == other) for other in RELATIONS], dtype=np.float32)


def entailed(chance: float) -> Labels:
    """Return what is known where only the probability of entailment is."""
    rest = 0.0 if chance == 1 else np.nan
    return np.array([chance, rest, rest], dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A pair as read: labels that are not known are None.

    `forward` holds the probabilities of entailment, neutral and contradiction from a to b, and
    `backward` those from b to a; where only entailment or its absence is known, the other two are
    NaN. `same` is the probability that both texts say the same. Tags are, per word, the
    probability that the other text does not paraphrase it. `group` is shared by rows that must
    stay on one side of a split.
    """

    a: WordText
    b: WordText
    group: str
    score: float | None = None
    forward: Labels | None = None
    backward: Labels | None = None
    same: float | None = None
    tags_a: Labels | None = None
    tags_b: Labels | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coded:
    """An example as sub-words, with what its source says about its use."""

    a: EncodedSide
    b: EncodedSide
    score: float | None
    forward: Labels | None
    backward: Labels | None
    same: float | None
    tags_a: Labels | None
    tags_b: Labels | None
    source: int

    def __len__(self) -> int:
        return len(self.a) + len(self.b)
