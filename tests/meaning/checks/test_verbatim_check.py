"""The check of addresses, code and placeholders."""

from __future__ import annotations

import pytest

from paraphrast.meaning.checks.verbatim_check import VerbatimCheck
from paraphrast.meaning.reason import Reason
from paraphrast.text.words import WordText

CHECK = VerbatimCheck()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("See www.lee.org now.", "Now see www.ray.org.", 1.0),
        ("See https://lee.org/a.", "See lee.org/a.", 0.0),
        ("Hi {name}, welcome.", "Hi {user}, welcome.", 1.0),
        ("Hi {name}, welcome.", "Welcome, {name}!", 0.0),
        ("Print %s twice.", "Print %d twice.", 1.0),
        ("A <b>fat</b> cat", "A <i>fat</i> cat", 1.0),
        ("Open notes.txt", "Open the notes", 0.4),
        ("Call `run_all` first.", "First, call run_all().", 0.0),
        ("50 % so, `` they said ''", "half so, they said", 0.0),
        ("", "", 0.0),
    ],
)
def test_strings_that_must_stay(a: str, b: str, expected: float) -> None:
    one, other = WordText.of(a), WordText.of(b)
    assert CHECK.score(one, other) == CHECK.score(other, one) == expected


def test_the_reason_names_the_words() -> None:
    a, b = WordText.of("Mail ann@lee.org"), WordText.of("Mail bob@lee.org")
    found = CHECK.reason(a, b)
    assert found == Reason("changed", "ann @ lee.org", "bob @ lee.org", 1.0, (1, 2, 3), (1, 2, 3))
