"""Numbers in whatever form: what is read, and that forms of one number agree."""

from __future__ import annotations

from datetime import date, time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.text.particulars.quantities import quantities
from paraphrast.text.particulars.quantity import Quantity

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
MONTHS = (
    "January February March April May June July August September October November December"
).split()


def words(number: int) -> str:
    """Spell a number below a million."""
    if number >= 1000:
        rest = number % 1000
        tail = f" {'and ' if rest < 100 else ''}{words(rest)}" if rest else ""
        return f"{words(number // 1000)} thousand{tail}"
    if number >= 100:
        rest = number % 100
        return f"{ONES[number // 100]} hundred" + (f" and {words(rest)}" if rest else "")
    if number >= 20:
        return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")
    return ONES[number]


def only(text: str) -> Quantity:
    [found] = quantities(text)
    return found


def agree(one: str, other: str) -> bool:
    """Tell whether every number of each text is in the other."""
    a, b = quantities(one), quantities(other)
    assert a, one
    assert b, other
    return all(any(x.agrees(y) for y in b) for x in a) and all(
        any(x.agrees(y) for x in a) for y in b
    )


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("1,500", "1500"),
        ("1.5 million", "1500000"),
        ("340m", "340000000"),
        ("a dozen", "12"),
        ("half a dozen", "6"),
        ("two hundred and six", "206"),
        ("nineteen ninety-eight", "1998"),
        ("two thousand and one", "2001"),
        ("one and a half million", "1500000"),
        ("2½", "5/2"),
        ("2 1/2", "5/2"),
        ("three quarters", "3/4"),
        ("one in four", "1/4"),
        ("3 out of 10", "3/10"),
        ("23rd", "23"),
        ("twenty-third", "23"),
        ("twice", "2"),
    ],
)
def test_figures(text: str, figure: str) -> None:
    assert Fraction(figure) in only(text).figures


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("At 7:30 p.m. on 3 May half a million left.", ["7:30 p.m.", "3", "May", "half a million"]),
        ("The G20 met an F-16 of Covid-19.", []),
        ("hundreds of people, a few hundred", []),
        ("ten to twelve people", ["ten", "twelve"]),
        ("the 1980/81 season", ["1980", "81"]),
        ("You may march.", []),
        ("5 feet 10 inches", ["5 feet 10 inches"]),
        ("", []),
    ],
)
def test_where_numbers_stand(text: str, found: list[str]) -> None:
    assert [text[one.start : one.end] for one in quantities(text)] == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("50 %", "half"),
        ("50 per cent", "half of it"),
        ("25 percent", "one in four"),
        ("£340m", "340 million pounds"),
        ("$5bn", "5 billion US dollars"),
        ("1,500 m", "1.5 km"),
        ("a quarter of a litre", "250 ml"),
        ("twenty-four months", "two years"),
        ("a decade", "ten years"),
        ("an hour and a half", "90 minutes"),
        ("an 18-month lease", "one and a half years"),
        ("May third", "the 3rd of May"),
        ("fewer than ten", "at most nine"),
        ("about 3,000", "2,987"),
        ("the 1980s", "the 80ies"),
        ("1990-95", "from 1990 to 1995"),
        ("noon", "12 p.m."),
        ("a quarter to eight", "7:45"),
        ("ten past six", "6.10 a.m."),
        ("a pair", "two"),
    ],
)
def test_other_forms_of_a_number_agree(one: str, other: str) -> None:
    assert agree(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("14 kilometres", "14 miles"),
        ("1,200", "12,000"),
        ("13 March", "30 March"),
        ("3 March", "3 May"),
        ("3.4 percent", "4.3 percent"),
        ("7:30 p.m.", "7:30 a.m."),
        ("15 dollars", "15 euros"),
        ("three tenths", "two thirds"),
        ("third", "fourth"),
        ("about 3,000", "2,000"),
    ],
)
def test_other_numbers_do_not_agree(one: str, other: str) -> None:
    assert not agree(one, other)


@given(st.integers(2, 999_999))
def test_a_number_in_words_is_that_in_figures(number: int) -> None:
    forms = (str(number), f"{number:,}", words(number), words(number).capitalize())
    for form in forms:
        assert agree(f"{number} people", f"{form} people"), form


@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)))
def test_a_date_is_the_same_in_any_form(day: date) -> None:
    month = MONTHS[day.month - 1]
    ending = {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10 * (day.day // 10 != 1), "th")
    year = f"{day.year:04}"
    forms = [
        f"{day.day} {month} {year}",
        f"{month} {day.day}, {year}",
        f"the {day.day}{ending} of {month} {year}",
        f"{month[:3]}. {day.day}, {year}",
        f"{year}-{day.month:02}-{day.day:02}",
        f"{day.month}/{day.day}/{year}",
        f"{day.day:02}.{day.month:02}.{year}",
    ]
    for form in forms:
        assert agree(forms[0], form), form


@given(st.times(time(0, 0), time(23, 59)))
def test_a_time_is_the_same_in_any_form(when: time) -> None:
    hour, half = (when.hour - 1) % 12 + 1, "ap"[when.hour >= 12]
    forms = [
        f"{when.hour:02}:{when.minute:02}",
        f"{hour}:{when.minute:02} {half}.m.",
        f"{hour}:{when.minute:02}{half}m",
        f"{hour}.{when.minute:02} {half}m",
    ]
    if when.minute == 30:
        forms.append(f"half past {words(hour)}")
    if when.minute == 0:
        forms.append(f"{words(hour)} o'clock")
    for form in forms:
        assert agree(forms[1], form), form


@given(st.integers(1, 999), st.sampled_from(["million", "billion"]), st.sampled_from("$£€"))
def test_money_is_the_same_in_any_form(count: int, size: str, sign: str) -> None:
    name = {"$": "dollars", "£": "pounds", "€": "euros"}[sign]
    short = {"million": "m", "billion": "bn"}[size]
    zeros = 1_000_000 if size == "million" else 1_000_000_000
    forms = [
        f"{sign}{count}{short}",
        f"{sign}{count} {size}",
        f"{count} {size} {name}",
        f"{sign}{count * zeros:,}",
        f"{words(count)} {size} {name}",
    ]
    for form in forms:
        assert agree(forms[0], form), form


@given(st.integers(1, 5000), st.sampled_from([("m", "km"), ("g", "kg"), ("ml", "litres")]))
def test_units_are_converted(count: int, units: tuple[str, str]) -> None:
    small, large = units
    assert agree(f"{count * 10:,} {small}", f"{count / 100:g} {large}")


@given(st.integers(1, 99))
def test_shares_are_the_same_in_any_form(share: int) -> None:
    assert agree(f"{share}%", f"{share} percent")
    assert agree(f"{share} %", f"{words(share)} per cent")
    assert agree(f"{share} percent", f"{share} out of 100")


@given(st.text(max_size=60))
def test_any_text_agrees_with_itself(text: str) -> None:
    found = quantities(text)
    assert all(one.agrees(one) for one in found)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
