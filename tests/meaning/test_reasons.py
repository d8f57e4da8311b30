"""Reasons: the words on which a verdict turns, and what kind they are."""

from __future__ import annotations

import json

import pytest

from paraphrast.meaning.reason import Reason
from paraphrast.meaning.reasons import reasons
from paraphrast.meaning.tagged_pair import TaggedPair, TaggedText
from paraphrast.text.words import WordText


def text(words: str, *marked: str, chance: float = 0.25) -> TaggedText:
    """A text in which some words are tagged; they are said by the other with that probability."""
    found = WordText.of(words)
    tags = tuple(int(word in marked) for word in found.words)
    return TaggedText(words, found.spans, tags, tuple(chance if tag else 0.875 for tag in tags))


def kinds(a: TaggedText, b: TaggedText) -> list[tuple[str, str, str]]:
    return [(one.kind, one.a, one.b) for one in reasons(TaggedPair(a, b))]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (text("Sales rose by 40 %.", "40"), text("Sales rose by 25 %.", "25"), "number"),
        (text("He has two dogs.", "two"), text("He has six dogs.", "six"), "number"),
        (text("She met Ann.", "Ann"), text("She met Bob.", "Bob"), "name"),
        (text("He was ill.", "was"), text("He was never ill.", "never"), "negation"),
        (text("It did work.", "did"), text("It didn’t work.", "didn’t"), "negation"),
        (text("the red cat", "red"), text("the cat"), "missing"),
        (text("the cat"), text("the red cat", "red"), "added"),
        (text("the red cat", "red"), text("the blue cat", "blue"), "changed"),
    ],
)
def test_words_have_a_kind(a: TaggedText, b: TaggedText, expected: str) -> None:
    assert [kind for kind, *_ in kinds(a, b)] == [expected]


def test_a_word_that_begins_a_sentence_is_no_name() -> None:
    assert kinds(text("The cat sat.", "The"), text("A cat sat.", "A")) == [("changed", "The", "A")]


def test_the_strongest_comes_first() -> None:
    a = TaggedText("a b c", ((0, 1), (2, 3), (4, 5)), (1, 0, 1), (0.4, 0.9, 0.1))
    b = TaggedText("x b y", ((0, 1), (2, 3), (4, 5)), (1, 0, 1), (0.5, 0.9, 0.3))
    found = reasons(TaggedPair(a, b))
    assert [(one.a, one.b, one.weight) for one in found] == [("c", "y", 0.9), ("a", "x", 0.6)]
    assert (found[0].words_a, found[0].words_b) == ((2,), (2,))


def test_words_that_stand_in_both_texts_are_no_reason() -> None:
    assert kinds(text("the cat sat", "cat"), text("the cat lay", "lay")) == [("added", "", "lay")]


def test_where_no_word_is_tagged_the_least_supported_are_taken() -> None:
    a = TaggedText(
        "the old red cat", ((0, 3), (4, 7), (8, 11), (12, 15)), (0,) * 4, (0.9, 0.8, 0.7, 0.9)
    )
    b = TaggedText("the cat", ((0, 3), (4, 7)), (0, 0), (0.9, 0.9))
    assert kinds(a, b) == [("missing", "red", "")]


def test_texts_that_differ_in_case_alone_give_no_reason() -> None:
    assert kinds(text("Us.", "Us"), text("US.", "US")) == []


def test_a_reason_tells_itself() -> None:
    missing = Reason("missing", "red", "", 0.5, (1,), ())
    assert str(missing) == "missing: 'red' has no counterpart"
    assert str(Reason("added", "", "red", 0.5, (), (1,))) == "added: 'red' has no counterpart"
    assert str(Reason("name", "Ann", "Bob", 0.5, (1,), (1,))) == "name: 'Ann' became 'Bob'"
    assert json.loads(json.dumps(missing.to_dict())) == {
        "kind": "missing",
        "a": "red",
        "b": "",
        "weight": 0.5,
        "words_a": [1],
        "words_b": [],
    }
