"""Tagged rows of a file, and what is counted while they pass by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from paraphrast.errors import InputError
from paraphrast.meaning.tag_evaluation import TagCounts, TagEvaluation, absent, count_tags
from paraphrast.meaning.tagged_pair import TaggedPair


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


@dataclass(slots=True)
class Tally:
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
        count = len(self.windowed)
        if not count:
            return []
        shown = "; ".join(self.windowed[:3]) + ("; …" if count > 3 else "")
        were = "pair was" if count == 1 else "pairs were"
        text = f"{count:,} {were} too long to be read at once, and read in windows: {shown}"
        nearest = f"; in {self.limited:,} of them only windows near each other were compared"
        return [text + nearest * bool(self.limited)]

    def _judge(self, row: TaggedRow) -> None:
        if row.gold is None:
            return
        sides = (row.pair.a, row.pair.b)
        for one, other, gold in zip(sides, sides[::-1], row.gold, strict=True):
            self.tagger += count_tags(one.tags, gold)
            self.baseline += count_tags(absent(one.words, other.words), gold)
