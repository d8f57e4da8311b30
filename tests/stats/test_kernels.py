"""Correlations under weights, at the sizes and in the precisions where the code takes turns."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast import stats
from paraphrast.stats import bootstrap, inversions, kernels, ranks
from paraphrast.stats.bootstrap import bootstrap_weights
from paraphrast.stats.kernels import kernel

scipy_stats = pytest.importorskip("scipy.stats")
ORACLES: dict[str, Callable[[Any, Any], float]] = {
    "pearson": lambda x, y: scipy_stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: scipy_stats.spearmanr(x, y)[0],
    "kendall_b": lambda x, y: scipy_stats.kendalltau(x, y)[0],
    "kendall_c": lambda x, y: scipy_stats.kendalltau(x, y, variant="c")[0],
}
ALL = pytest.mark.parametrize("name", list(ORACLES))


def _scores(items: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(items)
    human = rng.integers(0, 6, items).astype(float)
    return np.stack([rng.normal(size=items), rng.integers(0, items, items), human % 4]), human


def _plain(name: str, metrics: np.ndarray, human: np.ndarray, weights: np.ndarray) -> np.ndarray:
    samples = [np.repeat(np.arange(len(human)), row) for row in weights.astype(int)]
    return np.array([[ORACLES[name](row[i], human[i]) for row in metrics] for i in samples])


@ALL
@pytest.mark.parametrize("items", [31, 33, 63, 64, 65, 129, 500])
def test_equal_to_scipy_around_the_sizes_of_chunks_and_leaves(name: str, items: int) -> None:
    metrics, human = _scores(items)
    weights = np.concatenate(list(bootstrap_weights(items, 6, 1)))
    found = kernel(name, metrics, human)(weights)  # type: ignore[arg-type]
    assert found == pytest.approx(_plain(name, metrics, human, weights), abs=1e-12)


@ALL
def test_parts_threads_and_precision_change_nothing(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    metrics, human = _scores(300)
    weights = np.concatenate(list(bootstrap_weights(300, 23, 1)))
    whole = kernel(name, metrics, human)(weights)  # type: ignore[arg-type]
    monkeypatch.setattr(kernels, "_PART", 1)
    monkeypatch.setattr(kernels, "_ALONE", 1)
    monkeypatch.setattr(ranks, "_EXACT", 1)
    monkeypatch.setattr(inversions, "_LEAF", 5)
    parts = kernel(name, metrics, human)(weights)  # type: ignore[arg-type]
    assert parts == pytest.approx(whole, abs=1e-13)


@given(values=st.lists(st.integers(-3, 3), min_size=1, max_size=150), seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_ranks_within_a_sample_are_those_of_the_sample(values: list[int], seed: int) -> None:
    data = np.array(values, dtype=float)
    weights = np.random.default_rng(seed).integers(0, 4, (3, len(data))).astype(float)
    found, _ = ranks.SampleRanks(data)(ranks.columns_of(weights))
    for sample, column in zip(weights.astype(int), found.T, strict=True):
        drawn = np.repeat(np.arange(len(data)), sample)
        assert (column[drawn] + 0.5).tolist() == scipy_stats.rankdata(data[drawn]).tolist()


def test_single_precision_is_left_before_it_rounds() -> None:
    assert ranks.columns_of(np.full((1, 2), 1.0)).dtype == np.float32
    heavy = np.array([[2.0**23, 1.0, 2.0]])
    assert ranks.columns_of(heavy).dtype == np.float64
    found, _ = ranks.SampleRanks(np.array([1.0, 2.0, 3.0]))(ranks.columns_of(heavy))
    assert found[:3, 0].tolist() == [2.0**22, 2.0**23 + 0.5, 2.0**23 + 2]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=100), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_inversions_are_the_pairs_that_fall(values: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = len(values)
    items, weights = rng.permutation(size), rng.integers(0, 4, (2, size)).astype(float)
    falls = np.triu(np.greater.outer(values, values))
    expected = [row[items] @ falls @ row[items] for row in weights]
    assert inversions.Inversions(items, np.array(values))(weights).tolist() == expected


def test_pearson_keeps_its_digits_in_samples_without_the_outlier() -> None:
    metric = np.array([1e9, 1.0, 2.0, 4.0, 3.0])
    human = np.array([5.0, 1.0, 3.0, 3.5, 2.0])
    weights = np.array([[0, 1, 2, 1, 1], [1, 1, 1, 1, 1], [0, 0, 5, 0, 0]], dtype=float)
    found = kernel("pearson", metric[None], human)(weights)[:, 0]
    for sample, value in zip(weights[:2].astype(int), found, strict=False):
        x, y = np.repeat(metric, sample), np.repeat(human, sample)
        assert value == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-6)
    assert np.isnan(found[2])


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall_b"])
def test_memory_does_not_grow_with_the_samples(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(bootstrap, "_BLOCK", 1 << 17)
    rng = np.random.default_rng(1)
    metrics, human = rng.normal(size=(2, 10_000)), rng.normal(size=10_000)

    def peak(samples: int) -> int:
        tracemalloc.start()
        stats.bootstrap_correlations(metrics, human, statistics=(name,), samples=samples)  # type: ignore[arg-type]
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(260) < 1.1 * peak(52)
