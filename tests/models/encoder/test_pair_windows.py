"""Windows: everything is read, nothing twice for nothing, and the parts are put together right."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.models.encoder.pair_encoding import LOST, EncodedSide
from paraphrast.models.encoder.pair_reading import Relations
from paraphrast.models.encoder.pair_windows import (
    MOST_MEETINGS,
    NEAREST,
    WindowReading,
    combine,
    cut_pair,
    cuts,
    meetings,
)


def side(lengths: list[int], *, lost: bool = False) -> EncodedSide:
    """A text whose words have so many sub-words each; a word that is lost may follow."""
    first = np.cumsum([0, *lengths])[:-1].tolist() + [LOST] * lost
    return EncodedSide(np.arange(sum(lengths)), np.array(first, dtype=np.int64))


SIDES = st.builds(
    side, st.lists(st.integers(1, 5) | st.integers(1, 60), min_size=1, max_size=80),
    lost=st.booleans(),
)  # fmt: skip


@given(text=SIDES, size=st.integers(8, 60))
def test_spans_cover_the_text_and_fit(text: EncodedSide, size: int) -> None:
    spans = cuts(text, size)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(0 < end - start <= size for start, end in spans)
    for (start, end), (following, _) in pairwise(spans):
        assert start < following <= end
        assert end - start > size // 2
    if len(text) <= size:
        assert spans == [(0, len(text))]


@given(text=SIDES.filter(lambda text: len(text) > 100), size=st.integers(40, 60))
def test_short_words_are_never_cut(text: EncodedSide, size: int) -> None:
    starts = {*text.first.tolist(), len(text)}
    longest = int(np.diff(np.unique([*(starts - {LOST})])).max())
    if longest <= size // 2:
        assert {place for span in cuts(text, size) for place in span} <= starts


def test_windows_overlap_by_up_to_a_quarter_and_the_last_is_full() -> None:
    assert cuts(side([1] * 100), 40) == [(0, 40), (30, 70), (60, 100)]
    assert cuts(side([1] * 75), 40) == [(0, 40), (30, 70), (35, 75)]
    assert cuts(side([7] * 10), 40) == [(0, 35), (28, 63), (35, 70)]


def test_a_word_longer_than_a_window_is_cut_between_sub_words() -> None:
    assert cuts(side([100]), 40) == [(0, 40), (30, 70), (60, 100)]
    assert cuts(side([1, 60, 1]), 40) == [(0, 40), (22, 62)]


@given(a=SIDES, b=SIDES, budget=st.integers(16, 80))
def test_every_window_fits_and_every_word_is_read(
    a: EncodedSide, b: EncodedSide, budget: int
) -> None:
    cut = cut_pair(a, b, budget, budget)
    assert all(len(cut.a[i].side) + len(cut.b[j].side) <= budget for i, j in cut.meetings)
    assert {i for i, _ in cut.meetings} == set(range(len(cut.a)))
    assert {j for _, j in cut.meetings} == set(range(len(cut.b)))
    for text, pieces in ((a, cut.a), (b, cut.b)):
        read = {int(word) for piece in pieces for word in piece.words}
        assert read == set(np.flatnonzero(text.first != LOST).tolist())
        for piece in pieces:
            ids = piece.side.ids[piece.side.first]
            np.testing.assert_array_equal(ids, text.ids[text.first[piece.words]])
    if len(a) + len(b) <= budget:
        assert (len(cut.a), len(cut.b), cut.meetings) == (1, 1, [(0, 0)])
    elif min(len(a), len(b)) <= budget // 2:
        assert min(len(cut.a), len(cut.b)) == 1


@given(a=SIDES, b=SIDES)
def test_windows_may_be_smaller_than_what_is_read_at_once(a: EncodedSide, b: EncodedSide) -> None:
    cut = cut_pair(a, b, 60, 24)
    if len(a) + len(b) <= 60:
        assert cut.meetings == [(0, 0)]
    else:
        assert all(len(cut.a[i].side) + len(cut.b[j].side) <= 24 for i, j in cut.meetings)


@given(a=st.integers(1, 300), b=st.integers(1, 300))
def test_meetings_are_all_or_the_nearest(a: int, b: int) -> None:
    met, limited = meetings(a, b)
    assert len(set(met)) == len(met)
    if min(a, b) == 1 or a * b <= MOST_MEETINGS:
        assert (met, limited) == (list(product(range(a), range(b))), False)
        return
    assert limited
    assert len(met) <= NEAREST * (a + b)
    assert {i for i, _ in met} == set(range(a))
    assert {j for _, j in met} == set(range(b))
    assert all(abs((i + 0.5) / a - (j + 0.5) / b) <= NEAREST / min(a, b) for i, j in met)
    assert sorted((j, i) for i, j in met) == meetings(b, a)[0]


def window_reading(
    score: float, relations: float | Relations, a: list[float], b: list[float]
) -> WindowReading:
    told = relations if isinstance(relations, Relations) else Relations(relations)
    return WindowReading(score, told, *(np.array([[s, 0.0] for s in side]) for side in (a, b)))


def test_windows_are_put_together_as_documented() -> None:
    a, b = side([1] * 4), side([1] * 12, lost=True)
    cut = cut_pair(a, b, 12, 12)  # a stays whole; b: words 0–7 and 4–11
    assert [piece.words.tolist() for piece in cut.b] == [[*range(8)], [*range(4, 12)]]
    first = window_reading(0.5, 3.0, [1, -1, 2, 0], [1, 2, 3, 4, 5, 6, 7, 8])
    second = window_reading(-0.5, -2.0, [0, 1, -2, 3], [9, -9, 9, -9, 1, 1, 1, 1])
    reading = combine(cut, [first, second], 4, 13)
    assert reading.score == pytest.approx((0.0 + 0.5) / 2)  # over b: (.5 − .5) / 2; over a: .5
    assert reading.entailment == -2.0
    assert reading.tags_a[:, 0].tolist() == [1, 1, 2, 3]
    assert reading.tags_b[:, 0].tolist() == [1, 2, 3, 4, 9, 6, 9, 8, 1, 1, 1, 1, 0]
    assert (reading.windows, reading.limited) == (2, False)


def test_entailment_is_the_weakest_of_the_strongest_and_windows_weigh_by_words() -> None:
    a, b = side([1] * 24), side([2] * 3 + [1] * 10)
    cut = cut_pair(a, b, 16, 16)
    assert (len(cut.a), [len(piece.words) for piece in cut.b]) == (4, [5, 8, 8])
    table = np.random.default_rng(0).normal(size=(2, len(cut.a), len(cut.b)))
    readings = [
        window_reading(*table[:, i, j], [0] * len(cut.a[i].words), [0] * len(cut.b[j].words))
        for i, j in cut.meetings
    ]
    reading = combine(cut, readings, 24, 13)
    weights_a, weights_b = ([len(p.words) for p in pieces] for pieces in (cut.a, cut.b))
    x = sum(w * max(table[0, :, j]) for j, w in enumerate(weights_b)) / sum(weights_b)
    y = sum(w * max(table[0, i]) for i, w in enumerate(weights_a)) / sum(weights_a)
    assert reading.score == pytest.approx((x + y) / 2)
    assert reading.entailment == pytest.approx(min(max(column) for column in table[1].T))


def test_relations_of_windows_are_put_together_as_documented() -> None:
    a, b = side([1] * 24), side([1] * 24)
    cut = cut_pair(a, b, 16, 16)
    rng = np.random.default_rng(1)
    score, forward, backward, against, same = rng.normal(size=(5, len(cut.a), len(cut.b)))
    readings = [
        window_reading(
            score[met],
            Relations(forward[met], backward[met], against[met], same[met]),
            [0] * len(cut.a[met[0]].words),
            [0] * len(cut.b[met[1]].words),
        )
        for met in cut.meetings
    ]
    found = combine(cut, readings, 24, 24).relations
    assert found.complete
    assert found.forward == min(max(column) for column in forward.T)
    assert found.backward == min(max(row) for row in backward)
    assert found.same == min(found.forward, found.backward)
    partners = [max(range(len(cut.a)), key=lambda i: score[i, j]) for j in range(len(cut.b))]
    assert found.contradiction == max(against[i, j] for j, i in enumerate(partners))


def test_windows_of_format_1_leave_unsaid_what_they_do_not_know() -> None:
    a, b = side([1] * 4), side([1] * 12)
    cut = cut_pair(a, b, 12, 12)
    readings = [window_reading(0.0, 1.0, [0] * 4, [0] * 8) for _ in cut.meetings]
    found = combine(cut, readings, 4, 12).relations
    assert found.forward == 1.0
    assert not found.complete
    assert np.isnan([found.backward, found.contradiction, found.same]).all()
