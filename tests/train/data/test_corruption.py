from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.text.words import WordText
from paraphrast.train.data import corruption as room
from paraphrast.train.data.corruption import corrupt

TEXT = "The boy, whose image was seen, did not define the horror."
WORDS = WordText.of(TEXT)


def pieces() -> list[str]:
    return room._pieces(WORDS)


def test_pieces_join_to_the_text() -> None:
    assert "".join(pieces()) == TEXT


def test_the_seed_decides() -> None:
    first, second, third = (corrupt(WORDS, ["apple"], Random(seed)) for seed in (1, 1, 2))
    assert first == second != third


def test_short_texts_stay() -> None:
    short = WordText.of("Yes, ")
    assert corrupt(short, ["apple"], Random(0)) is short


@pytest.mark.parametrize("seed", range(20))
def test_drop_leaves_out_one_to_three_neighbours(seed: int) -> None:
    left = room._drop(pieces(), [], Random(seed))
    assert 1 <= len(pieces()) - len(left) <= 3
    assert not Counter(left) - Counter(pieces())


@pytest.mark.parametrize("seed", range(20))
def test_swap_keeps_the_words(seed: int) -> None:
    swapped = room._swap(pieces(), [], Random(seed))
    assert Counter(swapped) == Counter(pieces())
    moved = [
        place for place, (one, two) in enumerate(zip(swapped, pieces(), strict=True)) if one != two
    ]
    assert len(moved) in (0, 2)  # 0: two commas


def test_insert_and_replace_take_from_the_vocabulary() -> None:
    assert Counter(room._insert(pieces(), ["apple"], Random(0))) - Counter(pieces()) == {
        " apple": 1
    }
    replaced = room._replace(pieces(), ["apple"], Random(0))
    assert len(replaced) == len(pieces())
    assert " apple" in replaced


def test_repeat_doubles_a_word() -> None:
    assert len(room._repeat(pieces(), [], Random(0))) == len(pieces()) + 1


def test_cut_keeps_the_beginning() -> None:
    cut = room._cut(pieces(), [], Random(0))
    assert cut == pieces()[: len(cut)]
    assert len(cut) < len(pieces())


def test_a_negation_is_taken_out_or_put_in() -> None:
    without = room._negate(pieces(), [], Random(0))
    assert "".join(without) == TEXT.replace(" not", "")
    assert "".join(room._negate(["It", " is", " late"], [], Random(0))) == "It is not late"
    assert room._negate(["So", " it", " goes"], [], Random(0)) == ["So", " it", " goes"]


@given(st.text(min_size=1, max_size=60), st.integers(0, 1000))
def test_any_text_can_be_corrupted(text: str, seed: int) -> None:
    assert isinstance(corrupt(WordText.of(text), ["apple"], Random(seed)).text, str)
