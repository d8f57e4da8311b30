"""The drawn column of the ranked table."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from paraphrast.render.charts.ranked_rows import bar_domain, interval_bar


def test_a_bar_places_value_and_interval_on_the_scale_of_the_table() -> None:
    rows = [{"value": 0.2, "ci": [0.0, 0.4]}, {"value": 0.9, "ci": [0.8, 1.0], "published": 0.5}]
    low, high = bar_domain(rows)
    assert low < 0 < 1 < high
    root = ET.fromstring(interval_bar(rows[1], (0.0, 1.0)))
    span = next(line for line in root.iter("line") if line.get("class") == "ci")
    assert [float(span.get(side, "")) for side in ("x1", "x2")] == [72.8, 88]
    spots = {path.get("class"): path.get("d", "") for path in root.iter("path")}
    assert re.match(r"M80\.4 ", spots["dot"])
    assert re.match(r"M50 ", spots["ring"])
    assert root.get("aria-hidden") == "true"
