from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.generation.decoding.decode import Decoding, decode
from paraphrast.generation.decoding.reversal import (
    EARLIEST,
    LATER,
    Reversal,
    ReversalWeights,
    Spellings,
)
from tests.generation.toy import Toy

PIECES = [
    "",
    " the",
    " The",
    " dog",
    " Dog",
    " slept",
    ",",
    " when",
    " When",
    " rain",
    " came",
    ".",
]
SOURCE = [1, 3, 5, 7, 9, 10, 11]  # the dog slept when rain came .
TOKENS = st.lists(st.integers(1, len(PIECES) - 1), max_size=12)


def _shares(turn: ReversalWeights) -> dict[str, float]:
    return {PIECES[n]: float(s) for n, s in zip(turn.ids, turn.shares, strict=True)}


def test_a_word_from_further_on_is_to_open_the_text() -> None:
    turn = Reversal(SOURCE, Spellings(PIECES)).weights([])
    shares = _shares(turn)
    assert set(shares) == {" slept", " when", " When", " rain", " came"}
    assert max(shares, key=lambda piece: shares[piece]) in (" when", " When")
    assert turn.closing == 0


def test_a_clause_mark_is_where_the_favoured_clause_opens() -> None:
    source = [7, 9, 6, 1, 3, 5, 11]  # when rain , the dog slept .
    shares = _shares(Reversal(source, Spellings(PIECES)).weights([]))
    assert shares[" The"] == shares[" the"] == 1


def test_then_the_rest_of_that_clause_then_what_stood_before_it() -> None:
    reversal = Reversal(SOURCE, Spellings(PIECES))
    early = reversal.weights([8])
    assert set(_shares(early)) == {" rain", " came"}
    assert early.closing == LATER
    late = reversal.weights([8, 9, 10, 6])
    assert set(_shares(late)) == {" the", " The", " dog", " Dog", " slept"}
    assert set(late.shares.tolist()) == {LATER}
    said = reversal.weights([8, 9, 10, 6, 1, 3])
    assert set(_shares(said)) == {" slept"}
    assert said.closing < LATER / 2


def test_a_text_that_opens_otherwise_is_left_alone() -> None:
    turn = Reversal(SOURCE, Spellings(PIECES)).weights([2, 3])
    assert len(turn.ids) == 0
    assert turn.closing == 0


def test_a_capital_that_is_no_sub_word_stands_for_its_beginning() -> None:
    pieces = [" so", " it", " consumers", " Consum", "ers"]
    shares = Reversal([0, 1, 2], Spellings(pieces)).weights([])
    assert [pieces[n] for n in shares.ids] == [" it", " consumers", " Consum"]


@given(TOKENS, TOKENS)
def test_what_is_favoured_is_in_the_source_and_not_yet_used_up(
    source: list[int], written: list[int]
) -> None:
    turn = Reversal(source, Spellings(PIECES)).weights(written)
    words = [PIECES[token].lower() for token in source]
    done = [PIECES[token].lower() for token in written]
    for piece in (PIECES[n].lower() for n in turn.ids):
        assert piece in words
        assert done.count(piece) < words.count(piece)
        if not written:
            assert words.index(piece) >= EARLIEST * len(words)
    assert ((turn.shares > 0) & (turn.shares <= 1)).all()
    assert 0 <= turn.closing <= LATER


def test_a_strong_reversal_puts_what_stood_last_first() -> None:
    letters = "abcdefgh"
    toy = Toy(tuple(f" {letter}" for letter in letters), scale=0.5, ending=-3)
    source = " ".join(letters)
    (plain,) = decode(toy, [source], Decoding(method="greedy", max_length=8))[0]
    (turned,) = decode(toy, [source], Decoding(method="greedy", max_length=8, reverse=20.0))[0]
    places = [letters.index(letter) for letter in turned.text.split()]
    cut = len(letters) - places[0]
    assert 1 < cut < len(letters)
    assert sorted(places[:cut]) == list(range(places[0], len(letters)))
    assert plain.text != turned.text
    assert abs(turned.logprob - toy.logprob(source, turned.ids, finished=turned.finished)) < 1e-4
    assert np.isfinite(turned.score)
