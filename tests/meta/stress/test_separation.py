"""AUC and accuracy of values on the stress suite, with their intervals."""

from __future__ import annotations

import numpy as np
import pytest

from paraphrast.errors import InputError
from paraphrast.meta.stress.separation import separations
from paraphrast.meta.stress.suite import REPORTING, TUNING, StressPair, stress_kinds, stress_pairs


def pair(number: int, same: bool, half: str, kind: str = "number") -> StressPair:
    return StressPair(f"{kind}-{number}", kind, half, same, "a", "b")


def test_a_perfect_metric_is_perfect_and_its_reverse_is_not() -> None:
    pairs = stress_pairs()
    right = [float(pair.same) for pair in pairs]
    threshold, found = separations(right, pairs, samples=50)
    assert threshold == 0.5
    assert [one.kind for one in found] == ["all", *stress_kinds()]
    assert {(one.auc, one.accuracy) for one in found} == {(1.0, 1.0)}
    assert {one.auc_interval for one in found} == {(1.0, 1.0)}
    _, reverse = separations([1 - value for value in right], pairs, samples=50)
    assert {one.auc for one in reverse} == {0.0}


def test_figures_worked_by_hand() -> None:
    pairs = [
        pair(0, True, TUNING),
        pair(1, False, TUNING),
        pair(2, True, REPORTING),
        pair(3, True, REPORTING),
        pair(4, False, REPORTING),
        pair(5, False, REPORTING),
    ]
    threshold, found = separations([0.8, 0.4, 0.9, 0.5, 0.5, 0.7], pairs)
    assert threshold == pytest.approx(0.6)
    # (.9 > .5), (.9 > .7), (.5 = .5: half), (.5 < .7); right: .9 above .6, .5 below
    assert found[0].auc == pytest.approx(2.5 / 4)
    assert found[0].accuracy == pytest.approx(2 / 4)
    assert found[0].pairs == 4
    low, high = found[0].auc_interval
    assert 0 <= low < found[0].auc < high <= 1


def test_intervals_cover_as_often_as_they_say() -> None:
    rng = np.random.default_rng(5)
    pairs = [pair(n, n % 2 == 0, REPORTING) for n in range(80)]
    gold = np.array([one.same for one in pairs])
    true = 0.7602  # P(x > y) for normal x, y one standard deviation apart: Φ(1/√2)
    covered = 0
    for trial in range(60):
        values = rng.normal(size=80) + gold
        _, found = separations(values, pairs, threshold=0.5, samples=300, seed=trial)
        low, high = found[0].auc_interval
        covered += low <= true <= high
    assert covered >= 52  # 95 % of 60 are 57


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0], "1 values for 2 pairs; give one for each"),
        ([1.0, float("nan")], "the value of number-1 is nan, not a number"),
    ],
)
def test_values_that_cannot_be_used(values: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        separations(values, [pair(0, True, TUNING), pair(1, False, REPORTING)])


def test_a_threshold_needs_pairs_to_be_chosen_on() -> None:
    with pytest.raises(InputError, match="there is no pair to choose one on"):
        separations([1.0, 0.0], [pair(0, True, REPORTING), pair(1, False, REPORTING)])
