"""Distances of long pairs: exact where they differ little, refused where they differ much."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq, Levenshtein

from paraphrast.text.alignment import lcs, long_pairs, tercom
from paraphrast.text.alignment.long_pairs import LongPair, edit_distances, lcs_lengths

_PAIRS = st.lists(st.tuples(st.text("abc", max_size=40), st.text("abcd", max_size=40)), max_size=5)


@given(_PAIRS, st.integers(1, 1600))
def test_what_is_not_refused_is_exact(pairs: list[tuple[str, str]], most: int) -> None:
    left, right = [one for one, _ in pairs], [other for _, other in pairs]
    for measure, scorer in (
        (lcs_lengths, LCSseq.similarity),
        (edit_distances, Levenshtein.distance),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(long_pairs, "_BAND", 2)
            try:
                found = measure(left, right, most=most)
            except LongPair as refused:
                place = refused.place
            else:
                place = None
                assert found.tolist() == [scorer(*pair) for pair in pairs]
        assert place is None or len(left[place]) * len(right[place]) > most


def test_long_texts_that_differ_little_are_measured_in_a_band() -> None:
    words = "".join(map(chr, np.random.default_rng(1).integers(97, 997, size=300_000)))
    other = words[:100] + "!" + words[100:200_000] + words[200_001:]
    assert edit_distances([words, "a"], [other, "b"]).tolist() == [2, 1]
    assert lcs_lengths([words, "a"], [other, "a"]).tolist() == [299_999, 1]
    ids = [list(map(ord, words)), list(map(ord, other))]
    assert edit_distances(ids[:1], ids[1:]).tolist() == [2]


def test_long_texts_that_differ_much_are_refused() -> None:
    numbers = np.random.default_rng(2)
    left, right = ("".join(map(chr, numbers.integers(97, 997, size=300))) for _ in range(2))
    for measure in (edit_distances, lcs_lengths):
        with pytest.raises(LongPair, match=r"^the candidate has 300 tokens and a reference 300"):
            measure([left], [right], most=1000)


def test_tables_of_ter_and_rouge_lsum_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tercom, "_MOST_CELLS", 100)
    monkeypatch.setattr(lcs, "_UNION_CELLS", 100)
    words = "a b c d e f g h i j k".split()
    assert tercom.edits(words, words) == 0
    assert tercom.edits(words, [*words, "l"]) == 1
    assert tercom.edits([*words[:-1], "x"], [*words[:-2], "y", "z"]) == 2
    with pytest.raises(LongPair):
        tercom.edits(words, words[6:] + words[:6])
    with pytest.raises(LongPair):
        lcs.union_hits([list(range(11))], [list(range(11))])


def test_the_error_survives_a_process_boundary() -> None:
    error = pickle.loads(pickle.dumps(LongPair(1, 2).at(3)))
    assert (error.left, error.right, error.place) == (1, 2, 3)
