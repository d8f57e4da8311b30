"""Cardinal numbers, ordinals and parts, in figures or words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from paraphrast.text.lexicon import lexicon
from paraphrast.text.particulars.number_tokens import Piece, figures, touches, word_at

_HALF = Fraction(1, 2)
_ARTICLES = ("a", "an")
_ABBREVIATED = ("k", "m", "b")  # multipliers only where they touch a figure
_VAGUE_MANY = ("few", "several", "many", "couple", "per")
DECADES = ("s", "ies")  # the 1990s
_ENDINGS = ("st", "nd", "rd", "th")
_LARGEST_OVER = 100  # "1/4" is a part, "1980/1981" two years

Kind = Literal["cardinal", "ordinal", "part"]


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number from one piece up to another; `vague` if it may be no number at all ("one")."""

    values: frozenset[Fraction]
    end: int
    kind: Kind = "cardinal"
    vague: bool = False
    unit: bool = False  # its last letter may be a unit instead: "5 m"


def numeral(found: Sequence[Piece], place: int) -> Numeral | None:
    """Read the number that begins at a place, if one does."""
    if found[place].is_figure:
        first = _figure(found, place)
    else:
        first = _share_in_words(found, place) or _in_words(found, place)
    if first is None or first.kind != "cardinal":
        return first
    return _with_part(found, first)


def _figure(found: Sequence[Piece], place: int) -> Numeral | None:
    values = figures(found[place].text)
    if not values:
        return None
    after = word_at(found, place + 1)
    if after in _ENDINGS and touches(found, place + 1):
        return Numeral(values, place + 2, "ordinal")
    if after in DECADES and touches(found, place + 1):
        return Numeral(values, place + 2)
    if after == "/" and word_at(found, place + 2).isdecimal() and touches(found, place + 2):
        over = int(word_at(found, place + 2))
        if max(values) < over <= _LARGEST_OVER and word_at(found, place + 3) != "/":
            return Numeral(frozenset(value / over for value in values), place + 3, "part")
    return _multiplied(found, Numeral(values, place + 1))


def _multiplied(found: Sequence[Piece], first: Numeral) -> Numeral:
    """Take in "million" and the like; "m" after a figure may be one, and may be metres."""
    known = {**lexicon().multipliers, "dozen": 12}
    word, at = word_at(found, first.end), first.end
    if word == "-" and word_at(found, at + 1) in known:
        word, at = word_at(found, at + 1), at + 1
    if word not in known or (word in _ABBREVIATED and not (touches(found, at) or word == "m")):
        return first
    many = frozenset(value * known[word] for value in first.values)
    if word in _ABBREVIATED:
        if word == "m":
            return replace(first, values=many, end=at + 1, unit=True)
        return replace(first, values=many, end=at + 1)
    return _multiplied(found, replace(first, values=many, end=at + 1))


def _in_words(found: Sequence[Piece], place: int) -> Numeral | None:
    """Read a number in words: "twenty-four", "a hundred and six", "nineteen ninety-eight"."""
    first = _first_word(found, place)
    if first is None or first.kind == "ordinal":
        return first
    return _year_in_words(found, first) or _summed(found, first)


def _first_word(found: Sequence[Piece], place: int) -> Numeral | None:
    """Read what a number in words begins with; "a hundred" is one, "few hundred" nothing."""
    if word_at(found, place) in _ARTICLES:
        if _multiplier(word_at(found, place + 1)):
            return Numeral(frozenset([Fraction(1)]), place + 1)
        return None
    if _multiplier(word_at(found, place)):
        some = word_at(found, place - 1) in _VAGUE_MANY
        return None if some else Numeral(frozenset([Fraction(1)]), place)
    return _below_hundred(found, place)


def _year_in_words(found: Sequence[Piece], first: Numeral) -> Numeral | None:
    """Read "nineteen ninety-eight"."""
    hundreds = min(first.values)
    rest = _below_hundred(found, first.end) if 10 <= hundreds <= 20 else None
    if rest is None or rest.kind == "ordinal" or min(rest.values) < 10:
        return None
    return Numeral(frozenset([hundreds * 100 + min(rest.values)]), rest.end)


def _summed(found: Sequence[Piece], first: Numeral) -> Numeral:
    """Go on from the first word of a number: multiply by "hundred", add "twenty-four"."""
    total, current, at = Fraction(0), min(first.values), first.end
    while True:
        at += word_at(found, at) == "-" and _multiplier(word_at(found, at + 1)) > 0
        factor = _multiplier(word_at(found, at))
        if factor > 100:
            total, current, at = total + (current or 1) * factor, Fraction(0), at + 1
        elif factor:
            current, at = current * factor, at + 1
        else:
            more = _rest(found, at) if (total or current >= 100) and not current % 100 else None
            if more is None:
                break
            current, at = current + min(more.values), more.end
            if more.kind == "ordinal":
                return Numeral(frozenset([total + current]), at, "ordinal")
    value = total + current
    return Numeral(frozenset([value]), at, vague=value <= 1)


def _rest(found: Sequence[Piece], at: int) -> Numeral | None:
    """Read what is added to hundreds and thousands: "and six", "ninety-eight"."""
    return _below_hundred(found, at + (word_at(found, at) == "and"))


def _multiplier(word: str) -> int:
    """Return what a whole word multiplies by; 0 for any other."""
    return 12 if word == "dozen" else lexicon().multipliers.get(word, 0) * (len(word) > 3)


def _below_hundred(found: Sequence[Piece], place: int) -> Numeral | None:
    """Read "seven", "seventy", "seventy-seven", "seventh", "seventy-seventh"."""
    known = lexicon()
    word = word_at(found, place)
    if word in known.ordinals:
        value = Fraction(known.ordinals[word])
        return Numeral(frozenset([value]), place + 1, "ordinal", vague=value <= 2)
    if word not in known.numbers or word == "dozen":
        return None
    value = Fraction(known.numbers[word])
    after = place + 1 + (word_at(found, place + 1) == "-")
    unit = word_at(found, after)
    if 20 <= value < 100:
        if 0 < known.numbers.get(unit, 0) < 10:
            return Numeral(frozenset([value + known.numbers[unit]]), after + 1)
        if 0 < known.ordinals.get(unit, 0) < 10:
            return Numeral(frozenset([value + known.ordinals[unit]]), after + 1, "ordinal")
    return Numeral(frozenset([value]), place + 1)


def _share_in_words(found: Sequence[Piece], place: int) -> Numeral | None:
    """Read "half", "a third", "two-thirds", "three quarters", "half a million"."""
    word, at = word_at(found, place), place
    if word == "half":
        if word_at(found, place + 1) in _ARTICLES and (_multiplier(word_at(found, place + 2))):
            size = _in_words(found, place + 1)
            if size:
                return replace(size, values=frozenset(value / 2 for value in size.values))
        return Numeral(frozenset([_HALF]), place + 1, "part", vague=_is_vague(found, place))
    if word in (*_ARTICLES, "one"):
        count, at = Fraction(1), place + 1
    else:
        small = _below_hundred(found, place)
        if small is None or small.kind != "cardinal":
            return None
        count, at = min(small.values), small.end
    at += word_at(found, at) == "-"
    name = word_at(found, at)
    plural = name.endswith("s")
    over = lexicon().parts.get(name.removesuffix("s"))
    if over is None or plural != (count != 1):
        return None
    vague = count == 1 and (word in _ARTICLES or over == 2) and word_at(found, at + 1) != "of"
    return Numeral(frozenset([count / over]), at + 1, "part", vague=vague)


def _is_vague(found: Sequence[Piece], place: int) -> bool:
    """Tell whether "half" may be other than a share: "the first half", "half-hearted"."""
    before, after = word_at(found, place - 1), word_at(found, place + 1)
    return before in lexicon().ordinals or after not in ("of", "the", "a", "an", "its", "their")


def _with_part(found: Sequence[Piece], first: Numeral) -> Numeral:
    """Take in the part after a whole number: "two and a half", "2 1/2", "2½"."""
    at = first.end
    if word_at(found, at) == "and" and word_at(found, at + 1) in (*_ARTICLES, "one", "half"):
        part = _share_in_words(found, at + 1)
    elif word_at(found, at) in ("½", "¼", "¾", "⅓", "⅔", "⅛") or (
        len(word_at(found, at)) == 1
        and word_at(found, at + 1) == "/"
        and word_at(found, at).isdecimal()
    ):
        part = _figure(found, at)
        if part and word_at(found, at) in "½¼¾⅓⅔⅛":
            part = replace(part, kind="part")
    else:
        return first
    if part is None or part.kind != "part" or not all(0 < value < 1 for value in part.values):
        return first
    values = frozenset(value + more for value in first.values for more in part.values)
    return _multiplied(found, Numeral(values, part.end))
