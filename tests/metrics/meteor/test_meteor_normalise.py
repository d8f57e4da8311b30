"""The ``-norm`` normaliser; tokens recorded from the METEOR 1.5 jar's ``Normalizer`` class."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.metrics.meteor.normalise import words

PREFIXES = {"Mr": False, "i.e": False, "No": True}
GOLDEN = [
    ("", ""),
    (" \t\n ", ""),
    ("The cat sat.", "the cat sat ."),
    ("Mr. Smith paid. Then left.", "mr. smith paid . then left ."),
    ("It ended. then began.", "it ended. then began ."),
    ("No. 5, No. Five", "no. 5 , no . five"),
    ("the U.S. team i.e. ours, 3.5. More", "the us team ie ours , 3.5 . more"),
    ("Wait... what?..", "wait ... what ? .."),
    ("1,000 cats,dogs,,birds 5,a", "1,000 cats , dogs , ,birds 5 , a"),
    ("I didn't see Bob's 80's o'clock", "i didn 't see bob 's 80 's o 'clock"),
    ("'quoted' ''double'' \u201ccurly\u201d", '\' quoted \' " double " " curly "'),
    ("well-known x--y a \u2013 b a \u2014 b", "well known x y a - b a \u2014 b"),
    ("$5 50% (a/b) <c> d_e", "$ 5 50 % ( a / b ) < c > d _ e"),
    ("a\u00a0b\u3000c", "a b c"),
    ("caf\u00e9 \u0416 \u65e5\u672c", "caf\u00e9 \u0436 \u65e5 \u672c"),
    ("end \x01", "end"),
]


@pytest.mark.parametrize(("text", "expected"), GOLDEN)
def test_tokens_are_the_jars(text: str, expected: str) -> None:
    assert words(text, PREFIXES) == expected.split()


def test_the_jars_placeholder_is_an_ordinary_word() -> None:
    assert words("a DOTMULTI b", {}) == ["a", "dotmulti", "b"]  # the jar turns it into "."


@given(st.text())
def test_tokens_hold_no_space_and_no_capitals(text: str) -> None:
    for word in words(text, PREFIXES):
        assert word
        assert not set(word) & set(" \t\n\r\f\u00a0\u3000")
        assert word == word.lower()
