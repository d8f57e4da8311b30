"""Resampling: against brute force, exact enumeration, sacrebleu, and its own error rate."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

import paraphrast
from paraphrast.stats import resampling as stats

ROWS = np.random.default_rng(5).normal(size=(13, 3))


@pytest.mark.parametrize("block", [1, 40, 1 << 22])
def test_bootstrap_sums_are_sums_of_drawn_rows(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(stats, "_BLOCK", block)
    found = stats.bootstrap_sums(ROWS, 50, seed=3)
    rng = np.random.default_rng(3)
    drawn = [rng.integers(0, 13, 13, dtype=np.int32) for _ in range(50)]
    np.testing.assert_allclose(found, [ROWS[rows].sum(axis=0) for rows in drawn], atol=1e-12)


def test_bootstrap_draws_every_row_equally_often() -> None:
    counts = stats.bootstrap_sums(np.eye(10), 4000, seed=1)
    assert (counts.sum(axis=1) == 10).all()  # as many rows as there are items
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.08)
    np.testing.assert_allclose(counts.var(axis=0), 0.9, atol=0.12)  # binomial: n p (1 − p)


def test_interval_is_of_percentiles() -> None:
    values = np.arange(1001.0)
    assert stats.interval(values) == pytest.approx((25, 975))
    assert stats.interval(values, 0.5) == pytest.approx((250, 750))
    assert stats.interval(np.array([1.0, np.nan, 1.0])) == (1.0, 1.0)


def test_interval_covers_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(11)
    covered = 0
    for trial in range(200):
        rows = rng.normal(size=(60, 1))
        low, high = stats.interval(stats.bootstrap_sums(rows, 300, seed=trial)[:, 0] / 60)
        covered += low <= 0 <= high
    assert 0.89 <= covered / 200 <= 0.985


# --- paired tests --------------------------------------------------------------------------------


def mean_difference(mine: np.ndarray, base: np.ndarray) -> np.ndarray:
    result: np.ndarray = (mine - base)[..., 0] / 8
    return result


def test_exchange_keeps_the_total() -> None:
    mine, base = ROWS[:8, :2], ROWS[5:, :2]
    left, right = stats.exchange_sums(mine, base, 30, seed=1)
    np.testing.assert_allclose(left + right, np.tile((mine + base).sum(axis=0), (30, 1)))


@pytest.mark.parametrize("shift", [0.0, 0.6, 1.5])
def test_exchange_p_is_that_of_all_permutations(shift: float) -> None:
    mine, base = ROWS[:8, :1] + shift, ROWS[5:, 1:2]
    gaps = (mine - base)[:, 0]
    observed = gaps.mean()
    every = [np.mean(np.array(signs) * gaps) for signs in product((1, -1), repeat=8)]
    exact = np.mean([abs(value) >= abs(observed) - 1e-12 for value in every])
    found = stats.exchange_p(
        mean_difference(*stats.exchange_sums(mine, base, 20_000, seed=2)), observed
    )
    assert found == pytest.approx(exact, abs=0.015)


def test_exchange_in_blocks_is_still_a_fair_coin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats, "_BLOCK", 64)
    mine, base = np.ones((21, 1)), np.zeros((21, 1))
    left, _ = stats.exchange_sums(mine, base, 4000, seed=3)
    assert left.mean() == pytest.approx(10.5, abs=0.2)
    assert left.var() == pytest.approx(21 / 4, abs=0.5)


def test_a_system_does_not_differ_from_itself() -> None:
    left, right = stats.exchange_sums(ROWS, ROWS, 100, seed=1)
    assert stats.exchange_p((left - right)[:, 0], 0.0) == 1
    draws = stats.bootstrap_sums(ROWS, 100, seed=1)[:, 0]
    assert stats.bootstrap_p(draws - draws, 0.0, items=40) == 1


def test_p_values_are_never_zero() -> None:
    mine, base = np.full((50, 1), 9.0), np.zeros((50, 1))
    left, right = stats.exchange_sums(mine, base, 999, seed=1)
    assert stats.exchange_p((left - right)[:, 0], 450.0) == 1 / 1000
    assert stats.bootstrap_p(np.full(999, 9.0), 9.0, items=40) == 1 / 1000
    # one segment proves nothing, and two hardly more
    assert stats.bootstrap_p(np.full(999, 9.0), 9.0, items=1) == 1
    assert stats.bootstrap_p(np.full(999, 9.0), 9.0, items=2) == 0.5


def test_undefined_resamples_do_not_count() -> None:
    differences = np.array([np.nan] * 500 + [-1.0, 1.0] * 50)
    assert stats.bootstrap_p(differences, 1.0, items=40) == 1
    assert stats.exchange_p(differences, 1.0) == 1


@pytest.mark.parametrize("method", ["bootstrap", "exchange"])
def test_error_of_the_first_kind_is_nominal(method: str) -> None:
    rng = np.random.default_rng(17)
    rejected = 0
    for trial in range(300):
        mine, base = rng.normal(size=(2, 40, 1))
        observed = float((mine - base).sum())
        if method == "bootstrap":
            draws = [stats.bootstrap_sums(side, 300, seed=trial)[:, 0] for side in (mine, base)]
            p = stats.bootstrap_p(draws[0] - draws[1], observed, items=60)
        else:
            left, right = stats.exchange_sums(mine, base, 300, seed=trial)
            p = stats.exchange_p((left - right)[:, 0], observed)
        rejected += p < 0.05
    assert 0.02 <= rejected / 300 <= 0.09  # 0.05 ± 3 standard errors


def test_sacrebleus_bootstrap_rejects_too_often() -> None:
    """Why ours differs: |difference| less its mean is not the null's distribution."""
    rng = np.random.default_rng(17)
    rejected = 0
    for trial in range(300):
        gaps = rng.normal(size=(40, 1))
        draws = stats.bootstrap_sums(gaps, 300, seed=trial)[:, 0]
        centred = np.abs(draws) - np.abs(draws).mean()
        rejected += ((centred > abs(gaps.sum())).sum() + 1) / 301 < 0.05
    assert rejected / 300 > 0.09


@pytest.mark.parametrize(("method", "kind"), [("bootstrap", "bs"), ("randomisation", "ar")])
@pytest.mark.parametrize("worse", [12, 40, 90])
def test_bleu_is_tested_as_sacrebleu_does(
    mrpc: tuple[list[str], list[str]],
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    kind: str,
    worse: int,
) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    base, references = mrpc[0][:300], mrpc[1][:300]
    # one system is hurt in every third segment, the other gets back some of it elsewhere
    system = [
        " ".join(t.split()[1:]) if n % 3 == 0 and n < worse * 3 else t for n, t in enumerate(base)
    ]
    system = [
        r if n % 50 == 1 else t for n, (t, r) in enumerate(zip(system, references, strict=True))
    ]
    systems = {"base": base, "system": system}
    (test,) = paraphrast.compare(
        systems, references, metrics="bleu", test=method, trials=2000
    ).tests
    oracle = PairedTest(list(systems.items()), {"BLEU": BLEU()}, [references], kind, n_samples=2000)
    _, scores = oracle()
    assert test.difference == pytest.approx(
        scores["BLEU"][1].score - scores["BLEU"][0].score, abs=1e-9
    )
    theirs = scores["BLEU"][1].p_value
    if kind == "ar":
        assert test.p == pytest.approx(theirs, abs=0.035)
    else:  # theirs is too small by up to one half
        assert theirs - 0.03 <= test.p <= 2 * theirs + 0.03


# --- several tests -------------------------------------------------------------------------------


def test_holm_by_hand() -> None:
    # sorted .005 .01 .03 .04 times 4 3 2 1: .02 .03 .06 .04, and the last may not fall below .06
    found = stats.holm([0.01, 0.04, 0.03, 0.005])
    assert found == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert stats.holm([0.6, 0.5]) == [1.0, 1.0]
    assert stats.holm([0.2]) == [0.2]
    assert stats.holm([]) == []


@given(p_values=st.lists(st.floats(0.001, 1), min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_holm_keeps_the_order_and_never_helps(p_values: list[float]) -> None:
    corrected = stats.holm(p_values)
    assert all(p <= c <= 1 for p, c in zip(p_values, corrected, strict=True))
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(np.array(corrected)[order]) >= 0).all()
    assert min(corrected) == pytest.approx(min(1.0, len(p_values) * min(p_values)))
