"""Whatever numbers and texts a report holds, every format is written and none says NaN."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paraphrast.render.pages.meta_page import meta_html
from paraphrast.render.terminal.meta_tables import meta_csv, meta_markdown, meta_table

WORDS = re.compile(r"(?<![\w])(nan|NaN|inf|Infinity|None)(?![\w])")

texts = st.text(max_size=12).filter(lambda text: not re.search("(?i)na|inf|none", text))
numbers = st.one_of(st.none(), st.floats(), st.floats(-1, 1), st.integers(-3, 3))
statistics = st.sampled_from(["pearson", "kendall_b", "DARR", "spa", "unheard of", ""])


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    groups = draw(st.lists(texts, max_size=4, unique=True))
    metrics = draw(st.lists(texts, max_size=4))
    size = draw(st.integers(0, 5))
    rows = [
        {
            "metric": metric,
            "signature": draw(texts),
            "value": draw(numbers),
            "by": {group: draw(numbers) for group in groups if draw(st.booleans())},
            "ci": draw(st.none() | st.lists(numbers, min_size=2, max_size=2)),
            "cluster": draw(st.none() | st.integers(1, 3)),
            "published": draw(numbers),
        }
        for metric in metrics
    ]
    line = st.lists(numbers, min_size=size, max_size=size)
    p = [[draw(numbers) for _ in metrics] for _ in metrics]
    return {
        "task": draw(texts), "title": draw(texts), "level": draw(st.sampled_from(["segment", ""])),
        "statistic": draw(statistics), "groups": groups, "items": draw(numbers), "rows": rows,
        "p": draw(st.sampled_from([None, {"metrics": metrics, "matrix": p}])),
        "points": {
            metric: {"x": draw(line), "y": draw(line), "group": ["a", "b", "a", "b", "a"][:size]}
            for metric in metrics
        },
        "notes": draw(st.lists(texts, max_size=2)),
    }  # fmt: skip


reports = st.fixed_dictionaries(
    {
        "title": texts,
        "command": texts,
        "version": texts,
        "notes": st.lists(texts, max_size=2),
        "tables": st.lists(tables(), max_size=2),
    }
)


class Visible(HTMLParser):
    """Collects what a reader or a renderer takes as a value: text and attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        kept = [value or "" for key, value in attrs if key not in ("class", "content")]
        self.found += kept

    def handle_data(self, data: str) -> None:
        if self.lasttag != "style":
            self.found.append(data)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(reports)
def test_every_report_renders(report: dict[str, Any]) -> None:
    html = meta_html(report)
    html.encode("utf-8")
    for svg in re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL):
        ET.fromstring(svg)
    shown = [*Visible(html).found, meta_table(report), meta_markdown(report), meta_csv(report)]
    assert not [text for text in shown if WORDS.search(text)]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(reports)
def test_csv_has_one_row_per_metric_and_group(report: dict[str, Any]) -> None:
    rows = list(csv.reader(io.StringIO(meta_csv(report), newline="")))
    expected = sum(
        len(table["rows"]) * (1 + (len(table["groups"]) if len(table["groups"]) > 1 else 0))
        for table in report["tables"]
    )
    assert len(rows) == 1 + expected
    assert {len(row) for row in rows} == {14}
