"""A verdict without its words: the figures that a floor asks for, and the reasons of a refusal."""

from __future__ import annotations

from dataclasses import dataclass

from paraphrast.meaning.assessment import Chances
from paraphrast.meaning.reason import Reason
from paraphrast.models.encoder.pair_summary import Weakest

MOST_REASONS = 3


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the judge thinks of a pair a, b.

    `chances` are those of the verdict, `score` is ParaBLEU's with a as the reference, `tags` the
    mean probability that a word of either text is said by the other, and `weakest` the content
    word for which it is least. `vetoes` are what the checks hold against the pair, `reasons` the
    words that speak loudest against sameness, whatever the verdict, vetoes first.
    """

    chances: Chances
    score: float
    tags: float
    weakest: Weakest
    vetoes: tuple[Reason, ...] = ()
    reasons: tuple[Reason, ...] = ()

    @property
    def same(self) -> float:
        """The probability that both texts say the same."""
        return self.chances.same
