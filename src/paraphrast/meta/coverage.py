"""What more references change: decisions between systems, and the n-grams they reward."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paraphrast.meta.alignment import Aligned
from paraphrast.text.tokenise import Tokeniser

Grams = Counter[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Decisions:
    """Pairs that people rank: how many the metric newly gets right, and newly gets wrong."""

    pairs: int
    improved: int
    degraded: int

    def to_dict(self) -> dict[str, float | None]:
        """Return the number of pairs and the shares of them; None where there are no pairs."""
        return {
            "pairs": self.pairs,
            "improved": self.improved / self.pairs if self.pairs else None,
            "degraded": self.degraded / self.pairs if self.pairs else None,
        }


def decisions(block: Aligned, before: int, after: int) -> Decisions:
    """Compare two metrics' rankings of every pair of outputs that people rank; a tie is wrong."""
    first, second = np.triu_indices(len(block.human), k=1)
    people = np.sign(block.human[first] - block.human[second])
    told = people != 0
    right = [
        np.sign(block.scores[row][first] - block.scores[row][second]) == people
        for row in (before, after)
    ]
    return Decisions(
        int(told.sum()),
        int((told & ~right[0] & right[1]).sum()),
        int((told & right[0] & ~right[1]).sum()),
    )


@dataclass(frozen=True, slots=True)
class Coverage:
    """n-grams of one order: candidate occurrences matched before, newly matched, still missing."""

    order: int
    total: int
    matched: int
    newly: int
    missing: int
    newly_examples: tuple[tuple[str, int], ...]
    missing_examples: tuple[tuple[str, int], ...]

    def to_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


def coverage(
    candidates: Sequence[str],
    references: Sequence[Sequence[str]],
    more: Sequence[Sequence[str]],
    *,
    orders: int = 4,
    examples: int = 10,
    tokenize: str = "13a",
) -> list[Coverage]:
    """Count, per order, which candidate n-grams the extra references reward (BLEU's clipping)."""
    split = Tokeniser(tokenize)
    words = split(list(candidates))
    found = [_NgramTally() for _ in range(orders)]
    for text, before, extra in zip(words, references, more, strict=True):
        known, added = split(list(before)), split(list(extra))
        for order, tally in enumerate(found, 1):
            tally.add(grams(text, order), _most(known, order), _most(added, order))
    return [tally.result(order, examples) for order, tally in enumerate(found, 1)]


class _NgramTally:
    def __init__(self) -> None:
        self.total = self.matched = 0
        self.newly: Grams = Counter()
        self.missing: Grams = Counter()

    def add(self, mine: Grams, known: Grams, added: Grams) -> None:
        before = mine & known
        after = mine & (known | added)
        self.total += mine.total()
        self.matched += before.total()
        self.newly.update(after - before)
        self.missing.update(mine - after)

    def result(self, order: int, examples: int) -> Coverage:
        return Coverage(
            order,
            self.total,
            self.matched,
            self.newly.total(),
            self.missing.total(),
            _listed(self.newly, examples),
            _listed(self.missing, examples),
        )


def grams(words: Sequence[str], order: int) -> Grams:
    """Count the n-grams of one order."""
    return Counter(zip(*(words[start:] for start in range(order)), strict=False))


def _most(texts: Sequence[Sequence[str]], order: int) -> Grams:
    """Return the largest count of each n-gram in any one text."""
    most: Grams = Counter()
    for words in texts:
        most |= grams(words, order)
    return most


def _listed(counts: Grams, examples: int) -> tuple[tuple[str, int], ...]:
    """Return the commonest n-grams; equal counts in alphabetical order."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple((" ".join(gram), count) for gram, count in ranked[:examples])
