"""The ranked table of a meta-evaluation: value, interval, cluster, published value."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from paraphrast.render.charts.plots import bar, bar_axis, bar_domain
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
    drawn = tag("td", bar(row, ends), class_="drawn")
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
