"""What the edit encoder says of one pair of texts."""

from __future__ import annotations

from dataclasses import dataclass

from paraphrast.types import Floats

CERTAIN = 10.0  # the logit of what needs no model: empty texts say the same, or nothing


@dataclass(frozen=True, slots=True)
class Reading:
    """The answers for a pair (a = reference, b = candidate).

    A word that the tokeniser drops altogether, a lone control character say, has logits (0, 0).
    """

    score: float  # on the scale of the human ratings' z-scores; higher is better
    entailment: float  # logit of "a ⇒ b"
    tags_a: Floats  # [words of a, 2]: logits of paraphrased and not paraphrased
    tags_b: Floats
    windows: int = 1  # how many were read; 1: the pair was read whole
    limited: bool = False  # each window met only those nearest to its place in the other text
