"""Williams' test, Student's t and the permutation test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paraphrast import stats
from paraphrast.errors import ConfigError, InputError
from paraphrast.stats import significance
from paraphrast.stats.correlation import CORRELATIONS, standardise
from paraphrast.stats.ordering import average_ranks

scipy_stats = pytest.importorskip("scipy.stats")
RNG = np.random.default_rng(8)


@given(t=st.floats(-60, 60), degrees=st.integers(1, 5000))
@example(t=2.663533136976826e-161, degrees=97)  # its square is next to nothing
@settings(max_examples=200, deadline=None)
def test_student_equals_scipy(t: float, degrees: int) -> None:
    oracle = 2 * scipy_stats.t.sf(abs(t), degrees)
    assert stats.student_p(t, degrees) == pytest.approx(oracle, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("degrees", [47, 99_997, 10**6])
@pytest.mark.parametrize("t", [0.001, 0.1, 0.5, 1.0, 2.0, 5.0, 12.0])
def test_student_keeps_its_digits_with_many_degrees(t: float, degrees: int) -> None:
    oracle = 2 * scipy_stats.t.sf(t, degrees)
    assert stats.student_p(t, degrees) == pytest.approx(oracle, rel=1e-10)


@pytest.mark.parametrize("t", [0.0, 1e-12, 1e-8, 1e-3, 1.0, 1e6, 1e200])
def test_student_with_one_degree_is_an_arc_tangent(t: float) -> None:
    # scipy 1.17 has .99999999051 for t = 1e-8
    exact = 1 - 2 / math.pi * math.atan(t) if t < 2 else 2 / math.pi * math.atan(1 / t)
    assert stats.student_p(t, 1) == pytest.approx(exact, rel=1e-13)


def test_williams_is_undefined_for_a_mirror_image() -> None:
    human = RNG.normal(size=50)
    metric = human + RNG.normal(size=50)
    with pytest.raises(InputError, match="mirror image"):
        stats.williams(metric, 3 - metric, human)


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


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall_b", "kendall_c"])
@pytest.mark.parametrize("block", [70, 1 << 20])
def test_permutation_equals_a_plain_loop(
    monkeypatch: pytest.MonkeyPatch, statistic: str, block: int
) -> None:
    monkeypatch.setattr(significance, "_BLOCK", block)
    rng = np.random.default_rng(3)
    human = np.round(rng.normal(size=30), 1)
    first, second = np.round(human + rng.normal(size=(2, 30)), 1)
    values = (first, second) if statistic == "pearson" else map(average_ranks, (first, second))
    one, two = (standardise(v) for v in values)
    swaps = np.random.default_rng(5).random((60, 30)) < 0.5
    expected = [
        CORRELATIONS[statistic](np.where(s, two, one), human)  # type: ignore[index]
        - CORRELATIONS[statistic](np.where(s, one, two), human)  # type: ignore[index]
        for s in swaps
    ]
    coins = significance._swaps(60, np.arange(30), np.random.default_rng(5))
    found = significance._exchanged(one, two, human, statistic, coins)  # type: ignore[arg-type]
    assert found == pytest.approx(np.array(expected), abs=1e-12)


def test_nothing_to_exchange_is_an_error() -> None:
    human = RNG.normal(size=10)
    with pytest.raises(InputError, match="no items to exchange"):
        stats.permutation_p([])
    with pytest.raises(ConfigError, match="at least one exchange"):
        stats.permutation_p([(human, human, human)], samples=0)
    with pytest.raises(InputError, match=r"metrics\[1\] is constant"):
        stats.permutation_p([(human, np.ones(10), human)])
    with pytest.raises(InputError, match="9 items"):
        stats.permutation_p([(human[1:], human, human)])
    # of two items every second exchange is constant, which is no evidence against chance
    tiny = (np.array([0.0, 1.0]), np.array([1.0, 0.0]), np.array([1.0, 2.0]))
    assert stats.permutation_p([tiny], statistic="spearman", samples=20) == 1.0


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
    assert stats.normal_p(differences, 0.196, items=99) == pytest.approx(0.05, abs=0.002)
    assert stats.normal_p(np.zeros(10), 0.0, items=99) == 1.0
    assert stats.normal_p(np.full(10, 0.5), 0.5, items=99) == pytest.approx(1 / 11)


def test_normal_p_proves_nothing_from_three_items() -> None:
    differences = RNG.normal(0.3, 0.001, size=500)
    assert stats.normal_p(differences, 0.3, items=3) == 0.25
    assert stats.normal_p(np.array([np.nan, 1.0]), 1.0, items=50) == 1.0
