"""Ticks are nice numbers inside the domain; labels never touch; nothing divides by zero."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.render.charts.scales import (
    coordinate,
    domain,
    labels,
    linear,
    log_ticks,
    logarithmic,
    spread,
    ticks,
)

scores = st.floats(-1e6, 1e6).map(lambda value: round(value, 6))


@pytest.mark.parametrize(
    ("ends", "count", "expected"),
    [
        ((0.0, 1.0), 4, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ((0.0, 100.0), 4, ["0", "20", "40", "60", "80", "100"]),
        ((-2.3, 2.4), 4, ["−2", "−1", "0", "1", "2"]),
        ((0.512, 0.548), 4, ["0.52", "0.53", "0.54"]),
        ((900.0, 4100.0), 3, ["1,000", "2,000", "3,000", "4,000"]),
    ],
)
def test_ticks_are_nice_numbers(ends: tuple[float, float], count: int, expected: list[str]) -> None:
    assert labels(ticks(ends, count=count)) == expected


@given(st.lists(scores), st.integers(2, 6))
def test_ticks_lie_in_a_domain_that_holds_every_value(values: list[float], count: int) -> None:
    low, high = domain(values)
    assert low < high
    assert all(low <= value <= high for value in values)
    found = ticks((low, high), count=count)
    slack = 1e-9 * (high - low)
    assert 2 <= len(found) <= 2 * count + 2
    assert all(low - slack <= tick <= high + slack for tick in found)
    assert len(set(labels(found))) == len(found)


def test_a_constant_has_a_domain_around_it() -> None:
    assert domain([3.0, 3.0]) == pytest.approx((2.7, 3.3))
    assert domain([0.0]) == (-0.5, 0.5)
    assert domain([]) == (0.0, 1.0)
    assert domain([1.0, 2.0, math.inf, 1e200]) == pytest.approx((0.96, 2.04))


def test_logarithmic_ticks_thin_out_with_the_span() -> None:
    assert log_ticks((10, 200)) == [10, 20, 50, 100, 200]
    assert log_ticks((10, 30000)) == [10, 30, 100, 300, 1000, 3000, 10000, 30000]
    assert log_ticks((1, 1e6)) == [1, 10, 100, 1e3, 1e4, 1e5, 1e6]
    assert len(log_ticks((1e-8, 1e12))) <= 8


def test_scales_map_ends_to_ends() -> None:
    assert [linear((2, 4), (100, 0))(value) for value in (2, 3, 4)] == [100, 50, 0]
    assert logarithmic((1, 100), (0, 10))(10) == pytest.approx(5)


def test_coordinates_are_short() -> None:
    assert [coordinate(value) for value in (1.0, 2.34, -0.01, -3.15)] == ["1", "2.3", "0", "-3.1"]


@given(st.lists(st.floats(0, 200), max_size=20))
def test_spread_labels_never_touch(places: list[float]) -> None:
    moved = spread(places, gap=10, low=0, high=200)
    ordered = sorted(moved)
    assert all(b - a >= 10 - 1e-9 for a, b in pairwise(ordered))
    assert all(-1e-9 <= place <= 200 for place in moved)
    assert [moved[i] for i in sorted(range(len(places)), key=lambda i: places[i])] == ordered
