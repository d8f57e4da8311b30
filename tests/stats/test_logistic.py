"""Logistic regression against closed cases and its own conditions; calibration by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from paraphrast.errors import InputError
from paraphrast.stats.logistic import expected_calibration_error, fit_logistic

RIDGE = 1e-3


def test_two_groups_get_their_own_odds() -> None:
    """With one feature, 0 or 1, the fitted chances are the shares: 1 in 4 and 3 in 5."""
    features = np.array([[0.0]] * 4 + [[1.0]] * 5)
    gold = np.array([True, False, False, False, True, True, True, False, False])
    slope, bias = fit_logistic(features, gold)
    assert bias == pytest.approx(math.log(1 / 3), abs=0.02)  # the ridge pulls a little
    assert slope + bias == pytest.approx(math.log(3 / 2), abs=0.02)


def test_without_a_feature_the_bias_is_the_log_odds() -> None:
    found = fit_logistic(np.zeros((10, 1)), np.array([True] * 8 + [False] * 2))
    assert found == pytest.approx([0.0, math.log(4)], abs=1e-9)


def test_a_feature_that_tells_all_stays_finite() -> None:
    slope, bias = fit_logistic(np.array([[-1.0], [1.0]]), np.array([False, True]))
    assert 3 < slope < 10
    assert bias == pytest.approx(0, abs=1e-6)


def test_without_a_bias_there_is_none() -> None:
    features, gold = np.array([[1.0], [2.0], [-1.0]]), np.array([True, True, True])
    gold[2] = False
    assert fit_logistic(features, gold, bias=False).shape == (1,)


def test_a_weight_counts_like_copies() -> None:
    rng = np.random.default_rng(0)
    features, gold = rng.normal(size=(30, 2)), rng.random(30) < 0.5
    counts = rng.integers(1, 4, 30)
    weighed = fit_logistic(features, gold, weights=counts.astype(float))
    copied = fit_logistic(features.repeat(counts, axis=0), gold.repeat(counts))
    assert weighed == pytest.approx(copied, abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("bias", [True, False])
def test_it_finds_what_a_general_optimiser_finds(seed: int, bias: bool) -> None:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(200, 2))
    gold = rng.random(200) < expit(features @ [2.0, -1.0] + 0.5)
    columns = np.column_stack([features, np.ones(200)]) if bias else features

    def loss(guess: np.ndarray) -> float:
        logits = columns @ guess
        ridge = RIDGE * len(gold) / 2 * float((guess[:2] ** 2).sum())
        return float(np.logaddexp(0, logits).sum() - logits[gold].sum()) + ridge

    theirs = minimize(loss, np.zeros(columns.shape[1]), tol=1e-10).x
    assert fit_logistic(features, gold, bias=bias) == pytest.approx(theirs, abs=1e-4)


@pytest.mark.parametrize("label", [True, False])
def test_one_answer_cannot_be_fitted(label: bool) -> None:
    with pytest.raises(InputError, match=r"^all answers are the same: there is nothing to fit$"):
        fit_logistic(np.zeros((2, 1)), np.array([label, label]))


def test_rows_and_answers_must_match() -> None:
    with pytest.raises(InputError, match=r"^2 rows of features for 1 answers$"):
        fit_logistic(np.zeros((2, 1)), np.array([True]))
    with pytest.raises(InputError, match=r"^0 rows of features for 0 answers$"):
        fit_logistic(np.zeros((0, 1)), np.array([], dtype=bool))


# --- calibration ---------------------------------------------------------------------------------


def test_calibration_error_by_hand() -> None:
    """.1 and .15 in one bin, one of two right; .95 right; .9 and 1 share the last bin."""
    chance = np.array([0.10, 0.15, 0.95, 1.0])
    gold = np.array([True, False, True, False])
    first = abs(0.10 + 0.15 - 1)
    last = abs(0.95 + 1.0 - 1)
    assert expected_calibration_error(chance, gold) == pytest.approx((first + last) / 4)


def test_shares_that_hold_have_no_error() -> None:
    chance = np.full(10, 0.3)
    gold = np.arange(10) < 3
    assert expected_calibration_error(chance, gold) == pytest.approx(0)
    assert expected_calibration_error(chance, ~gold) == pytest.approx(0.4)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40),
    st.integers(1, 20),
)
def test_the_error_is_a_share_and_no_less_than_that_of_one_bin(
    rows: list[tuple[float, bool]], bins: int
) -> None:
    chance = np.array([value for value, _ in rows])
    gold = np.array([label for _, label in rows])
    found = expected_calibration_error(chance, gold, bins=bins)
    assert -1e-12 <= found <= 1 + 1e-12
    assert found >= abs(chance.mean() - gold.mean()) - 1e-9


def test_chances_and_answers_must_match() -> None:
    with pytest.raises(InputError, match=r"^1 probabilities for 2 answers$"):
        expected_calibration_error(np.array([0.5]), np.array([True, False]))
