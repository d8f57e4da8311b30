"""Altered copies: words change where both texts have them, and the tags say where."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.text.words import WordText
from paraphrast.train.data.altered_copies import OPPOSITES, altered
from paraphrast.train.data.examples import Example


def pair(
    a: str, b: str, tags_a: list[int] | None = None, tags_b: list[int] | None = None
) -> Example:
    first, second = WordText.from_words(a.split()), WordText.from_words(b.split())
    return Example(
        a=first,
        b=second,
        group=a,
        same=1.0,
        tags_a=np.array(tags_a or [0] * len(first), dtype=np.float32),
        tags_b=np.array(tags_b or [0] * len(second), dtype=np.float32),
    )


ROWS = [
    pair("He was born in Paris .", "Paris saw his birth : born in Paris .", None, [0] * 9),
    pair("They sold 12 houses in Rome .", "In Rome they sold 12 houses ."),
    pair("The plan failed in 1999 .", "In 1999 the plan failed ."),
]


def tagged(row: Example) -> tuple[set[str], set[str]]:
    assert row.tags_a is not None
    assert row.tags_b is not None
    return (
        {word for word, tag in zip(row.a.words, row.tags_a, strict=True) if tag},
        {word for word, tag in zip(row.b.words, row.tags_b, strict=True) if tag},
    )


def test_the_words_that_changed_are_tagged_on_both_sides_and_nothing_follows() -> None:
    copies = altered(ROWS, 1.0, 1)
    assert copies
    for copy in copies:
        original = next(row for row in ROWS if row.a == copy.a)
        gone = set(original.b.words) - set(copy.b.words)
        new = set(copy.b.words) - set(original.b.words)
        assert gone
        assert tagged(copy) == (gone, new)
        assert (copy.same, copy.score) == (0.0, None)
        for way in (copy.forward, copy.backward):
            assert way is not None
            assert way[0] == 0
            assert np.isnan(way[1:]).all()


def test_a_word_becomes_its_opposite_a_number_a_number_and_a_name_a_name() -> None:
    seen = [copy for seed in range(40) for copy in altered(ROWS, 1.0, seed)]
    sales = [copy.b.words for copy in seen if copy.a == ROWS[1].a]
    assert {words[3] for words in sales} == {"sold", "bought"}
    numbers = {words[4] for words in sales}
    assert len(numbers) > 5
    assert all(len(number) == 2 and number.isdecimal() for number in numbers)
    assert {words[1] for words in sales} == {"Rome", "Paris"}
    assert {words[0] for words in sales} == {"In"}


def test_words_that_recur_or_are_tagged_already_stay() -> None:
    row = pair("Rome 12", "12 Rome 12 Rome", [0, 0], [0, 0, 0, 0])
    done = pair("x 12 y", "z 12 w", [0, 1, 0], [0, 1, 0])
    copies = [copy for seed in range(20) for copy in altered([row, done, *ROWS], 1.0, seed)]
    assert {row.a.text, done.a.text} & {copy.a.text for copy in copies} == set()


def test_case_makes_no_other_word() -> None:
    rows = [
        pair("The fall of ROME", "The Fall and fall of ROME"),
        pair("It saw Rome", "And Rome saw it"),
    ]
    for seed in range(20):
        for copy in altered(rows, 1.0, seed):
            gone, new = tagged(copy)
            assert gone <= {"saw", "Rome", "It"}
            assert not {word.casefold() for word in new} & {"rome"}


def test_function_words_stay() -> None:
    row = pair("they have been there", "there they have been")
    assert not [
        copy for seed in range(20) for copy in altered([row, ROWS[0]], 1.0, seed) if copy.a == row.a
    ]


def test_no_share_no_copies_and_rows_without_tags_have_none() -> None:
    bare = Example(a=WordText.of("Rome"), b=WordText.of("In Rome"), group="")
    assert altered(ROWS, 0.0, 1) == []
    assert altered([bare], 1.0, 1) == []


def test_opposites_go_both_ways() -> None:
    assert OPPOSITES["bought"] == "sold"
    assert all(other in OPPOSITES and other != word for word, other in OPPOSITES.items())


WORDS = st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1), min_size=1)


@given(WORDS, WORDS, st.integers(0, 99))
def test_any_words_can_be_altered(a: list[str], b: list[str], seed: int) -> None:
    row = Example(
        a=WordText.from_words(a),
        b=WordText.from_words(b),
        group="",
        tags_a=np.zeros(len(a), dtype=np.float32),
        tags_b=np.zeros(len(b), dtype=np.float32),
    )
    for copy in altered([row, *ROWS], 1.0, seed):
        assert copy.tags_b is not None
        assert len(copy.b) == len(copy.tags_b)
        assert copy.tags_b.any()
