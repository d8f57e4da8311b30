"""Where two lists of words differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.text.word_changes import WordChange, word_changes

WORDS = st.lists(st.sampled_from("a b c A ß ss".split()), max_size=12)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("", "", []),
        ("the cat", "THE Cat", []),
        ("Straße", "STRASSE", []),
        ("the cat", "the dog", [((1, 2), (1, 2))]),
        ("the cat sat", "the sat", [((1, 2), (1, 1))]),
        ("sat", "he sat down", [((0, 0), (0, 1)), ((1, 1), (2, 3))]),
        ("", "he sat", [((0, 0), (0, 2))]),
    ],
)
def test_places_are_named(a: str, b: str, expected: list[tuple[tuple[int, int], ...]]) -> None:
    found = word_changes(a.split(), b.split())
    assert [(one.a, one.b) for one in found] == expected


def test_the_size_is_that_of_the_longer_side() -> None:
    assert WordChange((2, 3), (2, 6)).size == 4
    assert WordChange((2, 5), (2, 2)).size == 3


@given(a=WORDS, b=WORDS)
def test_what_is_between_the_changes_is_equal(a: list[str], b: list[str]) -> None:
    changes = word_changes(a, b)
    rebuilt, done = [], 0
    for one in changes:
        rebuilt += a[done : one.a[0]] + b[slice(*one.b)]
        done = one.a[1]
        assert one.size > 0
    rebuilt += a[done:]
    assert [word.casefold() for word in rebuilt] == [word.casefold() for word in b]


@given(words=WORDS)
def test_a_text_does_not_differ_from_itself(words: list[str]) -> None:
    assert word_changes(words, words) == []
