from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.generation.decode import Decoding, decode
from paraphrast.generation.reversal import REACH, favours
from tests.generation.toy import Toy

TOKENS = st.lists(st.integers(1, 6), min_size=1, max_size=9)


@given(TOKENS, st.lists(st.integers(1, 6), max_size=12), st.floats(0.1, 5))
def test_the_other_end_is_favoured(source: list[int], written: list[int], strength: float) -> None:
    ids, favour = favours(np.array(source), written, strength)
    aim = 1 - min(1, len(written) / len(source))
    expected = {}
    for token in set(source):
        places = [n / max(1, len(source) - 1) for n, each in enumerate(source) if each == token]
        near = max(0, *(1 - abs(place - aim) / REACH for place in places))
        if near > 0 and written.count(token) < source.count(token):
            expected[token] = strength * near
    assert ids.tolist() == sorted(expected)
    np.testing.assert_allclose(favour, [expected[token] for token in sorted(expected)], rtol=1e-5)


def test_nothing_is_favoured_of_an_empty_source() -> None:
    ids, favour = favours(np.zeros(0, np.int64), [], 1.0)
    assert len(ids) == len(favour) == 0


def test_a_strong_reversal_turns_the_source_round() -> None:
    letters = "abcdefgh"
    toy = Toy(tuple(f" {letter}" for letter in letters), scale=0.5, ending=-3)
    source = " ".join(letters)
    (plain,) = decode(toy, [source], Decoding(method="greedy", max_length=8))[0]
    (turned,) = decode(toy, [source], Decoding(method="greedy", max_length=8, reverse=12.0))[0]
    assert turned.text == " ".join(reversed(letters))
    assert plain.text != turned.text
    assert abs(turned.logprob - toy.logprob(source, turned.ids, finished=turned.finished)) < 1e-4
