"""What only one of two texts has, of some kind: what checks weigh and reasons name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from paraphrast.meaning.reason import Kind, Reason
from paraphrast.text.words import Span, WordText

NOTHING, ABSENCE, CONFLICT = 0.0, 0.4, 1.0


@dataclass(frozen=True, slots=True)
class Alone:
    """Places in the characters of two texts whose contents the other text lacks."""

    a: tuple[Span, ...] = ()
    b: tuple[Span, ...] = ()

    @property
    def score(self) -> float:
        """Return 1 if each text has what the other lacks, .4 if one has, which may sum up."""
        if self.a and self.b:
            return CONFLICT
        return ABSENCE if self.a or self.b else NOTHING

    def reason(self, kind: Kind, a: WordText, b: WordText) -> Reason:
        """Name the words at these places."""
        words_a, words_b = places(a, self.a), places(b, self.b)
        said_a = " ".join(a.words[place] for place in words_a)
        said_b = " ".join(b.words[place] for place in words_b)
        return Reason(kind, said_a, said_b, self.score, words_a, words_b)


def places(text: WordText, spans: Iterable[Span]) -> tuple[int, ...]:
    """Return which words of a text overlap with any of some spans of characters."""
    covered = [*spans]
    return tuple(
        place
        for place, (start, end) in enumerate(text.spans)
        if any(start < last and first < end for first, last in covered)
    )
