"""The check of denials, which is evidence alone."""

from __future__ import annotations

import pytest

from paraphrast.meaning.checks.negation_check import NegationCheck
from paraphrast.meaning.reason import Reason
from paraphrast.text.words import WordText

CHECK = NegationCheck()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("He came.", "He didn't come.", 1.0),
        ("He never came.", "He failed to come.", 0.4),
        ("It is not legal.", "It is illegal.", 0.4),
        ("He did not come.", "He didn't come.", 0.0),
        ("He came.", "He arrived.", 0.0),
        ("", "", 0.0),
    ],
)
def test_denials(a: str, b: str, expected: float) -> None:
    one, other = WordText.of(a), WordText.of(b)
    assert CHECK.score(one, other) == CHECK.score(other, one) == expected
    assert CHECK.accept(expected) is (expected < 1)


def test_the_reason_names_the_denial() -> None:
    a, b = WordText.of("He came."), WordText.of("He didn’t come.")
    assert CHECK.reason(a, b) == Reason("negation", "", "didn’t", 1.0, (), (1,))
