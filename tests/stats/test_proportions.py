"""Intervals of shares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from paraphrast.stats.proportions import wilson


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_scipys(counts: tuple[int, int]) -> None:
    expected = binomtest(*counts).proportion_ci(method="wilson")
    assert wilson(*counts) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_of_nothing_nothing_is_known() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
