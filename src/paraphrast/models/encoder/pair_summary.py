"""The numbers of a pair without its words, and a memory of them that several metrics share."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from paraphrast.models.encoder.pair_reading import Reading, Relations
from paraphrast.models.encoder.tag_scores import mean_logits, mean_probabilities, probability
from paraphrast.text.content import is_content
from paraphrast.text.words import WordText
from paraphrast.types import Floats

MOST = 100_000  # summaries: about 50 MB

T = TypeVar("T")


class Weakest(NamedTuple):
    """The content word that the other text is least likely to say, and how likely it is.

    Texts without a content word have none: ("", 1).
    """

    word: str = ""
    support: float = 1.0


class Summary(NamedTuple):
    """What metrics take from a reading."""

    score: float
    relations: Relations
    logit_p: float
    logit_r: float
    logit_f: float
    probability_p: float
    probability_r: float
    probability_f: float
    windowed: bool
    limited: bool
    weakest: Weakest

    @property
    def entailment(self) -> float:
        """The logit of "b follows from a"."""
        return self.relations.forward


def summarise(reading: Reading, a: WordText, b: WordText) -> Summary:
    """Drop the words but one."""
    logits, shares = mean_logits(reading), mean_probabilities(reading)
    return Summary(
        reading.score,
        reading.relations,
        *(logits.precision, logits.recall, logits.f),
        *(shares.precision, shares.recall, shares.f),
        reading.windows > 1,
        reading.limited,
        weakest(reading, a, b),
    )


def weakest(reading: Reading, a: WordText, b: WordText) -> Weakest:
    """Return the content word of either text that the other supports least."""
    sides: tuple[tuple[WordText, Floats], ...] = (a, reading.tags_a), (b, reading.tags_b)
    found = (
        Weakest(word, float(support))
        for side, logits in sides
        for word, support in zip(side.words, probability(logits), strict=True)
        if is_content(word)
    )
    return min(found, key=lambda each: each.support, default=Weakest())


class Memo(Generic[T]):
    """What was found of the last pairs, by a hash of their texts, which it does not keep."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: dict[bytes, T] = {}

    @staticmethod
    def keys(pairs: Sequence[tuple[str, str]]) -> list[bytes]:
        """Return a key for each pair; each distinct text is hashed once."""
        digests = {text: _digest(text) for text in {text for pair in pairs for text in pair}}
        return [digests[a] + digests[b] for a, b in pairs]

    def get(self, key: bytes) -> T | None:
        return self._known.get(key)

    def add(self, new: Mapping[bytes, T]) -> None:
        """Remember these, and forget the oldest beyond the limit."""
        self._known.update(new)
        for key in list(self._known)[: max(len(self._known) - self._most, 0)]:
            self._known.pop(key, None)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
