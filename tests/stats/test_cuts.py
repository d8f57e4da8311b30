from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.stats.cuts import best_cut

VALUES = st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=1, max_size=30)


@given(VALUES)
def test_no_cut_is_right_more_often(pairs: list[tuple[int, bool]]) -> None:
    values = np.array([value for value, _ in pairs], dtype=float)
    gold = np.array([label for _, label in pairs])
    cut = best_cut(values, gold)
    ours = ((values > cut) == gold).sum()
    assert ours == max(((values > other) == gold).sum() for other in np.arange(-6, 6, 0.5))


def test_the_cut_lies_midway() -> None:
    assert best_cut(np.array([1.0, 4.0, 2.0, 3.0]), np.array([False, True, False, True])) == 2.5


@pytest.mark.parametrize(("label", "cut"), [(True, 0.0), (False, 3.0)])
def test_one_class_alone(label: bool, cut: float) -> None:
    assert best_cut(np.array([1.0, 3.0]), np.array([label, label])) == cut
