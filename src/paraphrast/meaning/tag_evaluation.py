"""Tagged rows of a file, and how good their tags are: precision, recall and F1 of tag 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from paraphrast.errors import InputError
from paraphrast.meaning.tagged_pair import TaggedPair


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
class TaggedRow:
    """A row of a file with its tags; `gold` holds the right ones if they were asked for."""

    where: str
    pair: TaggedPair
    gold: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    id: str | int | float | None = None

    def to_dict(self) -> dict[str, Any]:
        named = {} if self.id is None else {"id": self.id}
        return named | self.pair.to_dict()


def window_notes(places: Sequence[str], limited: int) -> list[str]:
    """Say in a line where pairs were not read whole; nothing if there are none."""
    count = len(places)
    if not count:
        return []
    shown = "; ".join(places[:3]) + ("; …" if count > 3 else "")
    were = "pair was" if count == 1 else "pairs were"
    text = f"{count:,} {were} too long to be read at once, and read in windows: {shown}"
    nearest = f"; in {limited:,} of them only windows near each other were compared"
    return [text + nearest * bool(limited)]


@dataclass(slots=True)
class TagTally:
    """What is counted while tagged rows pass by; complete when all have."""

    keep: int = 0  # how many rows to hold on to, for a page
    pairs: int = 0
    windowed: list[str] = field(default_factory=list)
    limited: int = 0
    kept: list[TaggedRow] = field(default_factory=list)
    tagger: TagCounts = field(default_factory=TagCounts)
    baseline: TagCounts = field(default_factory=TagCounts)

    def watch(self, rows: Iterable[TaggedRow]) -> Iterator[TaggedRow]:
        """Hand the rows on, counting."""
        for row in rows:
            self.pairs += 1
            if row.pair.windows > 1:
                self.windowed.append(row.where)
                self.limited += row.pair.limited
            if len(self.kept) < self.keep:
                self.kept.append(row)
            self._judge(row)
            yield row

    def evaluation(self) -> TagEvaluation:
        """Return precision, recall and F1 of tag 1 beside those of the baseline."""
        if not self.tagger.gold:
            raise InputError("no word is to be tagged 1, so recall and F1 are undefined")
        return TagEvaluation(self.pairs, self.tagger, self.baseline)

    def notes(self) -> list[str]:
        """Say which pairs were not read whole."""
        return window_notes(self.windowed, self.limited)

    def _judge(self, row: TaggedRow) -> None:
        if row.gold is None:
            return
        sides = (row.pair.a, row.pair.b)
        for one, other, gold in zip(sides, sides[::-1], row.gold, strict=True):
            self.tagger += count_tags(one.tags, gold)
            self.baseline += count_tags(absent(one.words, other.words), gold)
