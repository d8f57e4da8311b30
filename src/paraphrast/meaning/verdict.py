"""The answer to "do these two texts say the same thing?", with what it rests on."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from paraphrast.meaning.assessment import Chances, Relation
from paraphrast.meaning.reason import Reason
from paraphrast.meaning.tagged_pair import TaggedPair, TaggedText
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.render.pages.verdict_page import verdict_fragment
from paraphrast.render.terminal.verdict_text import verdict_text

_PLACES = 6  # a model's last digits depend on the machine; nobody reads them


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How two texts relate.

    `relation` is "same", "a_entails_b" (b follows from a, which says more), "b_entails_a",
    "contradiction" or "different". `confidence` is the probability that the answer to "do they say
    the same?" is right, calibrated on held-out pairs. `forward` is the probability that b follows
    from a, `backward` that a follows from b, `contradiction` that both cannot be true (None where
    the weights do not say). `score` is ParaBLEU's with a as the reference, on the scale of human
    z-scores, and `percentile` its place among the human ratings of `rated_on`. `tags` holds the
    words of both texts, `reasons` the words on which the verdict turns; of texts that say the same
    there are none.
    """

    relation: Relation
    confidence: float
    forward: float
    backward: float
    contradiction: float | None
    score: float
    percentile: float
    rated_on: str
    tags: TaggedPair
    reasons: tuple[Reason, ...]
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether the texts say the same thing."""
        return self.relation == "same"

    @property
    def a(self) -> TaggedText:
        """The first text, every word tagged: 1 where the other does not say it."""
        return self.tags.a

    @property
    def b(self) -> TaggedText:
        """The second text, every word tagged."""
        return self.tags.b

    def __bool__(self) -> bool:
        return self.same

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "a": self.a.text,
            "b": self.b.text,
            "relation": self.relation,
            "same": self.same,
            "confidence": self.confidence,
            "entailment": {"forward": self.forward, "backward": self.backward},
            "contradiction": self.contradiction,
            "score": self.score,
            "percentile": self.percentile,
            "rated_on": self.rated_on,
            "reasons": [reason.to_dict() for reason in self.reasons],
            "tags": self.tags.to_dict(),
            "windows": self.tags.windows,
            "signature": self.signature,
            "notes": list(self.notes),
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    def __str__(self) -> str:
        return verdict_text(self)

    def _repr_html_(self) -> str:
        return verdict_fragment(self)


def rated(score: float, card: EncoderCard) -> dict[str, Any]:
    """Return the fields of a verdict that come from the score."""
    return {
        "score": round(score, _PLACES),
        "percentile": round(card.percentile(score), _PLACES),
        "rated_on": card.calibration.data,
    }


def rounded_chances(found: Chances) -> dict[str, Any]:
    """Return the fields of a verdict that are probabilities."""
    unsaid = math.isnan(found.contradiction)
    return {
        "relation": found.relation,
        "confidence": round(found.confidence, _PLACES),
        "forward": round(found.forward, _PLACES),
        "backward": round(found.backward, _PLACES),
        "contradiction": None if unsaid else round(found.contradiction, _PLACES),
    }
