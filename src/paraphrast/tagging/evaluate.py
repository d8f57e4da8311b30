"""How good are the tags: precision, recall and F1 of tag 1, a baseline, and the best threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paraphrast.errors import InputError
from paraphrast.types import Floats


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


@dataclass(frozen=True, slots=True)
class Choice:
    """A threshold and the F1 of tag 1 that it gives where it was chosen."""

    threshold: float
    f1: float


def choose_threshold(supports: Floats | Sequence[float], gold: Sequence[int]) -> Choice:
    """Return the threshold on S = G[0] − G[1] with the best F1 of tag 1; the lowest of equals.

    It lies midway between two supports, so that it cuts neither on another machine.
    """
    values, right = np.asarray(supports, dtype=np.float64), np.asarray(gold)
    _check(values, right)
    order = np.argsort(values, kind="stable")
    values, hits = values[order], np.cumsum(right[order])
    ends = np.flatnonzero(np.append(values[1:] > values[:-1], True))  # equal supports go together
    f1 = 2 * hits[ends] / (ends + 1 + hits[-1])
    best = ends[np.argmax(f1)]
    return Choice(_above(values, int(best)), float(f1.max()))


def _check(values: Floats, gold: np.ndarray[Any, Any]) -> None:
    if values.ndim != 1 or values.shape != gold.shape:
        raise InputError(
            f"there are {values.size} supports but {gold.size} tags; each word has one of either"
        )
    if not np.isfinite(values).all():
        raise InputError(f"support {int(np.argmin(np.isfinite(values))) + 1} is not a number")
    if not np.isin(gold, (0, 1)).all():
        raise InputError("a tag is neither 0 nor 1")
    if not gold.any():
        raise InputError("no word is tagged 1, so there is no best threshold")


def _above(values: Floats, place: int) -> float:
    """Return a number above the value at that place and not above the next larger one."""
    low = values[place]
    if place + 1 == len(values):
        return float(low + 1)
    middle = (low + values[place + 1]) / 2
    return float(middle if middle > low else values[place + 1])
