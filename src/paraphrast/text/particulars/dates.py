"""Dates, as a day, a month and a year: "3 March 2021", "March 3, 2021", "2021-03-03"."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from paraphrast.text.lexicon import lexicon
from paraphrast.text.particulars.number_tokens import Piece, touches, word_at
from paraphrast.text.particulars.numerals import Numeral, numeral
from paraphrast.text.particulars.quantity import Quantity

DAY, MONTH = "day of the month", "month"
_LAST_DAY, _LAST_MONTH = 31, 12
_UNCLEAR = ("may", "march", "august", "mar", "sep", "sept", "dec", "jan", "jun")

Dated = tuple[list[Quantity], int]


def date(found: Sequence[Piece], place: int) -> Dated | None:
    """Read the date that begins at a place, and where it ends."""
    return (
        _in_figures(found, place)
        or _day_first(found, place)
        or _month_first(found, place)
        or _month_alone(found, place)
    )


def _in_figures(found: Sequence[Piece], place: int) -> Dated | None:
    """Read "2021-03-03", "3/4/2021" and "03.04.2021"; day and month may be either way round."""
    whole = word_at(found, place)
    if whole.count(".") == 2:
        parts, spans, end = whole.split("."), [found[place]] * 3, place + 1
    else:
        mark = word_at(found, place + 1)
        if mark not in ("-", "/", "–") or word_at(found, place + 3) != mark:
            return None
        spans, end = [found[at] for at in range(place, min(place + 5, len(found)), 2)], place + 5
        parts = [piece.text for piece in spans]
        if not all(touches(found, at) for at in range(place + 1, place + 5)):
            return None
    if len(parts) != 3 or not all(part.isdecimal() and len(part) in (1, 2, 4) for part in parts):
        return None
    numbers = [int(part) for part in parts]
    months: tuple[int, ...]
    days: tuple[int, ...]
    if len(parts[0]) == 4:
        year, months, days = 0, (1,), (2,)
    elif len(parts[2]) == 4:
        year, months, days = 2, (0, 1), (0, 1)
    else:
        return None
    if any(not 0 < numbers[at] <= _LAST_DAY for at in days):
        return None
    monthly = {numbers[at] for at in months if numbers[at] <= _LAST_MONTH}
    daily = {numbers[at] for at in days}
    return [
        _part(spans[days[-1]], daily, DAY),
        _part(spans[months[0]], monthly, MONTH),
        _year(spans[year], numbers[year]),
    ], end


def _day_first(found: Sequence[Piece], place: int) -> Dated | None:
    """Read "3 March 2021" and "the 3rd of May"."""
    day = _day(found, place)
    if day is None:
        return None
    at = day.end + (word_at(found, day.end) == "of")
    month = _month(found, at)
    if month is None:
        return None
    read = [_spanned(found, place, day.end, min(day.values), DAY), month]
    return _and_year(found, read, at + 1)


def _month_first(found: Sequence[Piece], place: int) -> Dated | None:
    """Read "March 3, 2021" and "May the third"."""
    month = _month(found, place)
    if month is None:
        return None
    at = place + 1
    at += word_at(found, at) == "." and touches(found, at)
    day = _day(found, at + (word_at(found, at) == "the"))
    if day is None:
        dated = _and_year(found, [month], at)
        return dated if len(dated[0]) > 1 else None
    start = at + (word_at(found, at) == "the")
    return _and_year(found, [month, _spanned(found, start, day.end, min(day.values), DAY)], day.end)


def _month_alone(found: Sequence[Piece], place: int) -> Dated | None:
    month = _month(found, place)
    if month is None or found[place].text in _UNCLEAR[3:]:
        return None
    unclear = found[place].text in _UNCLEAR
    if unclear and (
        place == 0
        or word_at(found, place - 1) not in ("in", "of", "last", "since", "until", "by", "this")
    ):
        return None
    return [month], place + 1


def _and_year(found: Sequence[Piece], read: list[Quantity], at: int) -> Dated:
    start = at + (word_at(found, at) in (",", "of"))
    year = word_at(found, start)
    if year.isdecimal() and len(year) == 4:
        return [*read, _year(found[start], int(year))], start + 1
    return read, at


def _month(found: Sequence[Piece], place: int) -> Quantity | None:
    number = lexicon().months.get(word_at(found, place))
    if number is None or not found[place].capital:
        return None
    return _part(found[place], {number}, MONTH)


def _day(found: Sequence[Piece], place: int) -> Numeral | None:
    if place >= len(found) or found[place].text in ("a", "an", "one"):
        return None
    day = numeral(found, place)
    if day is None or day.kind == "part" or len(day.values) != 1:
        return None
    value = min(day.values)
    return day if value.denominator == 1 and 0 < value <= _LAST_DAY else None


def _spanned(
    found: Sequence[Piece], place: int, end: int, value: Fraction, measured: str
) -> Quantity:
    measures = frozenset([(measured, value)])
    return Quantity(found[place].start, found[end - 1].end, frozenset([value]), measures)


def _part(piece: Piece, values: set[int], measured: str) -> Quantity:
    figures = frozenset(map(Fraction, values)) if measured == DAY else frozenset()
    measures = frozenset((measured, Fraction(value)) for value in values)
    return Quantity(piece.start, piece.end, figures, measures)


def _year(piece: Piece, value: int) -> Quantity:
    return Quantity(piece.start, piece.end, frozenset([Fraction(value)]))
