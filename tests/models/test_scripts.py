"""Scripts the weights know."""

from __future__ import annotations

from pathlib import Path

import pytest

from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.scripts import language_note, letters, script_warning
from tests.encoders import make_encoder


@pytest.mark.parametrize(
    ("text", "languages", "found"),
    [
        ("The cat, 2 cats!", ["en"], (10, 0)),
        ("naïve Straße", ["en"], (11, 0)),
        ("кот cat", ["en"], (6, 3)),
        ("кот cat", ["en", "ru"], (6, 0)),
        ("кот cat", ["ru"], (6, 3)),
        ("cat", ["ru"], (3, 3)),
        ("猫です", ["en"], (3, 3)),
        ("猫です", ["ja"], (3, 0)),
        ("שלום 😀", ["en"], (4, 4)),
        ("кот", ["xx"], (3, 0)),  # a language we know nothing of
        ("", ["en"], (0, 0)),
    ],
)
def test_letters_are_counted_by_script(
    text: str, languages: list[str], found: tuple[int, int]
) -> None:
    assert letters(text, languages) == found


def test_the_warning_is_due_above_one_half(tmp_path: Path) -> None:
    card = EncoderCard.read(make_encoder(tmp_path / "tiny"))
    assert language_note(0, 0, card) is None
    assert language_note(10, 5, card) is None
    assert language_note(10, 6, card) == (
        "60% of the letters are of scripts that the weights of 'mini' were not trained on "
        "(languages: en); the values may mean little"
    )
    assert script_warning(["cat", "кот"], card) is None
    assert script_warning(["cat", "котик"], card) == language_note(8, 5, card)
