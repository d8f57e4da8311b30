"""The report of an annotation project as one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paraphrast.render.charts.curve import Point, curve_svg
from paraphrast.render.markup import esc, tag
from paraphrast.render.pages.corpus_page import table_html
from paraphrast.render.pages.page import exhibit, page, scroller
from paraphrast.render.terminal.annotation_tables import alarm_lines, summary_line, tables

Part = Mapping[str, Any]

_OVER_TIME = {"alpha": "labels", "word_alpha": "words", "rating_alpha": "ratings"}


def annotation_html(report: Part) -> str:
    """Return the page; no script, nothing remote, every text escaped."""
    body = tag("p", esc(summary_line(report)), dir="auto")
    body += "".join(table_html(ident, f"{title}.", rows) for ident, title, rows in tables(report))
    return page(
        f"Annotation: {report['name']}",
        body + _timeline(report),
        notes=alarm_lines(report),
        command=str(report["command"]),
        version=str(report["version"]),
    )


def _timeline(report: Part) -> str:
    """Draw α over the windows of time, where there are two: for all, and for each person."""
    agreed = report["agreement"]
    people = agreed["personal"] if len(agreed["personal"]) > 2 else {}  # two share their lines
    lines = [("", agreed["timeline"]), *people.items()]
    series = {
        f"{who} {part}".strip(): points
        for who, windows in lines
        for key, part in _OVER_TIME.items()
        if len(points := _points(windows, key)) > 1
    }
    if not series:
        return ""
    drawn = curve_svg(
        series, x_label="window", y_label="α", title="Agreement over time", log_x=False
    )
    size = next(windows[0]["items"] for _, windows in lines if windows)
    words = f"Krippendorff’s α over time; each window is of {size} consecutive shared pairs."
    inner = tag("div", drawn, style="max-width:40rem;min-width:26rem")
    return exhibit("fig", "timeline", esc(words), scroller("timeline", inner))


def _points(windows: Sequence[Part], key: str) -> list[Point]:
    return [
        (float(number), one[key], None, None)
        for number, one in enumerate(windows, 1)
        if one[key] is not None
    ]
