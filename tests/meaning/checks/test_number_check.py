"""The check of numbers."""

from __future__ import annotations

import pytest

from paraphrast.meaning.checks.number_check import NumberCheck
from paraphrast.meaning.reason import Reason
from paraphrast.text.words import WordText

CHECK = NumberCheck()


def score(a: str, b: str) -> float:
    return CHECK.score(WordText.of(a), WordText.of(b))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("28 pupils came.", "26 pupils came.", 1.0),
        ("28 pupils came.", "Pupils came.", 0.4),
        ("Pupils came.", "28 pupils came.", 0.4),
        ("28 pupils came.", "Twenty-eight pupils came.", 0.0),
        ("Two men and three women came.", "Five people came.", 0.0),
        ("One of them left.", "Two of them left.", 0.4),
        ("", "", 0.0),
    ],
)
def test_a_conflict_weighs_more_than_an_absence(a: str, b: str, expected: float) -> None:
    assert score(a, b) == score(b, a) == expected
    assert CHECK.accept(expected) is (expected < 1)


def test_the_reason_names_the_words() -> None:
    a, b = WordText.of("They paid £340m in May."), WordText.of("They paid £34 million in May.")
    assert CHECK.reason(a, b) == Reason("number", "340m", "34 million", 1.0, (3,), (3, 4))
