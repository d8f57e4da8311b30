from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.text.words import WordText, word_spans


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("We don't know.", ["We", "don't", "know", "."]),
        ("well-known, 1,000.5 €!", ["well-known", ",", "1,000.5", "€", "!"]),
        ("naïve cafe\u0301", ["naïve", "cafe\u0301"]),
        ("東京です。", ["東", "京", "で", "す", "。"]),
        ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("ok 👍🏽👨‍👩‍👧!", ["ok", "👍🏽", "👨‍👩‍👧", "!"]),
        ("a\x00b\x07 \u200b\ufeff c", ["a", "b", "c"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in word_spans(text)] == words
    assert WordText.of(text).words == words


@given(st.text())
def test_words_cover_everything_visible_in_order(text: str) -> None:
    spans = word_spans(text)
    assert all(start < end for start, end in spans)
    assert all(one[1] <= two[0] for one, two in itertools.pairwise(spans))
    covered = {place for start, end in spans for place in range(start, end)}
    assert all(place in covered for place, char in enumerate(text) if char.isalnum())


@given(st.lists(st.text(min_size=1), max_size=8))
def test_given_words_stay_as_they_are(words: list[str]) -> None:
    text = WordText.from_words(words)
    assert text.words == words
    assert len(text) == len(words)


def test_a_part_keeps_the_text_between_its_words() -> None:
    text = WordText.of("One, two  three four.")
    assert text.part(1, 4) == WordText(", two  three", ((0, 1), (2, 5), (7, 12)))
    assert text.part(2, 2) == WordText("", ())
