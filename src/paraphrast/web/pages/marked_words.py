"""A text in pieces for a page: the words that the other text does not say are marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of text; a marked one is a word that the other text does not say."""

    text: str
    marked: bool = False
    chance: float = 1.0  # that the other text says it
    tip: str = ""


def text_pieces(text: str, words: Mapping[str, Any], other: str) -> list[TextPiece]:
    """Cut a text at its tagged words; `other` names the text that lacks them."""
    return list(_pieces(text, words, other))


def _pieces(text: str, words: Mapping[str, Any], other: str) -> Iterator[TextPiece]:
    done = 0
    columns = (words["spans"], words["tags"], words["probabilities"])
    for (start, end), tagged, chance in zip(*columns, strict=True):
        if tagged:
            if start > done:
                yield TextPiece(text[done:start])
            tip = f"{other} does not say this: {(1 - chance) * 100:.0f} % sure"
            yield TextPiece(text[start:end], True, chance, tip)
            done = end
    if done < len(text):
        yield TextPiece(text[done:])
