"""The data-size curve: stands alone, is well-formed, keeps its labels apart."""

from __future__ import annotations

import itertools
import math
import re
import xml.etree.ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.render.charts.curve import Point, curve_html, curve_svg

SVG = "{http://www.w3.org/2000/svg}"
SERIES: dict[str, list[Point]] = {
    "ours": [(10, 0.4, 0.3, 0.5), (100, 0.5, 0.45, 0.55), (1000, 0.6, 0.58, 0.62)],
    "bleu <&>": [(10, 0.6, None, None), (1000, 0.6, None, None)],
}


def _draw(series: dict[str, list[Point]]) -> ET.Element:
    return ET.fromstring(curve_svg(series, x_label="segments", y_label="r", title="Size"))


def _places(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path)]


def test_the_picture_stands_alone() -> None:
    root = _draw(SERIES)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "Size"
    assert root.findtext(f"{SVG}desc") == "ours ends at .600; bleu <&> ends at .600."
    assert "prefers-color-scheme:dark" in (root.findtext(f"{SVG}style") or "")


def test_equal_factors_are_equal_steps_where_x_spans_much() -> None:
    paths = {path.get("class"): path.get("d", "") for path in _draw(SERIES).iter(f"{SVG}path")}
    xs = [x for x, _ in _places(paths["series s0"])]
    assert xs[1] - xs[0] == xs[2] - xs[1]
    assert len(_places(paths["band s0"])) == 6
    assert "band s1" not in paths


def test_x_is_linear_where_it_spans_little() -> None:
    root = _draw({"a": [(1.0, 1.0, None, None), (2.0, 2.0, None, None), (4.0, 3.0, None, None)]})
    path = next(p for p in root.iter(f"{SVG}path") if p.get("class") == "series s0")
    first, second, third = (x for x, _ in _places(path.get("d", "")))
    assert math.isclose(third - second, 2 * (second - first), abs_tol=0.2)


def test_names_that_would_touch_are_moved_apart() -> None:
    root = _draw({f"metric {n}": [(1.0, 0.5, None, None)] for n in range(30)})
    texts = [t for t in root.iter(f"{SVG}text") if (t.get("class") or "").startswith("label")]
    ys = sorted(float(text.get("y", "")) for text in texts)
    assert len(ys) == 30
    assert all(b - a >= 14.9 for a, b in itertools.pairwise(ys))
    height = float(root.get("viewBox", "").split()[3])
    assert ys[0] > 0
    assert ys[-1] < height


def test_the_page_holds_the_numbers_behind_the_curve() -> None:
    html = curve_html(
        SERIES, x_label="n <&>", y_label="r", title="<b>", notes=["<i>"], version="0.1.0"
    )
    assert "<b>" not in html
    assert "&lt;i&gt;" in html
    assert "bleu &lt;&amp;&gt;" in html
    assert ".500 <span" in html
    assert "[.450, .550]" in html
    row = re.search(r"<tr><th[^>]*>100</th>(.*?)</tr>", html)
    assert row
    assert "–" in row[1]


numbers = st.one_of(st.floats(), st.integers(-5, 5).map(float))
ends = st.none() | numbers
points = st.lists(st.tuples(numbers, numbers, ends, ends), max_size=5)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(max_size=30), points, max_size=4), st.text(max_size=10))
def test_no_series_breaks_the_curve(series: dict[str, list[Point]], text: str) -> None:
    svg = curve_svg(series, x_label="x", y_label="y", title="t")
    shapes = re.sub(r"<text[^>]*>[^<]*</text>|<desc>[^<]*</desc>", "", svg)
    ET.fromstring(svg)
    assert not re.search(r"\b(nan|inf|None)\b", shapes)
    assert curve_html(series, x_label=text, y_label=text, title=text).endswith("</html>\n")


def test_without_points_the_frame_remains() -> None:
    assert "There are no points." in (_draw({}).findtext(f"{SVG}desc") or "")
    assert _draw({"a": []}).get("role") == "img"
