"""Columns: token ids that can be compared, and the sequences made of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.text.column import Column, Encoded, Vocabularies, sequences
from paraphrast.text.tokenise import Tokeniser

WORDS = st.lists(st.sampled_from(["a", "b", "c", "\0", "\ue000", "\ue001"]), max_size=5)
RAGGED = st.lists(st.lists(WORDS.map(" ".join), max_size=3), min_size=1, max_size=5)


@given(left=RAGGED, right=RAGGED)
@settings(max_examples=100, deadline=None)
def test_equal_ids_mean_equal_tokens(left: list[list[str]], right: list[list[str]]) -> None:
    lexicon, tokeniser = Vocabularies(), Tokeniser("none")
    columns = [Column.ragged(side, lexicon) for side in (left, right)]
    encoded = [column.encoded(tokeniser) for column in columns]
    words = list(lexicon.vocabulary(tokeniser))
    for column, found in zip(columns, encoded, strict=True):
        bounds = found.starts.tolist()
        for text, a, b in zip(column.texts, bounds, bounds[1:], strict=False):
            assert [words[i] for i in found.ids[a:b]] == text.split()
    assert columns[0].encoded(tokeniser).size == len(words)


def test_a_ragged_column() -> None:
    column = Column.ragged([["a"], [], ["b", "c"]], Vocabularies())
    assert len(column) == 3
    assert column.counts.tolist() == [1, 0, 2]
    assert column.owners.tolist() == [0, 2, 2]
    assert not column.single
    assert Column(["a", "b"], Vocabularies()).single


def test_characters() -> None:
    column = Column(["a B\u3000c", "", "\ud800\U0010ffff"], Vocabularies())
    assert column.characters().ids.tolist() == [97, 66, 99, 0xD800, 0x10FFFF]
    assert column.characters().starts.tolist() == [0, 3, 3, 5]
    spaced = column.characters(whitespace=True, lowercase=True)
    assert spaced.ids.tolist() == [97, 32, 98, 0x3000, 99, 0xD800, 0x10FFFF]
    assert Column(["", ""], Vocabularies()).characters().ids.tolist() == []


@pytest.mark.parametrize("top", [5, 0xD7FF, 0xD800, 0x10F7FF, 0x10F800, 2**40])
def test_sequences_keep_equality_on_both_sides(top: int) -> None:
    small, large = (
        Encoded(np.array(ids), np.array([0, 1, 3]), 9) for ids in ([1, 2, 3], [1, 2, top])
    )
    left, right = sequences(small, large)
    assert left[0] == right[0]
    assert left[1][:1] == right[1][:1]
    assert left[1] != right[1]
    assert [len(text) for text in right] == [1, 2]
