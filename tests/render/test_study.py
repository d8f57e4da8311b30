"""The pictures and values of the decoding study."""

from __future__ import annotations

import itertools
import math
import re
from xml.etree import ElementTree

import pytest

from paraphrast.render.charts.study_plots import bars_svg, histogram_svg, plane_svg
from paraphrast.render.terminal.study_table import cell


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (0.6312, "score", ".631"),
        (-0.0213, "signed", "-.021"),
        (0.0213, "signed", "+.021"),
        (47.449, "points", "47.4"),
        (0.0174, "share", "1.7%"),
        (0.987, "ratio", "0.99"),
        (3, "count", "3"),
        (12345.6, "rate", "12,346"),
        (None, "score", "–"),
        (math.nan, "points", "–"),
    ],
)
def test_cells(value: object, form: str, text: str) -> None:
    assert cell(value, form) == text


def test_bars_are_as_long_as_their_values() -> None:
    drawn = ElementTree.fromstring(bars_svg([("a <b>", 0.6), ("c", 0.3)], title="t", line=0.5))
    widths = [float(bar.attrib["width"]) for bar in drawn.iter("rect")]
    assert widths[0] == pytest.approx(2 * widths[1], abs=0.2)
    assert [text.text for text in drawn.iter("text")] == ["a <b>", ".600", "c", ".300"]
    line = next(drawn.iter("line"))
    left = float(next(drawn.iter("rect")).attrib["x"])
    assert float(line.attrib["x1"]) - left == pytest.approx(widths[0] * 0.5 / 0.6, abs=0.2)


def test_histograms_draw_counts_and_the_line() -> None:
    drawn = ElementTree.fromstring(histogram_svg([0, 4, 2, 0], line=0.5, title="t"))
    bars = list(drawn.iter("rect"))
    heights = [float(bar.attrib["height"]) for bar in bars]
    assert heights[0] == pytest.approx(2 * heights[1], abs=0.2)
    mark = next(line for line in drawn.iter("line") if line.attrib["class"] == "fit")
    # the benchmark, .5, is where the third of four bins begins
    assert float(mark.attrib["x1"]) == pytest.approx(float(bars[1].attrib["x"]), abs=0.2)
    assert "6 sentences" in (drawn.findtext("desc") or "")


def test_nothing_to_draw_is_drawn() -> None:
    assert ElementTree.fromstring(histogram_svg([0, 0], line=0.5, title="t")).tag == "svg"
    assert ElementTree.fromstring(bars_svg([], title="t")).tag == "svg"


def test_settings_in_the_plane_lie_where_their_values_are() -> None:
    points = [("one", 0.3, 0.9), ("two", 0.3, 0.9), ("three", 0.5, 0.7)]
    drawn = ElementTree.fromstring(plane_svg(points, x_label="x", y_label="y", title="t"))
    places = [
        tuple(map(float, re.findall(r"[\d.]+", dot.attrib["d"])[:2])) for dot in drawn.iter("path")
    ]
    assert places[0] == places[1]
    assert places[2][0] > places[0][0]
    assert places[2][1] > places[0][1]  # down the page: less adequate
    names = [text for text in drawn.iter("text") if "label" in text.attrib.get("class", "")]
    assert [text.text for text in names] == ["one", "two", "three"]
    heights = sorted(float(text.attrib["y"]) for text in names)
    assert min(b - a for a, b in itertools.pairwise(heights)) >= 14.9
