"""Numbers, names and negations among the words of a text."""

from __future__ import annotations

import pytest

from paraphrast.meaning.checks.word_kinds import is_name, is_negation, is_number


@pytest.mark.parametrize("word", ["12", "7:30", "1990s", "twelve", "Million", "third"])
def test_words_that_count(word: str) -> None:
    assert is_number([word], 0)


@pytest.mark.parametrize("word", ["one", "second", "cat", ".", "tension"])
def test_words_that_often_do_not(word: str) -> None:
    assert not is_number([word], 0)


@pytest.mark.parametrize(
    ("words", "place", "expected"),
    [
        ("She met Ann", 2, True),
        ("Ann met her", 0, True),
        ("The cat", 0, False),
        ("I met her . The cat", 4, False),
        ("then I left", 1, False),
        ("then I'd left", 1, False),
        ("the cat", 1, False),
        ("in The Hague", 1, True),
    ],
)
def test_names_have_capitals(words: str, place: int, expected: bool) -> None:
    assert is_name(words.split(), place) is expected


@pytest.mark.parametrize("word", ["not", "Never", "didn't", "won’t", "nobody"])
def test_words_that_deny(word: str) -> None:
    assert is_negation([word], 0)


@pytest.mark.parametrize("word", ["cat", "know", "note", "ant"])
def test_words_that_do_not_deny(word: str) -> None:
    assert not is_negation([word], 0)
