"""The kind of a difference between words of two texts."""

from __future__ import annotations

import pytest

from paraphrast.meaning.checks.word_kinds import difference_kind
from paraphrast.text.word_changes import word_changes
from paraphrast.text.words import WordText


def kind(a: str, b: str) -> str:
    """Name the kind of the one place in which two texts differ."""
    one, other = WordText.of(a), WordText.of(b)
    [place] = word_changes(one.words, other.words)
    return difference_kind(one, other, range(*place.a), range(*place.b))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("It cost 15 US dollars here.", "It cost 12 euros here.", "number"),
        ("It began at half past five.", "It began at 10:15 p.m.", "number"),
        ("He came in 1998.", "He came in 1999.", "number"),
        ("About 200 came.", "About 210 came.", "number"),
        ("They saw Tom there.", "They saw Mary there.", "name"),
        ("Tom saw it.", "Mary saw it.", "name"),
        ("Few saw it.", "Many saw it.", "changed"),
        ("He did not miss the bus.", "He missed the bus.", "negation"),
        ("They do not go.", "They go.", "negation"),
        ("The plan was not feasible now.", "The plan was possible now.", "changed"),
        ("Go whether or not it rains.", "Go if it rains.", "changed"),
        ("The red cat sat.", "The cat sat.", "missing"),
        ("The cat sat.", "The cat sat in 1998.", "added"),
        ("It rains.", "It might rain.", "changed"),
        ("They go.", "They might go.", "changed"),
        ("A cat sat.", "A dog sat.", "changed"),
    ],
)
def test_kinds(a: str, b: str, expected: str) -> None:
    assert kind(a, b) == expected


def test_names_that_change_places_are_a_change() -> None:
    a, b = WordText.of("Ann is Bob's boss"), WordText.of("Bob is Ann's boss")
    assert difference_kind(a, b, range(3), range(3)) == "changed"


def test_no_words_are_a_change() -> None:
    assert difference_kind(WordText.of(""), WordText.of(""), (), ()) == "changed"
