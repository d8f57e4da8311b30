"""Curves over subsets."""

from __future__ import annotations

import numpy as np
import pytest

from paraphrast.errors import ConfigError
from paraphrast.meta.sizes import size_curve


def test_the_whole_set_is_measured_once_and_exactly() -> None:
    calls: list[int] = []

    def measure(chosen: np.ndarray) -> float:
        calls.append(len(chosen))
        return float(chosen.sum())

    curve = size_curve(measure, 10, [3, 10], repeats=4)
    assert calls == [3, 3, 3, 3, 10]
    assert curve[1] == (10.0, 45.0, 45.0, 45.0)
    assert curve[0][2] <= curve[0][1] <= curve[0][3]
    assert size_curve(measure, 10, [3], repeats=4) == curve[:1]


@pytest.mark.parametrize("size", [1, 11])
def test_impossible_sizes(size: int) -> None:
    with pytest.raises(ConfigError, match=f"a subset of {size} cannot be drawn from 10 items"):
        size_curve(len, 10, [size])  # type: ignore[arg-type]
