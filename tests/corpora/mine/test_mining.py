"""Mining equals its definition, whatever the blocks, shards and searches."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.corpora.mine import exact, mining, neighbours
from paraphrast.corpora.mine.mining import read_sorted, write_sorted
from paraphrast.corpora.mine.neighbours import MOST_TEXTS, Wanted, unpacked
from paraphrast.errors import InputError
from tests.corpora.stubs import Stub, brute, mined

WORDS = st.sampled_from(
    ["a", "A", "a.", "b", "c", "C!", "d", "e", "f", "0", "", " ", "a b", "a  b"]
)
TEXTS = st.lists(WORDS | st.integers(0, 40).map(str), min_size=0, max_size=30)
WANTED = st.builds(
    Wanted,
    st.integers(1, 6),
    st.sampled_from([-0.99, -0.5, 0.0, 0.3, 0.5, 0.8, 0.95, 1.0]),
    st.booleans(),
)


@pytest.fixture(params=[(1, 1, 4), (3, 2, 16), (2048, 16, 4096)])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Products of several sizes, and searches that must ask again for more neighbours."""
    step, more, most = request.param
    monkeypatch.setattr(exact, "STEP", step)
    monkeypatch.setattr(neighbours, "_MORE", more)
    monkeypatch.setattr(neighbours, "_MOST", max(most, 64))


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("search", ["exact", "approximate"])
@settings(max_examples=30)
@given(texts=TEXTS, wanted=WANTED, shard=st.integers(1, 9))
def test_pairs_inside_a_file_are_those_of_the_definition(
    search: str, texts: list[str], wanted: Wanted, shard: int
) -> None:
    texts = [*texts, "one", "two"]
    stub = Stub()
    found = mined(texts, wanted=wanted, shard=shard, search=search)
    if search == "exact":
        assert found == brute(stub, texts, None, wanted)
    else:  # with few texts all cells are probed, but ties at the end of top-k may fall otherwise
        assert {pair.score for pair in found} <= {
            pair.score for pair in brute(stub, texts, None, Wanted(99, -0.999, True))
        }


@pytest.mark.usefixtures("blocks")
@settings(max_examples=30)
@given(texts=TEXTS, others=TEXTS, wanted=WANTED, shard=st.integers(1, 9))
def test_pairs_between_two_files_are_those_of_the_definition(
    texts: list[str], others: list[str], wanted: Wanted, shard: int
) -> None:
    texts, others = [*texts, "one"], [*others, "two", "one"]
    found = mined(texts, others, wanted=wanted, shard=shard)
    assert found == brute(Stub(), texts, others, wanted)


def test_notes_count_what_was_left_out() -> None:
    notes: list[str] = []
    texts = ["a", "A.", "", "a", "0", "b", " ", "a!", "B", "0 "]
    mined(texts, wanted=Wanted(2, -0.9), tell=notes.extend)
    assert notes == [
        "texts: left out 2 empty texts",
        "texts: left out 2 texts that an earlier row holds already",
        "texts: left out 1 text without a sub-word that the model knows, the first in row 5",
        "left out 4 pairs equal but for case, white space and punctuation; --keep-trivial keeps "
        "them",
    ]
    notes.clear()
    stub = Stub(levels=50)
    pair = ["a", "A", "x"], ["A", "a.", "y"]
    mined(*pair, embedder=stub, wanted=Wanted(2, 1.0), tell=notes.extend)
    assert notes == [
        "left out 4 pairs equal but for case, white space and punctuation; --keep-trivial keeps "
        "them",
        "no pair reaches the threshold of 1",
    ]
    notes.clear()
    mined(["a", "b", "A"], wanted=Wanted(2, -0.9, keep_trivial=True), tell=notes.extend)
    assert notes == []


@pytest.mark.parametrize(
    ("texts", "others", "message"),
    [
        (["a", "a", ""], None, "texts: of 3 texts, 1 can be mined"),
        (["a", "0"], None, "texts: of 2 texts, 1 can be mined"),
        ([], None, "texts: of 0 texts, 0 can be mined"),
        (["a"], [""], "others: of 1 text, 0 can be mined"),
        (["0"], ["a"], "texts: of 1 text, 0 can be mined"),
    ],
)
def test_too_few_texts_are_an_error(
    texts: list[str], others: list[str] | None, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        mined(texts, others)
    why = "there is nothing to pair" if others else "a pair takes two"
    assert str(caught.value) == (
        f"{message} (empty, repeated and very long ones and those without a known sub-word are "
        f"left out); {why}"
    )


def test_too_many_texts_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mining, "MOST_TEXTS", 2)
    with pytest.raises(InputError, match="texts has 3 distinct texts; at most 2 can be mined"):
        mined(["a", "b", "c"])


def test_the_search_is_exact_up_to_a_size_and_says_when_it_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notes: list[str] = []
    texts = [str(number) for number in range(1, 8)]
    exactly = mined(texts, search=None, tell=notes.extend)
    assert notes == []
    monkeypatch.setattr(mining, "EXACT_UP_TO", 6)
    assert mined(texts, search=None, tell=notes.extend) == exactly
    assert notes == [
        "searched approximately, as is the default above 6 texts: a few pairs may be missing; "
        "--search exact finds all"
    ]
    notes.clear()
    mined(["a"], texts, search=None, tell=notes.extend)  # 7 comparisons, not 36
    assert notes == []


def test_the_largest_numbers_fit_into_a_pair(tmp_path: Path) -> None:
    import numpy as np

    packed = np.array([0, (20_000 << 48) | (MOST_TEXTS - 1) << 24 | (MOST_TEXTS - 1)], np.uint64)
    scores, ones, twos = unpacked(packed)
    assert scores.tolist() == [1.0, -1.0]
    assert ones.tolist() == twos.tolist() == [0, MOST_TEXTS - 1]
    assert write_sorted([packed[1:], packed, packed[:1]], tmp_path / "pairs") == 2
    assert np.concatenate(list(read_sorted(tmp_path / "pairs"))).tolist() == packed.tolist()
    assert write_sorted([], tmp_path / "none") == 0
    assert list(read_sorted(tmp_path / "none")) == []


def test_equal_pairs_meet_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    monkeypatch.setattr("paraphrast.corpora.mine.mining._READ_AT_ONCE", 2)
    given_pairs = np.array([5, 1, 5, 3, 5, 5, 1, 9], dtype=np.uint64)
    assert write_sorted([given_pairs], tmp_path / "pairs") == 4
    found = [block.tolist() for block in read_sorted(tmp_path / "pairs")]
    assert [number for block in found for number in block] == [1, 3, 5, 9]
