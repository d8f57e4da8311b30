"""The words on which a verdict turns.

Two texts are laid side by side; wherever they differ, the words that the encoder tags are a reason,
the stronger the less probable it is that the other text says them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from paraphrast.meaning.checks.word_kinds import is_name, is_negation, is_number
from paraphrast.meaning.tagged_pair import TaggedPair, TaggedText
from paraphrast.text.word_changes import Span, word_changes

Kind = Literal["number", "name", "negation", "missing", "added", "changed"]
KINDS: tuple[Kind, ...] = ("number", "name", "negation", "missing", "added", "changed")


@dataclass(frozen=True, slots=True)
class Reason:
    """Words of a, those that stand in their place in b, and what is wrong with them.

    `missing` words are in a alone, `added` ones in b alone; a `changed` one is another. `weight` is
    the probability that the other text does not say the strongest of them. `words_a` and `words_b`
    are places among the words of the texts.
    """

    kind: Kind
    a: str
    b: str
    weight: float
    words_a: tuple[int, ...]
    words_b: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "a": self.a,
            "b": self.b,
            "weight": self.weight,
            "words_a": list(self.words_a),
            "words_b": list(self.words_b),
        }

    def __str__(self) -> str:
        if not self.b:
            return f"{self.kind}: {self.a!r} has no counterpart"
        if not self.a:
            return f"{self.kind}: {self.b!r} has no counterpart"
        return f"{self.kind}: {self.a!r} became {self.b!r}"


def reasons(pair: TaggedPair) -> tuple[Reason, ...]:
    """Return the reasons why two texts do not say the same, the strongest first.

    Where texts differ and no word is tagged, the least supported words of each place are taken.
    """
    places = word_changes(pair.a.words, pair.b.words)
    found = [_reason(pair, _weak(pair.a, place.a), _weak(pair.b, place.b)) for place in places]
    tagged = [one for one in found if one.words_a or one.words_b]
    if not tagged:
        tagged = [
            _reason(pair, _weakest(pair.a, place.a), _weakest(pair.b, place.b)) for place in places
        ]
    return tuple(sorted(tagged, key=lambda one: -one.weight))


def _weak(text: TaggedText, span: Span) -> tuple[int, ...]:
    """Return the places of the tagged words of a span."""
    return tuple(place for place in range(*span) if text.tags[place])


def _weakest(text: TaggedText, span: Span) -> tuple[int, ...]:
    """Return the place of the word of a span that the other text is least likely to say."""
    places = [place for place in range(*span) if text.words[place].isalnum()] or [*range(*span)]
    return (min(places, key=lambda place: text.probabilities[place]),) if places else ()


def _reason(pair: TaggedPair, a: tuple[int, ...], b: tuple[int, ...]) -> Reason:
    sides = ((pair.a, a), (pair.b, b))
    chances = [text.probabilities[place] for text, places in sides for place in places]
    words = [[text.words[place] for place in places] for text, places in sides]
    return Reason(
        _kind(pair, a, b),
        " ".join(words[0]),
        " ".join(words[1]),
        round(1 - min(chances, default=1.0), 6),
        a,
        b,
    )


def _kind(pair: TaggedPair, a: tuple[int, ...], b: tuple[int, ...]) -> Kind:
    """Name what the words are; else whether one text lacks them, or both have others."""
    sides = ((pair.a, a), (pair.b, b))
    for kind, test in (("number", is_number), ("negation", is_negation), ("name", is_name)):
        if any(test(text.words, place) for text, places in sides for place in places):
            return kind  # type: ignore[return-value]
    if not b:
        return "missing"
    return "changed" if a else "added"
