"""What a paraphrase adds: names and numbers that its source has not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.generation.selection.invented import invented

SOURCE = "Ex-KGB agent Putin told U.S. reporters in Iraq on May 5 that 1,200 jobs would go."


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("The former KGB agent Putin spoke to US reporters.", []),
        ("PUTIN's reporters", []),
        ("Reporters of the Iraqi press heard it on May 5th.", []),
        ("On May 5, Putin said that jobs would go, all 1,200.", []),
        ("The agent said at the BBC that 1,200 jobs would go.", ["BBC"]),
        ("The agent said on May 6 that 1200 jobs would go.", ["6", "1200"]),
        ("U.S. President Putin told reporters.", ["U.S. President Putin"]),
        ("According to Chief of Staff Ann Lee, jobs go.", ["Chief of Staff Ann Lee"]),
        ("See www.example.com, he said.", ["www.example.com"]),
        ("Jobs would go, the agent said.", []),
    ],
)
def test_names_and_numbers_of_its_own(text: str, added: list[str]) -> None:
    assert invented(SOURCE, text) == added


@given(st.text(max_size=60))
def test_a_text_adds_nothing_to_itself(text: str) -> None:
    assert invented(text, text) == []
