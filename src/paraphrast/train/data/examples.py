"""Training examples: two texts and whatever labels are known of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.models.encoder.pair_encoding import Side
from paraphrast.text.words import WordText

Labels = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A pair as read: labels that are not known are None.

    `entailment` is the probability that b follows from a; tags are, per word, the probability
    that the other text does not paraphrase it. `group` is shared by rows that must stay on one
    side of a split.
    """

    a: WordText
    b: WordText
    group: str
    score: float | None = None
    entailment: float | None = None
    tags_a: Labels | None = None
    tags_b: Labels | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coded:
    """An example as sub-words, with what its source says about its use."""

    a: Side
    b: Side
    score: float | None
    entailment: float | None
    tags_a: Labels | None
    tags_b: Labels | None
    source: int

    def __len__(self) -> int:
        return len(self.a) + len(self.b)
