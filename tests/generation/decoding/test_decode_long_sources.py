"""Long texts are cut at sentences, decoded part by part and put together again."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.generation.decoding.decode import Decoding, decode, part
from tests.generation.toy import Toy

LETTERS = tuple(f" {letter}" for letter in "abcdefgh")


def toy(**options: Any) -> Toy:
    return Toy((*LETTERS, ".", ",", " x", "A"), **options)


def test_a_short_text_stays_whole() -> None:
    (only,) = part(" a b. A c. ", toy())
    assert (only.text, only.before, only.share) == ("a b. A c.", "", 1.0)
    assert part(" \n", toy()) == []


def test_a_long_text_is_cut_at_sentences() -> None:
    sentence = "A b c d e f g h a b c d e f g."
    text = f"{sentence}  {sentence}\n\n" + " ".join([sentence] * 8)
    parts = part(text, toy())
    assert [each.text for each in parts] == [sentence] * 10
    assert [each.before for each in parts] == ["", "  ", "\n\n", *[" "] * 7]
    assert sum(each.share for each in parts) == pytest.approx(1)


@given(st.text("abc ,.;あ", min_size=1, max_size=300))
def test_parts_hold_the_whole_text_and_fit(text: str) -> None:
    small = Toy((*LETTERS, "a", "b", "c", ",", ".", ";", "あ", " "), max_source=12, max_target=12)
    parts = part(text, small)
    assert "".join(each.before + each.text for each in parts) == text.strip()
    assert all(len(small.encode([each.text])[0]) <= 12 for each in parts)
    assert all(not each.before.strip() for each in parts)


def test_an_endless_sentence_is_cut_at_a_pause_near_its_middle() -> None:
    text = "a b c d e, f g h a b c d"
    parts = part(text, Toy((*LETTERS, ","), max_source=10, max_target=10))
    assert [each.text for each in parts] == ["a b c d e,", "f g h a b c d"]


@pytest.mark.parametrize("method", ["greedy", "top-p", "beam"])
def test_two_thousand_words(method: str) -> None:
    sentences = [f"A {' '.join('abcdefgh'[(n * k) % 8] for k in range(19))}." for n in range(100)]
    text = " ".join(sentences)
    model = toy(ending=-1)
    given = Decoding(method=method, n=1 if method == "greedy" else 3)
    (found,) = decode(model, [text], given)
    assert len(found) == given.n
    alone = decode(model, sentences, given)
    for number, candidate in enumerate(found):
        pieces = [each[number] for each in alone]
        assert candidate.text == " ".join(piece.text for piece in pieces)
        assert candidate.logprob == pytest.approx(sum(piece.logprob for piece in pieces))
        assert candidate.tokens == len(candidate.ids) == sum(piece.tokens for piece in pieces)
        assert candidate.finished == all(piece.finished for piece in pieces)


def test_what_a_part_lost_the_whole_has_lost() -> None:
    sentence = "A b c d e f g h a b c d e f g."
    text = " ".join([sentence] * 9) + " A b Zoë."
    (found,) = decode(toy(), [text], Decoding(keep=("Zoë",), protect=False))
    assert found[0].missing == ("Zoë",)


def test_a_part_without_output_is_counted() -> None:
    sentence = "A b c d e f g h a b c d e f g."
    pieces = tuple(piece for piece in toy().pieces() if piece)
    shortfalls: Counter[str] = Counter()
    given = Decoding(n=2, forbid=tuple(piece.strip() for piece in pieces))
    assert decode(toy(), [" ".join([sentence] * 9)], given, shortfalls=shortfalls) == [[]]
    assert shortfalls == {"a part of a long text has no output": 2}
