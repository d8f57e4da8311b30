"""The pieces that numbers are read from: runs of digits, runs of letters, single marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import regex

_PIECE = regex.compile(
    r"\d+(?:[,\u00a0\u202f]\d{3})++(?:\.\d+)?(?!\d)|\d+(?:[.,]\d+)*|[^\W\d_]+|\S"
)
_GROUPED = regex.compile(r"\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?")
_POINTS = regex.compile(r"\d{1,3}(?:\.\d{3})+")
_VULGAR = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅛": "1/8"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text in lower case; `capital` if it began with a capital letter."""

    text: str
    start: int
    end: int
    capital: bool

    @property
    def is_figure(self) -> bool:
        return self.text[0].isdecimal() or self.text in _VULGAR


def pieces(text: str) -> list[Piece]:
    """Split a text into what numbers are made of."""
    return [
        Piece(match[0].casefold(), match.start(), match.end(), match[0][0].isupper())
        for match in _PIECE.finditer(text)
    ]


def figures(piece: str) -> frozenset[Fraction]:
    """Return what a run of digits may mean: "1.500" is one and a half, or fifteen hundred.

    Nothing for what is no number: "2.0.1".
    """
    if piece in _VULGAR:
        return frozenset([Fraction(_VULGAR[piece])])
    if not piece.isascii():
        piece = "".join(str(int(char)) if char.isdecimal() else char for char in piece)
    plain = regex.sub(r"[,\u00a0\u202f]", "", piece)
    if _GROUPED.fullmatch(piece):
        return frozenset([Fraction(plain)])
    found = set()
    if _POINTS.fullmatch(piece):
        found.add(Fraction(piece.replace(".", "")))
    decimal = piece.replace(",", ".")
    if decimal.count(".") <= 1:
        found.add(Fraction(decimal))
    return frozenset(found)


def word_at(found: Sequence[Piece], place: int) -> str:
    """Return the piece at a place in lower case; "" beyond either end."""
    return found[place].text if 0 <= place < len(found) else ""


def touches(found: Sequence[Piece], place: int) -> bool:
    """Tell whether a piece follows the one before it without a space."""
    return 0 < place < len(found) and found[place - 1].end == found[place].start
