"""What is remembered of pairs."""

from __future__ import annotations

import numpy as np
import pytest

from paraphrast.models.encoder.pair_reading import Reading, Relations
from paraphrast.models.encoder.pair_summary import Memo, Summary, Weakest, summarise, weakest
from paraphrast.text.words import WordText


def reading(score: float, windows: int = 1, *, limited: bool = False) -> Reading:
    tags = np.array([[2.0, 0.0], [0.0, 1.0]])
    return Reading(score, Relations(-score), tags, tags[:1], windows, limited)


def summed(read: Reading) -> Summary:
    return summarise(read, WordText.of("cats sat"), WordText.of("cats"))


def test_a_summary_drops_the_words_but_one() -> None:
    found = summed(reading(0.5))
    assert found.weakest == ("sat", pytest.approx(0.268941, abs=1e-6))
    assert (found.score, found.entailment) == (0.5, -0.5)
    assert (found.logit_p, found.logit_r, found.logit_f) == (2.0, 0.5, 1.0)
    assert found.probability_p == pytest.approx(0.880797, abs=1e-6)
    assert not found.windowed
    assert summed(reading(0, 2)).windowed
    assert summed(reading(0, 900, limited=True)).limited


def test_words_without_content_are_not_the_weakest() -> None:
    a, b = WordText.of("he will"), WordText.of("Ann")
    assert weakest(reading(0), a, b).word == "Ann"
    assert weakest(reading(0), a, WordText.of(",")) == Weakest("", 1.0)


def test_keys_tell_pairs_apart() -> None:
    pairs = [("a", "b"), ("b", "a"), ("ab", ""), ("", "ab"), ("\ud800", "a"), ("a", "b")]
    keys = Memo[Summary].keys(pairs)
    assert keys[0] == keys[-1]
    assert len(set(keys)) == 5


def test_the_oldest_are_forgotten() -> None:
    memo = Memo[Summary](most=2)
    for number, key in enumerate((b"1", b"2", b"3")):
        memo.add({key: summed(reading(number))})
    assert memo.get(b"1") is None
    assert [found.score for key in (b"2", b"3") if (found := memo.get(key))] == [1, 2]
