from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.models.generator.long_texts import packed, sentences

TEXTS = st.lists(st.sampled_from(["a", "cat", "Dogs", "run.", "No!", "x,", "。", "\n", " "])).map(
    " ".join
)


def short(text: str) -> bool:
    return len(text) <= 12


def test_a_text_is_cut_at_sentences() -> None:
    text = "A cat. A dog ran.\nIt sat. No."
    assert sentences(text, short) == ["A cat.", "A dog ran.", "It sat.", "No."]
    assert packed(text, short) == ["A cat.", "A dog ran.", "It sat. No."]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("one two, three four", ["one two,", "three four"]),  # the pause, not the middle
        ("one two three four", ["one two", "three four"]),
        ("abcdefghijklmnop", ["abcdefgh", "ijklmnop"]),  # nowhere to cut but inside
        ("他们说这里很好，我们都很喜欢这里", ["他们说这里很好，", "我们都很喜欢这里"]),
        ("", []),
    ],
)
def test_what_is_too_long_is_halved(text: str, pieces: list[str]) -> None:
    assert sentences(text, short) == pieces


def test_a_character_that_does_not_fit_stays() -> None:
    assert sentences("ab", lambda _: False) == ["a", "b"]
    assert packed("ab", lambda _: False) == ["a", "b"]


@given(text=TEXTS, most=st.integers(1, 30))
def test_nothing_is_lost(text: str, most: int) -> None:
    def fits(piece: str) -> bool:
        return len(piece) <= most

    for made in (sentences(text, fits), packed(text, fits)):
        assert "".join("".join(made).split()) == "".join(text.split())
        assert all(map(fits, made))
        assert all(piece.strip() for piece in made)
    assert len(packed(text, fits)) <= len(sentences(text, fits))
