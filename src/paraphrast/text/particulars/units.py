"""What a number counts: the currency before it, the unit after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from paraphrast.text.lexicon import lexicon
from paraphrast.text.particulars.number_tokens import Piece, touches, word_at
from paraphrast.text.particulars.numerals import Numeral

Measures = Mapping[str, Fraction]

_MONEY = ("dollars", "euros", "pounds", "yen", "rupees")
_OF = ("us", "american", "canadian", "australian", "british")
_SQUARE = ("square", "sq")
_NONE: Measures = {}


def money_before(found: Sequence[Piece], place: int) -> Measures:
    """Return the currency that stands before a number: "$5", "US$ 5", "EUR 5"."""
    unit = lexicon().units.get(word_at(found, place - 1), _NONE)
    symbol = not word_at(found, place - 1).isalpha() or len(word_at(found, place - 1)) == 3
    return {name: size for name, size in unit.items() if name in _MONEY and size == 1 and symbol}


def unit_after(found: Sequence[Piece], number: Numeral) -> tuple[Measures, int]:
    """Return what the unit after a number may measure, and where it ends; nothing if none is there.

    "Half an hour" and "a quarter of a litre" have a unit, and so has "24-month".
    """
    if number.kind == "ordinal":
        return _NONE, number.end
    at = number.end
    if number.kind == "part":
        at += word_at(found, at) == "of"
        at += word_at(found, at) in ("a", "an", "per")
    elif word_at(found, at) == "-":
        at += 1
    at += word_at(found, at) in _OF
    unit, end = _unit(found, at)
    return (unit, end) if unit else (_NONE, number.end)


def _unit(found: Sequence[Piece], at: int) -> tuple[Measures, int]:
    word = word_at(found, at)
    if word == "per" and word_at(found, at + 1) == "cent":
        return _named("percent"), at + 2
    if word == "percentage" and word_at(found, at + 1) in ("point", "points"):
        return _named("percent"), at + 2
    if word in ("degree", "degrees", "°"):
        return _degrees(found, at)
    if word in _SQUARE:
        at += 1 + (word_at(found, at + 1) == ".")
        side = _named(word_at(found, at)).get("length")
        return ({"area": side * side}, at + 1) if side else (_NONE, at)
    if word_at(found, at + 1) == "/" and touches(found, at + 1):
        both = f"{word}/{word_at(found, at + 2)}"
        if both in lexicon().units:
            return _named(both), at + 3
    if len(word) == 1 and word.isalpha() and not found[at - 1].is_figure:
        return _NONE, at
    return _named(word), at + 1


def _degrees(found: Sequence[Piece], at: int) -> tuple[Measures, int]:
    scale = word_at(found, at + 1)
    if scale in ("c", "celsius", "centigrade"):
        return {"celsius": Fraction(1)}, at + 2
    if scale in ("f", "fahrenheit"):
        return {"fahrenheit": Fraction(1)}, at + 2
    return {"": Fraction(1)}, at + 1


def _named(word: str) -> Measures:
    """Look a unit up, in the plural if need be."""
    units = lexicon().units
    return units.get(word) or (units.get(word.removesuffix("s"), _NONE) if len(word) > 3 else _NONE)
