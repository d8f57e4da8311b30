"""The chart kit: names are joined to what they name, values stand at their marks."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

from paraphrast.render.charts.marks import PlotArea, axes, bar, named_bar, names_beside
from paraphrast.render.charts.scales import linear

AREA = PlotArea(10.0, 110.0, 5.0, 105.0)


def _parsed(shapes: list[str]) -> ET.Element:
    return ET.fromstring(f"<svg>{''.join(shapes)}</svg>")


def test_axes_have_a_value_at_each_mark() -> None:
    scales = linear((0.0, 1.0), (10.0, 110.0)), linear((0.0, 2.0), (105.0, 5.0))
    root = _parsed(axes(AREA, scales, ([0.0, 0.5, 1.0], [1.0, 2.0]), upright=True))
    words = {text.text: text for text in root.iter("text")}
    assert list(words) == ["1", "2", "0.0", "0.5", "1.0"]
    assert words["0.5"].get("x") == "60"
    grid = [line for line in root.iter("line") if line.get("class") == "grid"]
    assert [line.get("y1") for line in grid[:2]] == ["55", "5"]
    assert {(line.get("y1"), line.get("y2")) for line in grid[2:]} == {("5", "105")}


def test_names_are_moved_apart_and_joined_to_their_starts() -> None:
    names = [(8, "a <b>"), (1, "c")]  # colours return after the eighth
    root = _parsed(names_beside(AREA, names, [(50.0, 60.0), (50.0, 61.0)]))
    texts = list(root.iter("text"))
    assert [(text.text, text.get("class")) for text in texts] == [
        ("a <b>", "label s0"),
        ("c", "label s1"),
    ]
    places = [float(text.get("y", "")) for text in texts]
    assert all(b - a >= 15 for a, b in itertools.pairwise(places))
    lines = list(root.iter("line"))
    assert [(line.get("x1"), line.get("y1")) for line in lines] == [("50", "60"), ("50", "61")]


def test_bars_are_never_negative_and_words_stand_behind_the_longest() -> None:
    assert ET.fromstring(bar(0, 0, -3, 5)).get("width") == "0"
    root = _parsed([named_bar((10.0, 0.0), "step", [(40.0, ".28"), (20.0, None)], "9 → 3")])
    assert [text.get("x") for text in root.iter("text")] == ["2", "56"]
