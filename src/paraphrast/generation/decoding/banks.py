"""Dynamic beam allocation: beams shared out by how much they have of what a text must contain.

Post and Vilar 2018, "Fast Lexically Constrained Decoding with Dynamic Beam Allocation for Neural
Machine Translation". A bank holds the candidates that have as many sub-words of what is required,
those of a string that is broken off counting for nothing: C sub-words make C + 1 banks. Beams are
dealt out as in the vectorised form (Hu et al. 2019): the best of each bank, the fullest bank first,
then the second of each, and so on; an empty bank's share thereby goes to the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from paraphrast.generation.decoding.required_spelling import SpelledRequirement

MOST_BANKS = 16  # to which a group of beams is widened, so that each bank has one


class Banks:
    """The banks of one item."""

    def __init__(self, required: Sequence[SpelledRequirement], pieces: Sequence[str]) -> None:
        self._required = required
        self._pieces = pieces

    @property
    def width(self) -> int:
        """The number of beams that a group needs."""
        return min(sum(each.size for each in self._required) + 1, MOST_BANKS)

    def following(self, text: str) -> set[int]:
        """Return the sub-words that bring a text nearer to what it lacks."""
        found: set[int] = set()
        for each in self._required:
            if not each.is_met(text):
                found |= each.following(text)
        return found

    def is_complete(self, text: str) -> bool:
        """Whether nothing is lacking."""
        return all(each.is_met(text) for each in self._required)

    def bank(self, text: str) -> int:
        """Return the number of a text's bank: the more it has, the higher."""
        return sum(each.progress(text) for each in self._required)

    def deal(
        self, ranked: Sequence[tuple[int, int]], surfaces: Sequence[str], *, width: int, end: int
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the rows that end here, and the beams that go on, of candidates, best first.

        A candidate is a row and a sub-word. An end among the best `width` of its bank counts: it
        competes with texts that have as much.
        """
        seen: Counter[int] = Counter()
        dealt: Counter[int] = Counter()
        over, order = [], []
        for place, (row, token) in enumerate(ranked):
            bank = self.bank(surfaces[row] + self._pieces[token])
            if token != end:
                order.append((dealt[bank], -bank, place))
                dealt[bank] += 1
            elif seen[bank] < width:
                over.append(row)
            seen[bank] += 1
        return over, [ranked[place] for _, _, place in sorted(order)[:width]]
