"""The check of names."""

from __future__ import annotations

import pytest

from paraphrast.meaning.checks.name_check import NameCheck
from paraphrast.meaning.reason import Reason
from paraphrast.text.words import WordText

CHECK = NameCheck()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("My aunt flew to Riga.", "My aunt flew to Zadar.", 1.0),
        ("My aunt flew to Riga.", "My aunt flew away.", 0.4),
        ("He joined the FBI.", "He joined the Federal Bureau of Investigation.", 0.0),
        ("We live in the U.S.", "We live in the United States.", 0.0),
        ("We met in Los Angeles.", "We met in L.A.", 0.0),
        ("I called Dr. Amara Nwosu.", "I called Doctor Nwosu.", 0.0),
        ("I saw St. Petersburg.", "I saw Saint Petersburg.", 0.0),
        ("It came from Poland.", "It was a Polish one.", 0.0),
        ("They moved to Münster.", "They moved to Muenster.", 0.0),
        ("We know José's house.", "We know the house of Jose.", 0.0),
        ("She lives in Austria.", "She lives in Australia.", 1.0),
        ("a painting by Manet", "a painting by Monet", 1.0),
        ("", "Riga", 0.0),
    ],
)
def test_forms_of_a_name(a: str, b: str, expected: float) -> None:
    one, other = WordText.of(a), WordText.of(b)
    assert CHECK.score(one, other) == CHECK.score(other, one) == expected


def test_the_reason_names_the_words() -> None:
    a, b = WordText.of("I work for Deutsche Bank."), WordText.of("I work for Deutsche Bahn.")
    found = CHECK.reason(a, b)
    assert found == Reason("name", "Deutsche Bank", "Deutsche Bahn", 1.0, (3, 4), (3, 4))
