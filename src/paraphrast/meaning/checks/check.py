"""What a check is."""

from __future__ import annotations

from typing import Protocol

from paraphrast.meaning.checks.alone import CONFLICT
from paraphrast.meaning.reason import Reason
from paraphrast.text.words import WordText


class Check(Protocol):
    """One kind of evidence against sameness, on the words alone.

    `score` is 0 where nothing speaks against it, and `accept` says whether a score lets a pair
    pass. `precision` and `recall` are those of `refused` refusals on held-out pairs (make checks);
    `doubt` is the probability of sameness that is left where the check refuses, by Laplace's rule:
    (wrong refusals + 1) / (refusals + 2).
    """

    name: str
    languages: tuple[str, ...]
    precision: float
    recall: float
    refused: int

    @property
    def doubt(self) -> float:
        """The probability that a pair which is refused says the same all the same."""
        return (self.refused * (1 - self.precision) + 1) / (self.refused + 2)

    def score(self, a: WordText, b: WordText) -> float:
        """Return how much speaks against the pair, from 0 to 1."""
        ...

    def accept(self, score: float) -> bool:
        """Tell whether a score lets a pair pass: what one text alone leaves out always does."""
        return score < CONFLICT

    def reason(self, a: WordText, b: WordText) -> Reason:
        """Return the words on which a refusal rests."""
        ...
