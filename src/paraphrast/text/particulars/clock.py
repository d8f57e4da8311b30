"""Times of day: "7:30 p.m.", "19:30", "half past seven", "noon"."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from paraphrast.text.particulars.number_tokens import Piece, touches, word_at
from paraphrast.text.particulars.numerals import numeral
from paraphrast.text.particulars.quantity import Quantity

_NAMED = {"noon": 720, "midday": 720, "midnight": 0}
_HALF_DAY, _DAY = 720, 1440
_CLOCK = "clock"


def clock_time(found: Sequence[Piece], place: int) -> tuple[Quantity, int] | None:
    """Read the time that begins at a place, in minutes after midnight, and where it ends."""
    if word_at(found, place) in _NAMED:
        return _quantity(found, place, place + 1, {_NAMED[found[place].text]}, firm=False)
    return _in_figures(found, place) or _past_or_to(found, place) or _whole_hour(found, place)


def _in_figures(found: Sequence[Piece], place: int) -> tuple[Quantity, int] | None:
    hour, minute, end = word_at(found, place), "", place + 1
    if word_at(found, end) == ":" and touches(found, end):
        minute, end = word_at(found, place + 2), place + 3
    elif hour.count(".") == 1:
        hour, _, minute = hour.partition(".")
        if _half(found, end) is None:
            return None
    if not (hour.isdecimal() and minute.isdecimal() and len(minute) == 2):
        return None
    if int(hour) > 24 or int(minute) > 59:
        return None
    if word_at(found, end) == ":" and word_at(found, end + 1).isdecimal():
        end += 2
    return _with_half(found, place, end, int(hour) * 60 + int(minute))


def _past_or_to(found: Sequence[Piece], place: int) -> tuple[Quantity, int] | None:
    """Read "half past seven", "a quarter to eight", "ten minutes past six"."""
    at = place + (word_at(found, place) == "a")
    if word_at(found, at) in ("half", "quarter"):
        minutes, at = (30 if word_at(found, at) == "half" else 15), at + 1
    else:
        count = numeral(found, at)
        if count is None or count.kind != "cardinal" or not 0 < min(count.values) < 30:
            return None
        minutes, at = int(min(count.values)), count.end
        counted = word_at(found, at) in ("minute", "minutes")
        at += counted
        if word_at(found, at) != "past" and not counted:
            return None  # "ten to twelve people"
    way = word_at(found, at)
    hour = _hour(found, at + 1) if way in ("past", "to", "after") else None
    if hour is None or (way != "past" and minutes % 5):
        return None
    value, end = hour
    return _with_half(found, place, end, value * 60 + (-minutes if way == "to" else minutes))


def _whole_hour(found: Sequence[Piece], place: int) -> tuple[Quantity, int] | None:
    """Read "seven o'clock" and "7 p.m."."""
    hour = _hour(found, place)
    if hour is None:
        return None
    value, at = hour
    if word_at(found, at) == "o" and word_at(found, at + 2) == "clock":
        return _with_half(found, place, at + 3, value * 60)
    return _with_half(found, place, at, value * 60) if _half(found, at) else None


def _hour(found: Sequence[Piece], place: int) -> tuple[int, int] | None:
    if place >= len(found):
        return None
    count = numeral(found, place)
    if count is None or count.kind != "cardinal" or len(count.values) != 1:
        return None
    value = min(count.values)
    return (int(value), count.end) if value.denominator == 1 and 0 < value <= 12 else None


def _half(found: Sequence[Piece], place: int) -> tuple[str, int] | None:
    """Read "p.m." or "am"; "a" or "p", and where it ends."""
    word = word_at(found, place)
    if word in ("am", "pm"):
        return word[0], place + 1
    if (
        word in ("a", "p")
        and word_at(found, place + 1) == "."
        and (word_at(found, place + 2) == "m" and touches(found, place + 2))
    ):
        return word, place + 3 + (word_at(found, place + 3) == "." and touches(found, place + 3))
    return None


def _with_half(found: Sequence[Piece], place: int, end: int, minutes: int) -> tuple[Quantity, int]:
    """Choose the half of the day; without a word on it, an hour up to twelve may be in either."""
    half = _half(found, end)
    if half:
        return _quantity(
            found, place, half[1], {minutes % _HALF_DAY + _HALF_DAY * (half[0] == "p")}
        )
    both = {minutes % _DAY}
    if minutes <= _HALF_DAY + 59:
        both.add((minutes + _HALF_DAY) % _DAY)
    return _quantity(found, place, end, both)


def _quantity(
    found: Sequence[Piece], place: int, end: int, minutes: set[int], *, firm: bool = True
) -> tuple[Quantity, int]:
    figures = {Fraction(hour) for time in minutes for hour in _bare_forms(time)}
    measures = frozenset((_CLOCK, Fraction(time)) for time in minutes)
    span = found[place].start, found[end - 1].end
    return Quantity(*span, frozenset(figures), measures, firm=firm), end


def _bare_forms(time: int) -> list[Fraction]:
    """Return how a bare number may write a time: 7 or 19 for seven o'clock, 7.30, 1930."""
    hours = {time // 60, (time // 60 - 1) % 12 + 1}
    pointed = [hour + Fraction(time % 60, 100) for hour in hours]
    return [*pointed, Fraction(time // 60 * 100 + time % 60)]
