"""A text in pieces for a page: the words that the other text does not say are marked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paraphrast.text.word_changes import word_changes


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of text: a `marked` word, which the other text lacks, a new one, or neither."""

    text: str
    marked: bool = False
    changed: bool = False
    chance: float = 1.0  # that the other text says it
    tip: str = ""


def text_pieces(
    text: str, words: Mapping[str, Any], other: str, *, new: Collection[int] = ()
) -> list[TextPiece]:
    """Cut a text at its tagged words and at those of the `new` places; `other` lacks the tagged."""
    return list(_pieces(text, words, other, new))


def new_words(source: list[str], words: list[str]) -> set[int]:
    """Return the places of words that do not stand in the source."""
    places = {at for change in word_changes(source, words) for at in range(*change.b)}
    known = {word.casefold() for word in source}
    return {at for at in places if words[at].casefold() not in known}


def _pieces(
    text: str, words: Mapping[str, Any], other: str, new: Collection[int]
) -> Iterator[TextPiece]:
    done = 0
    columns = zip(words["spans"], words["tags"], words["probabilities"], strict=True)
    for place, ((start, end), tagged, chance) in enumerate(columns):
        if not tagged and place not in new:
            continue
        if start > done:
            yield TextPiece(text[done:start])
        tip = f"{other} does not say this: {(1 - chance) * 100:.0f} % sure" if tagged else ""
        yield TextPiece(text[start:end], bool(tagged), not tagged, chance, tip)
        done = end
    if done < len(text):
        yield TextPiece(text[done:])
