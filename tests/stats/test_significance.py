"""Williams' test, Student's t and the permutation test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast import stats
from paraphrast.errors import InputError

scipy_stats = pytest.importorskip("scipy.stats")
RNG = np.random.default_rng(8)


@given(t=st.floats(-60, 60), degrees=st.integers(1, 5000))
@settings(max_examples=200, deadline=None)
def test_student_equals_scipy(t: float, degrees: int) -> None:
    oracle = 2 * scipy_stats.t.sf(abs(t), degrees)
    assert stats.student_p(t, degrees) == pytest.approx(oracle, rel=1e-9, abs=1e-12)


def test_williams_equals_its_formula() -> None:
    human = RNG.normal(size=50)
    first, second = human + RNG.normal(size=50), human + 2 * RNG.normal(size=50)
    r = np.corrcoef([first, second, human])
    r12, r13, r23 = r[0, 1], r[0, 2], r[1, 2]
    n = 50
    # Steiger 1980, eq. 7: |R| is the determinant of the three correlations
    determinant = np.linalg.det(r)
    mean = (r13 + r23) / 2
    t = (r13 - r23) * math.sqrt(
        ((n - 1) * (1 + r12)) / (2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r12) ** 3)
    )
    found = stats.williams(first, second, human)
    assert found.t == pytest.approx(t)
    assert found.degrees == 47
    assert found.p == pytest.approx(2 * scipy_stats.t.sf(abs(t), 47))


def test_a_metric_does_not_differ_from_itself() -> None:
    human = RNG.normal(size=30)
    metric = human + RNG.normal(size=30)
    assert stats.williams(metric, 2 * metric + 1, human).p == pytest.approx(1.0)
    blocks = [(metric, metric.copy(), human)]
    for statistic in ("pearson", "spearman", "kendall_b"):
        assert stats.permutation_p(blocks, statistic=statistic, samples=50) == 1.0  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least 4 items"):
        stats.williams([1, 2, 3], [1, 3, 2], [1, 2, 3])


@pytest.mark.parametrize("statistic", ["pearson", "spearman"])
def test_a_clear_difference_is_found(statistic: str) -> None:
    human = RNG.normal(size=200)
    good, bad = human + 0.5 * RNG.normal(size=200), human + 5 * RNG.normal(size=200)
    p = stats.permutation_p([(good, bad, human)], statistic=statistic, samples=200)  # type: ignore[arg-type]
    assert p == pytest.approx(1 / 201)


def test_permutation_equals_all_exchanges_on_a_small_case() -> None:
    human = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 7.0])
    first, second = np.array([1.0, 3, 2, 5, 4, 6]), np.array([2.0, 1, 5, 3, 6, 4])
    one, two = ((v - v.mean()) / np.linalg.norm(v - v.mean()) for v in (first, second))

    def apart(swap: np.ndarray) -> float:
        a, b = np.where(swap, two, one), np.where(swap, one, two)
        return float(np.corrcoef(a, human)[0, 1] - np.corrcoef(b, human)[0, 1])

    swaps = [np.array([n >> bit & 1 for bit in range(6)], dtype=bool) for n in range(64)]
    exact = np.mean([abs(apart(s)) >= abs(apart(swaps[0])) - 1e-12 for s in swaps])
    p = stats.permutation_p([(first, second, human)], samples=20_000)
    assert p == pytest.approx(exact, abs=0.015)


def test_the_permutation_test_is_nominal_under_the_null() -> None:
    rejected = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        human = rng.normal(size=60)
        first, second = human + rng.normal(size=60), human + rng.normal(size=60)
        rejected += stats.permutation_p([(first, second, human)], samples=199, seed=seed) <= 0.05
    assert rejected <= 14  # 6 expected; P(X > 14) < .001


def test_normal_p_follows_the_standard_error() -> None:
    differences = RNG.normal(0.3, 0.1, size=20_000)
    assert stats.normal_p(differences, 0.196) == pytest.approx(0.05, abs=0.002)
    assert stats.normal_p(np.zeros(10), 0.0) == 1.0
    assert stats.normal_p(np.full(10, 0.5), 0.5) == pytest.approx(1 / 11)
