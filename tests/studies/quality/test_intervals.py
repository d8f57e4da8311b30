"""Intervals of shares, ratios and calibration errors."""

from __future__ import annotations

import numpy as np
import pytest

from paraphrast.errors import InputError
from paraphrast.studies.quality.intervals import calibration_error, f1, ratio, share


def test_a_share_and_its_interval() -> None:
    found = share([True] * 80 + [False] * 20)
    assert found.value == 0.8
    assert (found.low, found.high) == pytest.approx((0.72, 0.88), abs=0.02)  # ± 1.96 √(.16/100)
    assert share([True] * 5).low == 1


def test_a_ratio_of_sums() -> None:
    assert ratio([1, 2], [2, 4]).value == 0.5
    assert ratio([0, 0], [0, 0]).value == 0


def test_f1_of_the_positive_class() -> None:
    guess, gold = np.array([True, True, False, False]), np.array([True, False, True, False])
    assert f1(guess, gold).value == 0.5


def test_calibration_errors() -> None:
    gold = np.tile([True, False, False, False], 100)
    good = calibration_error(np.full(400, 0.25), gold)
    bad = calibration_error(np.full(400, 0.85), gold)
    assert good.value == pytest.approx(0)
    assert bad.value == pytest.approx(0.6)
    assert bad.low < 0.6 < bad.high


def test_nothing_to_measure() -> None:
    with pytest.raises(InputError, match="no items"):
        share([])
