"""Agreement on pairs, against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast import stats
from paraphrast.errors import InputError
from paraphrast.stats import pairwise


def test_darr_counts_a_tie_as_discordant() -> None:
    assert stats.darr_tau([2, 1, 3, 1], [1, 1, 1, 2]) == 0.0
    assert stats.darr_tau([2], [1]) == 1.0
    with pytest.raises(InputError, match="there are no pairs"):
        stats.darr_tau([], [])


def test_pairs_are_made_from_differences_of_25_or_more() -> None:
    ratings = [80.0, 55.0, 54.0, 10.0, 90.0]
    items = ["a", "a", "a", "b", "b"]
    better, worse = stats.darr_pairs(ratings, items)
    # 80 − 55 is exactly 25, WMT's minimum required difference
    assert sorted(zip(better.tolist(), worse.tolist(), strict=True)) == [(0, 1), (0, 2), (4, 3)]
    better, worse = stats.darr_pairs([1.0, 1.0, 2.0], ["a"] * 3, threshold=0)
    assert sorted(zip(better.tolist(), worse.tolist(), strict=True)) == [(2, 0), (2, 1)]


@pytest.mark.parametrize("items", [["a", "a"], ["a"] * 4])
def test_every_rating_needs_the_name_of_its_item(items: list[str]) -> None:
    with pytest.raises(InputError, match="name one for each"):
        stats.darr_pairs([1.0, 50.0, 90.0], items)
    with pytest.raises(InputError, match="name one for each"):
        stats.tie_calibrated_accuracy([1, 2, 3], [1, 2, 3], items)


ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from("abc")),
    min_size=3,
    max_size=14,
).filter(
    lambda rows: (
        len({r[0] for r in rows}) > 1
        and len({r[1] for r in rows}) > 1
        and any(a[2] == b[2] for a, b in combinations(rows, 2))
    )
)


@given(rows=ROWS)
@settings(max_examples=200, deadline=None)
def test_tie_calibration_equals_trying_every_threshold(rows: list[tuple[int, int, str]]) -> None:
    metric, human, items = zip(*rows, strict=True)
    pairs = [(a, b) for a, b in combinations(range(len(rows)), 2) if items[a] == items[b]]

    def accuracy(epsilon: float) -> float:
        right = 0
        for a, b in pairs:
            gap = metric[a] - metric[b]
            mine = 0 if abs(gap) <= epsilon else np.sign(gap)
            right += mine == np.sign(human[a] - human[b])
        return right / len(pairs)

    best = max(accuracy(e) for e in {0, *(abs(metric[a] - metric[b]) for a, b in pairs)})
    found = stats.tie_calibrated_accuracy(metric, human, items)
    assert found.accuracy == pytest.approx(best)
    assert accuracy(found.epsilon) == pytest.approx(best)


def test_pairwise_accuracy_counts_pairs_people_tell_apart() -> None:
    assert stats.pairwise_accuracy([1, 2, 2, 5], [1, 2, 3, 3]) == pytest.approx(4 / 5)


def test_soft_accuracy_compares_confidence() -> None:
    rng = np.random.default_rng(1)
    human = rng.normal(size=(4, 50)) + np.arange(4)[:, None]
    assert stats.soft_pairwise_accuracy(human, human) == 1.0
    assert stats.soft_pairwise_accuracy(3 * human + 1, human) == 1.0
    assert stats.soft_pairwise_accuracy(-human, human) < 0.2
    with pytest.raises(InputError, match="at least two systems"):
        stats.soft_pairwise_accuracy([[1.0, 2.0]], [[1.0, 2.0]])


def test_soft_accuracy_is_the_same_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    metric, human = rng.normal(size=(5, 30)), rng.normal(size=(5, 30))
    whole = stats.soft_pairwise_accuracy(metric, human, samples=101)
    monkeypatch.setattr(pairwise, "_BLOCK", 210)
    assert stats.soft_pairwise_accuracy(metric, human, samples=101) == whole


def test_soft_accuracy_equals_the_definition() -> None:
    rng = np.random.default_rng(6)
    metric, human = rng.normal(size=(3, 8)), rng.normal(size=(3, 8))
    signs = [np.array([1 - 2 * (n >> bit & 1) for bit in range(8)]) for n in range(256)]

    def p(gaps: np.ndarray) -> float:
        return float(np.mean([(gaps * s).sum() >= gaps.sum() - 1e-12 for s in signs]))

    pairs = list(combinations(range(3), 2))
    exact = np.mean([1 - abs(p(metric[a] - metric[b]) - p(human[a] - human[b])) for a, b in pairs])
    found = stats.soft_pairwise_accuracy(metric, human, samples=40_000)
    assert found == pytest.approx(exact, abs=0.01)
