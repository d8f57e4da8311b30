"""The n-gram kernel against counters."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.text import ngrams
from paraphrast.text.column import Encoded
from paraphrast.text.ngrams import clipped_matches, overlap, take, totals

Text = list[int]
# few ids make matches, huge ones need more bits than a key has
IDS = st.sampled_from([0, 1, 2, 3]) | st.sampled_from([2**40, 2**40 + 1, 2**31, 70_000])
TEXTS = st.lists(IDS, max_size=9)
GROUPS = st.lists(
    st.tuples(st.lists(TEXTS, max_size=2), st.lists(TEXTS, max_size=3)), min_size=1, max_size=6
)
fuzz = settings(max_examples=80, deadline=None)


def encode(texts: list[Text]) -> Encoded:
    ids = np.array([i for text in texts for i in text], dtype=np.int64)
    starts = np.array([0, *accumulate(map(len, texts))], dtype=np.int64)
    return Encoded(ids, starts, int(ids.max(initial=0)) + 1)


def grams(text: Text, n: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))


def brute_force(left: list[Text], right: list[Text], n: int) -> tuple[int, int, int, int]:
    mine: Counter[tuple[int, ...]] = Counter()
    for text in left:
        mine += grams(text, n)
    theirs: Counter[tuple[int, ...]] = Counter()
    for text in right:
        theirs |= grams(text, n)
    shared = mine & theirs
    return sum(shared.values()), len(shared), len(mine), len(theirs)


def check(groups: list[tuple[list[Text], list[Text]]], orders: int) -> None:
    left, right = ([text for group in groups for text in group[side]] for side in (0, 1))
    owners = [np.repeat(np.arange(len(groups)), [len(g[side]) for g in groups]) for side in (0, 1)]
    found = overlap(encode(left), encode(right), *owners, len(groups), orders)
    tables = np.stack([found.matches, found.types, found.left_types, found.right_types], axis=2)
    matches = clipped_matches(encode(left), encode(right), *owners, len(groups), orders)
    assert matches.tolist() == found.matches.tolist()
    expected = [[brute_force(*group, n) for n in range(1, orders + 1)] for group in groups]
    assert tables.tolist() == np.array(expected).reshape(len(groups), orders, 4).tolist()


@given(groups=GROUPS, orders=st.integers(1, 6))
@fuzz
def test_overlap_is_what_counters_say(
    groups: list[tuple[list[Text], list[Text]]], orders: int
) -> None:
    check(groups, orders)


@pytest.mark.parametrize("bits", [1, 12])
def test_overlap_renumbers_when_keys_would_not_fit(
    monkeypatch: pytest.MonkeyPatch, bits: int
) -> None:
    monkeypatch.setattr(ngrams, "_KEY_BITS", bits)
    fuzz(given(groups=GROUPS, orders=st.integers(1, 5))(check))()


def test_a_huge_vocabulary_fills_the_key() -> None:
    # 2^17 different ids and 4,096 groups: the third order needs 51 + 12 + 1 bits, one too many
    rng = np.random.default_rng(1)
    ids = rng.permutation(1 << 17)
    texts = [list(map(int, part)) for part in np.array_split(ids, 4096)]
    other = [text[: len(text) // 2] + text[len(text) // 2 :][::-1] for text in texts]
    groups = np.arange(4096)
    found = overlap(encode(texts), encode(other), groups, groups, 4096, 4)
    for row in (0, 1, 4095):
        expected = [brute_force([texts[row]], [other[row]], n)[0] for n in range(1, 5)]
        assert found.matches[row].tolist() == expected


def test_a_key_fits_even_when_every_n_gram_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """One renumbering is not always enough: the combined n-gram may still be too long.

    400 ids take 9 bits and 800 bigrams 10, so a trigram made of both takes 19; group and side
    leave it 18 of 20.
    """
    monkeypatch.setattr(ngrams, "_KEY_BITS", 20)
    sizes: list[int] = []
    count = ngrams._count

    def spy(keys: np.ndarray, *rest: Any) -> None:
        sizes.append(int(keys.max()).bit_length())
        count(keys, *rest)

    monkeypatch.setattr(ngrams, "_count", spy)
    texts = [list(range(200)), list(range(200, 400))]
    check([([text], [text[::-1]]) for text in texts], 4)
    assert len(sizes) == 8
    assert max(sizes) <= 20


@pytest.mark.parametrize("orders", [1, 3])
def test_no_texts_and_empty_texts(orders: int) -> None:
    none = np.zeros(0, dtype=np.int64)
    assert overlap(encode([]), encode([]), none, none, 0, orders).matches.shape == (0, orders)
    check([([[]], [[]]), ([], []), ([[1]], []), ([], [[1]])], orders)


@given(texts=st.lists(TEXTS, min_size=1, max_size=5), rows=st.lists(st.integers(0, 4), max_size=7))
@fuzz
def test_take_gathers_texts(texts: list[Text], rows: list[int]) -> None:
    rows = [row % len(texts) for row in rows]
    taken = take(encode(texts), np.array(rows, dtype=np.int64))
    ids = taken.ids.tolist()
    bounds = taken.starts.tolist()
    assert [ids[a:b] for a, b in pairwise(bounds)] == [texts[r] for r in rows]


def test_totals() -> None:
    # a text of 3 words has 3 unigrams, 2 bigrams, 1 trigram and no 4-gram
    assert totals(np.array([3, 0, 5]), 4).tolist() == [[3, 2, 1, 0], [0, 0, 0, 0], [5, 4, 3, 2]]


@given(
    left=st.lists(TEXTS, min_size=1, max_size=2),
    right=st.lists(TEXTS, max_size=3),
    orders=st.integers(1, 5),
)
def test_one_group_counted_with_dictionaries_is_what_sorting_gives(
    left: list[Text], right: list[Text], orders: int
) -> None:
    groups = np.zeros(len(left), dtype=np.int64), np.zeros(len(right), dtype=np.int64)
    few = clipped_matches(encode(left), encode(right), *groups, 1, orders)
    many = overlap(encode(left), encode(right), *groups, 1, orders).matches
    assert few.tolist() == many.tolist()
