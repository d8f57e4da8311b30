"""Windows cover every sub-word once, each far from the edges of its window."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paraphrast.models.embedder.overlapping_spans import Window, windows


def test_a_short_text_is_one_window() -> None:
    assert windows(0, 10) == [Window(0, 0, 0, 0)]
    assert windows(10, 10) == [Window(0, 10, 0, 10)]


def test_a_long_text() -> None:
    assert windows(20, 10) == [Window(0, 10, 0, 7), Window(5, 15, 7, 12), Window(10, 20, 12, 20)]


@given(length=st.integers(0, 3000), size=st.integers(2, 600))
def test_every_subword_is_kept_once_and_far_from_the_edges(length: int, size: int) -> None:
    found = windows(length, size)
    kept = [place for window in found for place in range(window.first, window.last)]
    assert kept == list(range(length))
    for window in found:
        assert window.end - window.begin == min(size, length)
        assert window.begin <= window.first <= window.last <= window.end
        if window.begin:
            assert window.first - window.begin >= size // 4 - 1
        if window.end < length:
            assert window.end - window.last >= size // 4 - 1
