"""Whole clusters are resampled and exchanged, since items of one are not independent."""

from __future__ import annotations

import numpy as np
import pytest

from paraphrast.stats import bootstrap_correlations, pearson, permutation_p

RNG = np.random.default_rng(7)
HUMAN = RNG.normal(size=30)
SCORES = HUMAN + RNG.normal(size=30)


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall_b", "kendall_c"])
def test_clusters_of_one_item_change_nothing(statistic: str) -> None:
    plain, clustered = (
        bootstrap_correlations(
            [SCORES], HUMAN, statistics=(statistic,), samples=50, seed=3, clusters=clusters
        )[statistic].values  # type: ignore[index]
        for clusters in (None, np.arange(30))
    )
    np.testing.assert_array_equal(plain, clustered)


def test_a_sample_repeats_whole_clusters() -> None:
    clusters = np.repeat(np.arange(10), 3)
    found = bootstrap_correlations([SCORES], HUMAN, samples=20, seed=3, clusters=clusters)
    rng = np.random.default_rng(3)
    drawn = rng.integers(0, 10, (20, 10), dtype=np.int32)
    expected = []
    for row in drawn:
        items = np.concatenate([np.flatnonzero(clusters == one) for one in row])
        expected.append(pearson(SCORES[items], HUMAN[items]))
    np.testing.assert_allclose(found["pearson"].values[:, 0], expected)


def test_copies_of_items_tell_no_more_than_the_items() -> None:
    human, scores = np.repeat(HUMAN, 5), np.repeat(SCORES, 5)
    clusters = np.repeat(np.arange(30), 5)
    once = bootstrap_correlations([SCORES], HUMAN, samples=400, seed=1)["pearson"]
    whole = bootstrap_correlations([scores], human, samples=400, seed=1, clusters=clusters)
    alone = bootstrap_correlations([scores], human, samples=400, seed=1)["pearson"]
    np.testing.assert_allclose(whole["pearson"].values, once.values)
    assert alone.values.std() < 0.6 * once.values.std()


def test_exchanges_of_whole_clusters() -> None:
    worse = HUMAN + 1.5 * RNG.normal(size=30)
    block = SCORES, worse, HUMAN
    once = permutation_p([block], samples=500, seed=2)
    assert once == permutation_p([block], samples=500, seed=2, clusters=[np.arange(30)])
    copies = tuple(np.repeat(one, 5) for one in block)
    together = permutation_p(
        [copies],  # type: ignore[list-item]
        samples=500,
        seed=2,
        clusters=[np.repeat(np.arange(30), 5)],
    )
    assert together == pytest.approx(once, abs=0.02)
