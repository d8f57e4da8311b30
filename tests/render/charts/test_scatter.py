"""The pictures: well-formed, fitted as numpy fits, never more than 1,500 points."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from paraphrast.render.charts.scatter import fit, points_of, scatter_svg


def test_the_line_is_that_of_least_squares() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(50, 10, 200)
    y = 0.03 * x - 1 + rng.normal(0, 0.1, 200)
    assert fit(x, y) == pytest.approx(tuple(np.polyfit(x, y, 1)), rel=1e-9)


def test_constant_scores_have_no_line() -> None:
    assert fit(np.full(5, 0.1), np.arange(5.0)) is None
    assert fit(np.array([1.0]), np.array([1.0])) is None
    assert fit(np.array([0.0, 5e-324]), np.array([0.0, 1.0])) is None


def test_points_without_a_number_are_left_out() -> None:
    raw = {"x": [1, None, 3, float("nan")], "y": [1.0, 2.0, float("inf"), 4.0]}
    x, y, groups = points_of(raw)
    assert (x.tolist(), y.tolist(), groups) == ([1.0], [1.0], [""])


def test_points_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        points_of({"x": [1, 2], "y": [1]})


def test_a_scatter_plot_draws_at_most_1500_points_and_says_so() -> None:
    n = 4000
    rng = np.random.default_rng(2)
    x = rng.normal(size=n)
    points = (x, x + rng.normal(size=n), ["a", "b"] * (n // 2))
    svg = scatter_svg(points, y_ends=(-4, 4), title="<bleu> & people")
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    assert root.findtext("title") == "<bleu> & people"
    assert "1,500 of 4,000 points." in (root.findtext("desc") or "")
    clouds = [path.get("d", "") for path in root.iter("path")]
    assert sum(path.count("M") for path in clouds) == 1500
    kinds = [line.get("class") for line in root.iter("line")]
    assert kinds.count("fit") == 1
    assert kinds.count("group") == 2


def test_the_line_stays_within_the_picture() -> None:
    points = (np.array([0.0, 1.0]), np.array([0.0, 100.0]), ["", ""])
    root = ET.fromstring(scatter_svg(points, y_ends=(20, 40), title="steep"))
    line = next(line for line in root.iter("line") if line.get("class") == "fit")
    assert all(18 <= float(line.get(side, "")) <= 160 for side in ("y1", "y2"))
