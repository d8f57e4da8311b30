"""Correlations, plain and resampled, against scipy and brute force."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast import stats
from paraphrast.errors import ConfigError, InputError
from paraphrast.stats.bootstrap import bootstrap_weights
from paraphrast.stats.correlation import CORRELATIONS

scipy_stats = pytest.importorskip("scipy.stats")
ORACLES: dict[str, Callable[[Any, Any], float]] = {
    "pearson": lambda x, y: scipy_stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: scipy_stats.spearmanr(x, y)[0],
    "kendall_b": lambda x, y: scipy_stats.kendalltau(x, y)[0],
    "kendall_c": lambda x, y: scipy_stats.kendalltau(x, y, variant="c")[0],
}
fuzz = settings(max_examples=60, deadline=None)
PAIRS = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=3, max_size=40).filter(
    lambda rows: len({x for x, _ in rows}) > 1 and len({y for _, y in rows}) > 1
)


@pytest.mark.parametrize("name", list(ORACLES))
@given(rows=PAIRS)
@fuzz
def test_equal_to_scipy_with_ties(name: str, rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, dtype=float).T
    ours = CORRELATIONS[name](x, y)  # type: ignore[index]
    assert ours == pytest.approx(ORACLES[name](x, y), abs=1e-12)
    assert CORRELATIONS[name](y, x) == pytest.approx(ours, abs=1e-12)  # type: ignore[index]
    assert -1 <= ours <= 1


@pytest.mark.parametrize("name", list(ORACLES))
def test_long_input_equals_scipy(name: str) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=3000)
    y = np.round(x + rng.normal(size=3000), 1)
    assert CORRELATIONS[name](x, y) == pytest.approx(ORACLES[name](x, y), abs=1e-12)  # type: ignore[index]


@given(rows=PAIRS, scale=st.floats(0.1, 50), shift=st.floats(-1000, 1000))
@fuzz
def test_linear_maps_change_nothing(
    rows: list[tuple[int, int]], scale: float, shift: float
) -> None:
    x, y = np.array(rows, dtype=float).T
    for name, function in CORRELATIONS.items():
        assert function(scale * x + shift, y) == pytest.approx(function(x, y), abs=1e-7), name
        assert function(-x, y) == pytest.approx(-function(x, y), abs=1e-9), name


@pytest.mark.parametrize("name", list(ORACLES))
@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]),
        ([1.0], [2.0]),
        ([], []),
        ([1.0, float("nan"), 2.0], [1.0, 2.0, 3.0]),
        ([1.0, 2.0, float("inf")], [1.0, 2.0, 3.0]),
        ([1.0, 2.0], [1.0, 2.0, 3.0]),
    ],
)
def test_the_undefined_is_an_error_never_nan(name: str, x: list[float], y: list[float]) -> None:
    with pytest.raises(InputError):
        CORRELATIONS[name](x, y)  # type: ignore[index]


@pytest.mark.parametrize("name", list(ORACLES))
@pytest.mark.parametrize("digits", [0, 6])
def test_resamples_equal_a_plain_loop(name: str, digits: int) -> None:
    rng = np.random.default_rng(3)
    human = np.round(rng.normal(size=35), digits)
    metrics = np.round(human + rng.normal(size=(3, 35)), digits)
    samples = 40
    drawn = stats.bootstrap_correlations(
        metrics, human, statistics=(name,), samples=samples, seed=9
    )  # type: ignore[arg-type]
    weights = np.concatenate(list(bootstrap_weights(35, samples, 9))).astype(int)
    expected = [
        [ORACLES[name](np.repeat(row, sample), np.repeat(human, sample)) for row in metrics]
        for sample in weights
    ]
    result = drawn[name]  # type: ignore[index]
    assert result.values == pytest.approx(np.array(expected), abs=1e-10)
    assert result.observed == pytest.approx([ORACLES[name](row, human) for row in metrics])
    assert weights.sum(axis=1).tolist() == [35] * samples


def test_intervals_hold_the_observed_and_p_values_tell_apart() -> None:
    rng = np.random.default_rng(4)
    human = rng.normal(size=400)
    metrics = np.stack([human + rng.normal(size=400), human + 4 * rng.normal(size=400), human**3])
    result = stats.bootstrap_correlations(metrics, human, samples=300)["pearson"]
    low, high = result.intervals().T
    assert (low < result.observed).all()
    assert (result.observed < high).all()
    p = result.p_values()
    assert p[0, 1] < 0.01
    assert np.diag(p).tolist() == [1, 1, 1]
    assert pytest.approx(p) == p.T


def test_samples_that_are_constant_are_left_out_or_too_many() -> None:
    human = [0.0, 0.0, 0.0, 1.0]
    metric = [[0.1, 0.2, 0.3, 0.9]]
    result = stats.bootstrap_correlations(metric, human, samples=200, seed=1)["pearson"]
    assert result.undefined > 0
    assert np.isfinite(result.values).all()
    with pytest.raises(InputError, match="too few distinct values"):
        stats.bootstrap_correlations([[0, 0, 0, 0, 0, 0, 0, 1.0]] * 2, [0, 0, 0, 0, 0, 0, 1.0, 0])
    with pytest.raises(ConfigError, match="draw at least one"):
        stats.bootstrap_correlations(metric, human, samples=0)
