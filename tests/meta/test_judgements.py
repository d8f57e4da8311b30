"""Values and checks: every bad input with its message, and what is noted instead."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.errors import ConfigError, InputError
from paraphrast.meta import MeanRating, Output, Preference, Rating, collect, mean_ratings

A = Output("", "1", "A", "a cat", ("the cat",), "die Katze")
B = replace(A, system="B", candidate="a dog")
GOOD = Rating("", "1", "A", "adequacy", 4.0, "ann")


def error(**given: object) -> str:
    with pytest.raises(InputError) as caught:
        collect("set", **given)  # type: ignore[arg-type]
    return str(caught.value)


def scores(*values: float, rater: str = "", system: str = "A", group: str = "") -> list[Rating]:
    return [Rating(group, str(n), system, "q", value, rater) for n, value in enumerate(values, 1)]


def test_a_set() -> None:
    other = Rating("de-en", "1", "B", "fluency", 2.0)
    found = collect("set", (), [GOOD, other], [Preference("fi-en", "1", "C", "B")])
    assert found.dimensions() == ("adequacy", "fluency")
    assert found.groups() == ("", "de-en", "fi-en")
    assert [found.systems(group) for group in found.groups()] == [("A",), ("B",), ("C", "B")]
    assert found.rated("fluency") == (MeanRating("de-en", "1", "B", "fluency", 2.0, 1),)
    assert (found.outputs, found.notes) == ((), ())


def test_a_dimension_nobody_rated() -> None:
    found = collect("set", (), [GOOD])
    with pytest.raises(InputError) as caught:
        found.rated("adequacies")
    assert str(caught.value) == (
        "set: nobody rated 'adequacies' (did you mean 'adequacy'?); rated: adequacy"
    )
    with pytest.raises(InputError, match="rated: none"):
        collect("set", (), (), [Preference("", "1", "A", "B")]).rated("adequacy")


def test_raters_are_averaged_and_counted() -> None:
    ben = replace(GOOD, rater="ben", value=1.0)
    elsewhere = replace(GOOD, item="2")
    assert mean_ratings([GOOD, elsewhere, ben]) == (
        MeanRating("", "1", "A", "adequacy", 2.5, 2),
        MeanRating("", "2", "A", "adequacy", 4.0, 1),
    )
    assert mean_ratings([]) == ()


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.randoms())
def test_the_mean_does_not_mind_the_order(values: list[float], random: object) -> None:
    ratings = [replace(GOOD, rater=str(n), value=value) for n, value in enumerate(values)]
    [mean] = mean_ratings(ratings)
    random.shuffle(ratings)  # type: ignore[attr-defined]
    assert mean_ratings(ratings) == (mean,)
    assert mean.count == len(values)
    assert min(values) - 1e-9 <= mean.value <= max(values) + 1e-9


def test_empty() -> None:
    assert error() == "set: no ratings and no preferences in it"
    assert error(outputs=[A]) == "set: no ratings and no preferences in it"
    assert error(ratings=scores(math.nan, math.inf), missing="drop") == (
        "set: no ratings and no preferences in it; ratings without a finite value: 2, left out"
    )


@pytest.mark.parametrize(
    ("again", "field"),
    [
        (replace(A, candidate="cats"), "candidate"),
        (replace(A, candidate=""), "candidate"),
        (replace(A, references=("cats",)), "references"),
        (replace(A, source="Katzen"), "source"),
    ],
)
def test_an_output_with_two_texts(again: Output, field: str) -> None:
    assert error(outputs=[A, B, again], ratings=[GOOD]) == (
        f"set, output 3: item '1', system 'A' has a different {field} at set, output 1; "
        "an output has one text: name the item or the system apart"
    )


def test_an_output_given_again_may_add_texts() -> None:
    bare = replace(A, references=(), source=None)
    for order in ([bare, A], [A, bare], [A, A]):
        assert collect("set", order, [GOOD]).outputs == (A,)


def test_names_are_needed() -> None:
    assert error(outputs=[replace(A, item="")]) == (
        "set, output 1: a text without an item; name its segment or document"
    )
    assert error(ratings=[replace(GOOD, item="", system="")]) == (
        "set, rating 1: a rating that names neither an item nor a system"
    )
    assert error(ratings=[replace(GOOD, dimension="")]) == (
        "set, rating 1: a rating without a dimension"
    )
    assert error(preferences=[Preference("", "", "A", "B")]) == (
        "set, preference 1: a preference without an item"
    )
    assert error(preferences=[Preference("", "1", "A", "")]) == (
        "set, preference 1: a preference must name both systems, better and worse"
    )
    assert error(preferences=[Preference("", "1", "A", "A")]) == (
        "set, preference 1: system 'A' is preferred to itself"
    )


def test_two_values_of_one_rater() -> None:
    assert error(ratings=[GOOD, replace(GOOD, value=3.5)]) == (
        "set, rating 2: rater 'ann' gives item '1', system 'A' 3.5 for 'adequacy' "
        "but 4 at set, rating 1"
    )
    unnamed = replace(GOOD, rater="", group="de-en")
    assert error(ratings=[unnamed, replace(unnamed, value=1)]) == (
        "set, rating 2: an unnamed rater gives item '1', system 'A', group 'de-en' 1 for "
        "'adequacy' but 4 at set, rating 1; name the raters if there are several"
    )


def test_the_same_rating_again_counts_once() -> None:
    found = collect("set", (), [GOOD, GOOD, replace(GOOD)])
    assert found.ratings == (GOOD,)
    assert found.notes == ("ratings given again with the same value: 2, counted once",)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (math.nan, "missing (empty, null or NaN)"),
        (math.inf, "inf, which is no rating"),
        (-math.inf, "-inf, which is no rating"),
    ],
)
def test_values_that_are_no_numbers(value: float, what: str) -> None:
    bad = replace(GOOD, item="2", value=value)
    assert error(ratings=[GOOD, bad]) == (
        f"set, rating 2: the value of 'adequacy' for item '2', system 'A' is {what}; "
        "give a number, or leave such ratings out (--missing drop)"
    )
    found = collect("set", (), [GOOD, bad], missing="drop")
    assert found.ratings == (GOOD,)
    assert found.notes == ("ratings without a finite value: 1, left out",)


def test_missing_is_one_of_two() -> None:
    with pytest.raises(ConfigError, match="missing must be 'error' or 'drop'; got 'zero'"):
        collect("set", missing="zero")  # type: ignore[arg-type]


def test_judged_outputs_must_be_there() -> None:
    assert error(outputs=[B], ratings=[GOOD]) == (
        "set, rating 1: a rating of item '1', system 'A': no such output"
    )
    whole = Rating("", "", "C", "da", 0.5)
    assert error(outputs=[A], ratings=[whole]) == (
        "set, rating 1: a rating of system 'C': no such output"
    )
    assert error(outputs=[A, B], preferences=[Preference("", "1", "A", "C")]) == (
        "set, preference 1: system 'C' is in the preferences only; it has no output"
    )
    assert error(outputs=[A, B], preferences=[Preference("", "2", "A", "B")]) == (
        "set, preference 1: a preference on item '2', system 'A': no such output"
    )


def test_preferences_are_kept_and_what_is_odd_is_noted() -> None:
    one = Preference("", "1", "A", "B")
    other = Preference("", "1", "B", "A")
    found = collect("set", [A, B, replace(A, item="2")], (), [one, one, other])
    assert found.preferences == (one, one, other)
    assert found.notes == (
        "preferences given again: 1, each counts",
        "preferences given in both directions: 1, both count",
        "outputs without a judgement: 1",
    )


def test_items_and_systems_under_one_dimension() -> None:
    whole = Rating("", "", "A", "adequacy", 0.5)
    assert error(ratings=[GOOD, whole]) == (
        "set: 'adequacy' has ratings of items and ratings of whole systems (without an item); "
        "name the dimensions apart"
    )
    collect("set", (), [GOOD, replace(whole, dimension="da")])


def test_systems_are_compared_on_the_same_items() -> None:
    outputs = [A, B, replace(A, item="2")]
    ratings = [Rating("", "", system, "da", value) for system, value in (("A", 0.1), ("B", 0.2))]
    assert error(outputs=outputs, ratings=ratings) == (
        "set: system 'B' has outputs for 1 of 2 items (none for item '2'); systems are compared "
        "on the same items: complete it, or leave it out"
    )
    assert collect("set", outputs, ratings[:1]).notes == ("outputs without a judgement: 1",)
    assert collect("set", [*outputs, replace(B, item="2")], ratings).notes == ()


MIXED = (
    "set: mixed scales: 'q' has values within [-5, 5] and values above 10; "
    "bring them to one scale, or name the dimensions apart"
)
STARS = [1.0, 2.0, 3.0, 4.0, 5.0] * 2
PERCENT = [20.0, 35.0, 50.0, 65.0, 80.0] * 2


def test_mixed_scales() -> None:
    assert error(ratings=scores(0.4, -1.2, 71, 85)) == MIXED
    assert error(ratings=scores(*STARS, *PERCENT)) == MIXED
    assert error(ratings=scores(1, 3, 5, rater="ann") + scores(20, 60, 90, rater="ben")) == MIXED
    in_group = scores(0.4, -1.2, 71, group="de-en") + scores(1, 2, group="fi-en")
    assert error(ratings=in_group).startswith("set, group 'de-en': mixed scales: 'q' has ")


@pytest.mark.parametrize(
    "ratings",
    [
        scores(0, 0, 3, 7, 20, 100, *STARS),  # raw 0-100
        scores(*STARS[:9], *PERCENT),  # too few to tell
        scores(*STARS, 0.0, 60.0),
        scores(-80, -3, 40, 77),  # a scale from -100
        scores(-1.2, 0.4, 9.9),
        scores(0, 1, 2, rater="ann")
        + scores(60, 70, 80, rater="ben")
        + scores(3, 50, 9, rater="c"),
        scores(-1, 0.5, group="de-en") + scores(40, 80, group="fi-en"),  # never compared
        scores(1, 5, rater="ann") + scores(50, 90, rater="ben"),
    ],
)
def test_scales_that_may_be_one(ratings: list[Rating]) -> None:
    assert collect("set", (), ratings).ratings == tuple(ratings)
