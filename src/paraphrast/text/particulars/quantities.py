"""Every number of an English text, whatever it is written in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from paraphrast.text.lexicon import lexicon
from paraphrast.text.particulars.clock import clock_time
from paraphrast.text.particulars.dates import date
from paraphrast.text.particulars.number_tokens import Piece, pieces, touches, word_at
from paraphrast.text.particulars.numerals import DECADES, Numeral, numeral
from paraphrast.text.particulars.quantity import Quantity
from paraphrast.text.particulars.units import Measures, money_before, unit_after

_ARTICLES = ("a", "an")
_ROUGH_REACH = 2  # words before a number that may make it rough


def quantities(text: str) -> list[Quantity]:
    """Return the numbers of a text in their order.

    >>> [text[one.start : one.end] for text in ["At 7:30 p.m. on 3 May, half a million left."]
    ...  for one in quantities(text)]
    ['7:30 p.m.', '3', 'May', 'half a million']
    """
    found = pieces(text)
    read: list[Quantity] = []
    place = 0
    while place < len(found):
        more, place = _at(found, place)
        read += more
    return read


def _at(found: Sequence[Piece], place: int) -> tuple[list[Quantity], int]:
    """Read what begins at a place; where nothing does, go on with the next piece."""
    if _belongs_to_a_word(found, place):
        return [], place + 1
    dated = date(found, place)
    if dated:
        return dated
    timed = clock_time(found, place)
    if timed:
        return [timed[0]], timed[1]
    for read in (_measured, _whole_unit, _amount):
        single = read(found, place)
        if single:
            return [single[0]], single[1]
    return [], place + 1


def _belongs_to_a_word(found: Sequence[Piece], place: int) -> bool:
    """Tell whether a figure is part of a name: "G20", "F-16", "v2.0.1"."""
    if not (found[place].is_figure and touches(found, place)):
        return False
    before = found[place - 1]
    if before.text[-1].isalpha() or before.text == "_":
        return not money_before(found, place)
    letters = before.text == "-" and touches(found, place - 1) and place > 1
    return letters and found[place - 2].text.isalpha() and found[place - 2].capital


def _measured(found: Sequence[Piece], place: int) -> tuple[Quantity, int] | None:
    """Read a number with the unit before or after it."""
    number = numeral(found, place)
    if number is None:
        return None
    share = _share(found, number)
    if share:
        return _quantity(found, place, share, {}), share.end
    unit, end = unit_after(found, number)
    money = money_before(found, place)
    made = _quantity(found, place, replace(number, end=end), money or unit, plain=not money)
    larger = _with_smaller_unit(found, made, unit, end)
    return larger or (made, end)


def _share(found: Sequence[Piece], number: Numeral) -> Numeral | None:
    """Read "one in four", "3 out of 10"."""
    at = number.end
    if number.kind != "cardinal" or word_at(found, at) not in ("in", "out"):
        return None
    at += 1 + (word_at(found, at) == "out" and word_at(found, at + 1) == "of")
    outright = word_at(found, number.end) == "out"
    at += word_at(found, at) == "every"
    of = numeral(found, at) if at < len(found) else None
    if of is None or of.kind != "cardinal" or len(of.values) != 1 or len(number.values) != 1:
        return None
    part, whole = min(number.values), min(of.values)
    if not 0 < part < whole or unit_after(found, of)[0]:
        return None
    if not outright and (part > 9 or (whole > 10 and whole not in (12, 20, 50, 100, 1000, 10000))):
        return None
    return Numeral(frozenset([part / whole]), of.end, "part")


def _quantity(
    found: Sequence[Piece], place: int, number: Numeral, unit: Measures, *, plain: bool = True
) -> Quantity:
    figures, measures = set(number.values), set()
    for measured, size in unit.items():
        for value in number.values:
            bare = value / 1_000_000 if number.unit and plain and measured == "length" else value
            measures.add((measured, bare * size))
    if number.unit and plain:
        metres = {value / 1_000_000 for value in number.values}
        figures |= metres
        if not unit:
            measures |= {("length", value) for value in metres}
            measures |= {("", value) for value in number.values}
    if number.kind == "part" and not unit:
        measures |= {("share", value) for value in number.values}
        measures |= {("", value) for value in number.values}
    figures |= {value for measured, value in measures if measured == "share"}
    figures.update(_long_years(found, place, number))
    return Quantity(
        found[place].start,
        found[number.end - 1].end,
        frozenset(figures),
        frozenset(measures),
        firm=not number.vague or (bool(unit) and word_at(found, place) not in _ARTICLES),
        rough=_is_rough(found, place),
    )


def _long_years(found: Sequence[Piece], place: int, number: Numeral) -> Iterator[Fraction]:
    """Yield the year that two digits stand for: "1990-95", "the '90s"."""
    value = min(number.values)
    if not found[place].text.isdecimal() or len(found[place].text) != 2:
        return
    before = word_at(found, place - 2)
    if word_at(found, place - 1) in ("-", "–", "/") and before.isdecimal() and len(before) == 4:
        yield Fraction(int(before) // 100 * 100) + value
    if word_at(found, number.end - 1) in DECADES:
        yield 1900 + value


def _is_rough(found: Sequence[Piece], place: int) -> bool:
    """Tell whether the words before a number, or its currency, make it a rough one."""
    at = place - 1
    while at >= 0 and not found[at].text.isalnum() and place - at <= _ROUGH_REACH:
        at -= 1
    return word_at(found, at) in lexicon().rough


def _with_smaller_unit(
    found: Sequence[Piece], first: Quantity, unit: Measures, end: int
) -> tuple[Quantity, int] | None:
    """Read "2 hours and 30 minutes", "5 feet 10 inches", "an hour and a half"."""
    at = end + (word_at(found, end) in ("and", ","))
    second = numeral(found, at) if unit and at < len(found) else None
    if second is None:
        return None
    smaller, last = unit_after(found, second)
    if second.kind == "part" and not smaller and word_at(found, end) == "and":
        smaller, last = unit, second.end
    sums = {
        (measured, value + min(second.values) * smaller[measured])
        for measured, value in first.measures
        if measured in smaller and (smaller[measured] < unit[measured] or second.kind == "part")
    }
    if not sums:
        return None
    whole = replace(
        first, end=found[last - 1].end, figures=frozenset(), measures=frozenset(sums), firm=True
    )
    return whole, last


def _whole_unit(found: Sequence[Piece], place: int) -> tuple[Quantity, int] | None:
    """Read "an hour", "a decade", which may be meant as no number."""
    if word_at(found, place) not in _ARTICLES:
        return None
    one = Numeral(frozenset([Fraction(1)]), place + 1, vague=True)
    unit, end = unit_after(found, one)
    if not unit:
        return None
    made = _quantity(found, place, replace(one, end=end), unit)
    return _with_smaller_unit(found, made, unit, end) or (made, end)


def _amount(found: Sequence[Piece], place: int) -> tuple[Quantity, int] | None:
    """Read "both", "twice" and the like, which hold a number and may mean something else."""
    value = lexicon().amounts.get(found[place].text)
    if value is None:
        return None
    figures = frozenset([Fraction(value)])
    return Quantity(found[place].start, found[place].end, figures, firm=False), place + 1
