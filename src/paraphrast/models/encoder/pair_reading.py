"""What the edit encoder says of one pair of texts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from paraphrast.types import Floats

CERTAIN = 10.0  # the logit of what needs no model: empty texts say the same, or nothing


@dataclass(frozen=True, slots=True)
class Relations:
    """How two texts a and b relate, as logits; NaN for what the encoder does not say.

    An encoder of format 1 says `forward` alone: read the pair the other way round for the rest.
    """

    forward: float  # b follows from a
    backward: float = math.nan  # a follows from b
    contradiction: float = math.nan  # they cannot both be true
    same: float = math.nan  # they say the same

    @property
    def complete(self) -> bool:
        """Whether the encoder says all of it in one reading."""
        return not math.isnan(self.backward)


@dataclass(frozen=True, slots=True)
class Reading:
    """The answers for a pair (a = reference, b = candidate).

    A word that the tokeniser drops altogether, a lone control character say, has logits (0, 0).
    """

    score: float  # on the scale of the human ratings' z-scores; higher is better
    relations: Relations
    tags_a: Floats = field(repr=False)  # [words of a, 2]: logits of paraphrased and not paraphrased
    tags_b: Floats = field(repr=False)
    windows: int = 1  # how many were read; 1: the pair was read whole
    limited: bool = False  # each window met only those nearest to its place in the other text

    @property
    def entailment(self) -> float:
        """The logit of "b follows from a"."""
        return self.relations.forward
