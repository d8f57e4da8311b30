"""Colour steps: evenly shared out, and safe for values off the scale."""

from __future__ import annotations

import pytest

from paraphrast.render.charts.heat_map import significance, step


@pytest.mark.parametrize(
    ("value", "ends", "expected"),
    [
        (0.0, (0.0, 0.9), "h0"),
        (0.09, (0.0, 0.9), "h0"),
        (0.45, (0.0, 0.9), "h4"),
        (0.9, (0.0, 0.9), "h8"),
        (0.5, (0.5, 0.9), "h0"),
        (0.7, (-0.7, 0.7), "h8"),
        (0.0, (-0.7, 0.7), "h0"),
        (-0.01, (-0.8, 0.8), "m0"),
        (-0.5, (-0.8, 0.8), "m2"),
        (-0.8, (-0.8, 0.8), "m3"),
        (0.4, (0.4, 0.4), "h8"),
        (1e308, (0.0, 0.5), "h8"),
        (-1e308, (-1e-3, 1e-3), "m3"),
    ],
)
def test_a_value_has_its_step(value: float, ends: tuple[float, float], expected: str) -> None:
    assert step(value, ends) == expected


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (0.0, '<td class="h7">&lt;.001</td>'),
        (0.00099, '<td class="h7">&lt;.001</td>'),
        (0.001, '<td class="h5">.001</td>'),
        (0.0099, '<td class="h5">.010</td>'),
        (0.01, '<td class="h2">.010</td>'),
        (0.049, '<td class="h2">.049</td>'),
        (0.05, '<td class="plain">.050</td>'),
        (1.0, '<td class="plain">1</td>'),
        (None, '<td class="none" title="not tested">–</td>'),
    ],
)
def test_a_p_value_has_its_colour(p: float | None, expected: str) -> None:
    assert significance("id", ["a", "b"], [[None, p], [p, None]]).count(expected) == 2
