"""How good are the tags: precision, recall and F1 of tag 1, and a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TagCounts:
    """Words tagged 1 rightly and wrongly, and words that should have been; they add up.

    Adding the counts of all sentences gives micro-averages: every word counts once.
    """

    right: int = 0
    wrong: int = 0
    missed: int = 0
    words: int = 0

    def __add__(self, other: TagCounts) -> TagCounts:
        return TagCounts(
            self.right + other.right,
            self.wrong + other.wrong,
            self.missed + other.missed,
            self.words + other.words,
        )

    @property
    def gold(self) -> int:
        """How many words should be tagged 1."""
        return self.right + self.missed

    @property
    def precision(self) -> float:
        """The share of words tagged 1 that should be; 0 where none is tagged."""
        tagged = self.right + self.wrong
        return self.right / tagged if tagged else 0.0

    @property
    def recall(self) -> float:
        """The share of words to be tagged 1 that are; 0 where there are none."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """2PR / (P + R); 0 where both are."""
        either = 2 * self.right + self.wrong + self.missed
        return 2 * self.right / either if either else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1}


def count_tags(tags: Sequence[int], gold: Sequence[int]) -> TagCounts:
    """Compare the tags of one text with the right ones."""
    pairs = list(zip(tags, gold, strict=True))
    return TagCounts(
        right=pairs.count((1, 1)),
        wrong=pairs.count((1, 0)),
        missed=pairs.count((0, 1)),
        words=len(pairs),
    )


def absent(words: Sequence[str], others: Sequence[str]) -> list[int]:
    """Tag 1 the words that the other text does not hold, whatever their case: the baseline."""
    known = {word.lower() for word in others}
    return [int(word.lower() not in known) for word in words]


@dataclass(frozen=True, slots=True)
class TagEvaluation:
    """The model's tags and the baseline's, both against the right ones."""

    pairs: int
    tagger: TagCounts
    baseline: TagCounts

    def to_dict(self) -> dict[str, Any]:
        return {
            "pairs": self.pairs,
            "words": self.tagger.words,
            "gold": self.tagger.gold,
            "tagger": self.tagger.to_dict(),
            "baseline": self.baseline.to_dict(),
        }
