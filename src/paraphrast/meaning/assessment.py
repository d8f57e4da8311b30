"""How two texts relate, in probabilities that hold: what everything asks that needs a judgement.

One reading of a pair answers in both directions. An encoder of format 1 knows one direction and no
contradiction: it reads the pair the other way round, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.encoder_card import Certainty
from paraphrast.models.encoder.pair_reading import Relations
from paraphrast.models.encoder.pair_summary import Summary, Weakest

Relation = Literal["same", "a_entails_b", "b_entails_a", "contradiction", "different"]
RELATIONS: tuple[Relation, ...] = (
    "same",
    "a_entails_b",
    "b_entails_a",
    "contradiction",
    "different",
)
_EVEN = 0.5
_FLAT = 700.0  # beyond it e^x is no float


@dataclass(frozen=True, slots=True)
class Chances:
    """Probabilities of how two texts a and b relate; NaN where the encoder does not say."""

    same: float
    forward: float  # b follows from a
    backward: float  # a follows from b
    contradiction: float

    @property
    def relation(self) -> Relation:
        """The relation that the probabilities speak for.

        What is not the same, though each seems to follow from the other, entails the way that is
        more probable.
        """
        if self.same >= _EVEN:
            return "same"
        if self.contradiction >= _EVEN:
            return "contradiction"
        if max(self.forward, self.backward) < _EVEN:
            return "different"
        return "a_entails_b" if self.forward >= self.backward else "b_entails_a"

    @property
    def entailment(self) -> float:
        """The lower of the probabilities that one text follows from the other."""
        return min(self.forward, self.backward)

    @property
    def confidence(self) -> float:
        """The probability that the answer to "do they say the same?" is right."""
        return max(self.same, 1 - self.same)


@dataclass(frozen=True, slots=True)
class Assessment:
    """The numbers of one pair a, b.

    `score` is ParaBLEU's with a as the reference, a z-score of human ratings; `tags` the mean
    probability that a word of either text is said by the other, and `weakest` the content word for
    which it is least. A pair too long to be read whole was `windowed`, and the reading `limited`
    where each window met only those near its place in the other text.
    """

    chances: Chances
    score: float
    tags: float
    weakest: Weakest
    windowed: bool = False
    limited: bool = False


def chances(relations: Relations, certainty: Certainty) -> Chances:
    """Turn an encoder's logits into probabilities, as its card says."""
    both = min(relations.forward, relations.backward)
    same = certainty.entailment * both + certainty.bias
    if certainty.same:
        same += certainty.same * relations.same
    return Chances(
        probability(same),
        probability(certainty.scale * relations.forward),
        probability(certainty.scale * relations.backward),
        probability(certainty.scale * relations.contradiction),
    )


def probability(logit: float) -> float:
    """Return 1 / (1 + e^−x); NaN stays NaN."""
    return logit if math.isnan(logit) else 1 / (1 + math.exp(min(-logit, _FLAT)))


def assess(
    encoder: EditEncoder,
    pairs: Sequence[tuple[str, str]],
    *,
    advance: Callable[[int], None] | None = None,
) -> list[Assessment]:
    """Assess every pair; those that were read before are remembered by the encoder."""
    there = encoder.summaries(pairs, advance=advance)
    if all(one.relations.complete for one in there):
        return [_assessment(one, one.relations, encoder.card.certainty) for one in there]
    back = encoder.summaries([(b, a) for a, b in pairs])
    return [
        _assessment(one, turned(one.relations, other.relations), encoder.card.certainty)
        for one, other in zip(there, back, strict=True)
    ]


def turned(there: Relations, back: Relations) -> Relations:
    """Join what two readings say, the second of the pair the other way round.

    What needs no encoder, a pair with an empty text, is complete as it is.
    """
    return there if there.complete else Relations(there.forward, back.forward)


def _assessment(read: Summary, relations: Relations, certainty: Certainty) -> Assessment:
    return Assessment(
        chances(relations, certainty),
        read.score,
        read.probability_f,
        read.weakest,
        read.windowed,
        read.limited,
    )
