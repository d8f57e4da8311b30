"""P, R and F from tag logits."""

from __future__ import annotations

import numpy as np
import pytest

from paraphrast.models.encoder.pair_reading import Reading
from paraphrast.models.encoder.tag_scores import (
    mean_logits,
    mean_probabilities,
    probability,
    sigmoid,
    support,
)


def reading(a: list[list[float]], b: list[list[float]]) -> Reading:
    sides = (np.array(side, dtype=np.float64).reshape(-1, 2) for side in (a, b))
    return Reading(0.0, 0.0, *sides)


def test_support_and_probability_of_words() -> None:
    logits = np.array([[2.0, 0.0], [0.5, 1.5], [3.0, 3.0]])
    assert support(logits).tolist() == [2.0, -1.0, 0.0]
    # 1 / (1 + e^−2), 1 / (1 + e)
    assert probability(logits) == pytest.approx([0.880797, 0.268941, 0.5], abs=1e-6)


def test_extreme_logits_do_not_overflow() -> None:
    assert sigmoid(np.array([-1e4, 1e4])).tolist() == [0.0, 1.0]


def test_precision_is_of_the_candidate_and_f_pools_the_words() -> None:
    found = mean_logits(reading([[1, 0], [4, 0]], [[-1, 0]]))
    assert (found.precision, found.recall, found.f) == pytest.approx((-1.0, 2.5, 4 / 3))
    found = mean_probabilities(reading([[100, 0], [100, 0]], [[-100, 0]]))
    assert (found.precision, found.recall, found.f) == pytest.approx((0, 1, 2 / 3))


def test_words_the_encoder_never_saw_do_not_count() -> None:
    with_lost = reading([[1, 0], [0, 0]], [[2, 0], [0, 0], [3, 0]])
    without = reading([[1, 0]], [[2, 0], [3, 0]])
    assert mean_logits(with_lost) == mean_logits(without)
    assert mean_probabilities(with_lost) == mean_probabilities(without)


@pytest.mark.parametrize(
    ("a", "b", "logits", "shares"),
    [
        ([], [], (10, 10, 10), (1, 1, 1)),
        ([[0, 0]], [], (10, 10, 10), (1, 1, 1)),  # nothing that was seen
        ([], [[100, 0]], (100, -10, 100), (1, 0, 1)),
        ([[100, 0]], [], (-10, 100, 100), (0, 1, 1)),
    ],
)
def test_means_over_no_words(
    a: list[list[float]],
    b: list[list[float]],
    logits: tuple[float, ...],
    shares: tuple[float, ...],
) -> None:
    found = mean_logits(reading(a, b)), mean_probabilities(reading(a, b))
    assert (found[0].precision, found[0].recall, found[0].f) == logits
    assert (found[1].precision, found[1].recall, found[1].f) == pytest.approx(shares)
