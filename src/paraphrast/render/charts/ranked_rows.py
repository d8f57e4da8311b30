"""The ranked table of a meta-evaluation: value, interval, cluster, published value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from paraphrast.render.charts.marks import dots, line
from paraphrast.render.charts.scales import coordinate, domain, drawable, labels, linear, ticks
from paraphrast.render.markup import esc, row_head, tag
from paraphrast.render.pages.page import exhibit, scroller
from paraphrast.render.values import (
    MISSING,
    difference,
    finite,
    interval,
    metric_of,
    reason,
    show,
    show_interval,
    signed,
    statistic_label,
    typeset,
)

Part = Mapping[str, Any]

# Where the bars of the table begin and end, in per cent of the column.
_BAR = (12.0, 88.0)

# A difference from the published value that asks for an explanation.
FAR = 0.03


def ranking(table: Part, ident: str) -> str:
    """Build the ranked table, one `tbody` per run of metrics that share a cluster."""
    rows = table["rows"]
    ends = bar_domain(rows)
    clustered = any(row.get("cluster") is not None for row in rows)
    published = any(finite(row.get("published")) is not None for row in rows)
    bodies = []
    for cluster, run in groupby(rows, key=lambda row: row.get("cluster")):
        lines = [_row(row, table, ends, published) for row in run]
        lines[0] = _cluster(cluster, len(lines)) * clustered + lines[0]
        bodies.append(tag("tbody", *(tag("tr", line) for line in lines)))
    head = _head(table, ends, clustered, published)
    kind = "ranked clustered" if clustered else "ranked"
    whole = tag("table", head, *bodies, class_=kind, aria_labelledby=ident)
    words = "Metrics in order of agreement with people" + (
        "; those of one cluster do not differ significantly from its best." if clustered else "."
    )
    return exhibit("tab", ident, words, scroller(ident, whole))


def _head(table: Part, ends: tuple[float, float], clustered: bool, published: bool) -> str:
    value = esc(statistic_label(table.get("statistic", "")))
    if any(map(interval, table["rows"])):
        value += f" {tag('span', 'interval', class_='ci')}"
    cells = [
        tag("th", tag("abbr", "#", title="cluster"), scope="col", class_="cluster") * clustered,
        tag("th", "metric", scope="col", class_="who"),
        tag("th", value, scope="col", class_="num value"),
        tag("td", bar_axis(ends), class_="drawn"),
        tag("th", "published", scope="col", class_="num") * published,
    ]
    return tag("thead", tag("tr", *cells))


def _cluster(cluster: object, rows: int) -> str:
    text = esc(MISSING if cluster is None else cluster)
    return tag("th", text, scope="rowgroup", class_="cluster", rowspan=rows)


def _row(row: Part, table: Part, ends: tuple[float, float], published: bool) -> str:
    text = esc(typeset(show(row.get("value"))))
    if any(map(interval, table["rows"])):  # empty where this row has none, to keep values in line
        text += f" {tag('span', esc(typeset(show_interval(row))), class_='ci')}"
    drawn = tag("td", interval_bar(row, ends), class_="drawn")
    if finite(row.get("value")) is None:
        drawn = tag("td", esc(reason(row, table)), class_="why", dir="auto")
    cells = tag("td", text, class_="num value") + drawn + _published(row) * published
    return row_head(metric_of(row)) + cells


def _published(row: Part) -> str:
    if finite(row.get("published")) is None:
        return tag("td", class_="num")
    text, apart = esc(typeset(show(row["published"]))), difference(row)
    if apart is not None:
        mark = "†" if abs(apart) > FAR else ""
        text += " " + tag("span", esc(f"({typeset(signed(apart))}){mark}"), class_="diff")
    return tag("td", text, class_="num")


def bar_domain(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """Return the range that every value, interval and published value of a table fits in."""
    found = [finite(row.get(key)) for row in rows for key in ("value", "published")]
    ends = [end for row in rows for end in interval(row) or ()]
    return domain([*(value for value in found if value is not None), *ends], pad=0.06)


def bar_axis(ends: tuple[float, float]) -> str:
    """Write the tick labels that stand above the bars of a table, each at its share of the width.

    Text in HTML, not in the SVG: the bars stretch with the column, letters must not.
    """
    marks, place = ticks(ends, count=3), linear(ends, _BAR)
    words = [
        tag("span", esc(text), style=f"left:{coordinate(place(mark))}%")
        for mark, text in zip(marks, labels(marks), strict=True)
    ]
    return tag("span", *words, class_="ticks", aria_hidden="true")


def interval_bar(row: Mapping[str, Any], ends: tuple[float, float]) -> str:
    """Draw a row's value as a dot, its interval as a bar, the published value as a ring.

    The picture stretches with its cell; strokes keep their width, so dots stay round. Hidden from
    screen readers: the same numbers stand beside it as text.
    """
    place = linear(ends, _BAR)
    shapes = [line(place(mark), 0, place(mark), 20, "grid") for mark in ticks(ends, count=3)]
    span, value = interval(row), finite(row.get("value"))
    published = finite(row.get("published"))
    if published is not None and drawable(published):
        shapes += [dots([(place(published), 10)], kind) for kind in ("ring", "hole")]
    if span and all(map(drawable, span)):
        shapes.append(line(place(span[0]), 10, place(span[1]), 10, "ci"))
    if value is not None and drawable(value):
        shapes.append(dots([(place(value), 10)], "dot"))
    box = {"viewBox": "0 0 100 20", "preserveAspectRatio": "none"}
    return tag("svg", *shapes, class_="plot bar", **box, aria_hidden="true")
