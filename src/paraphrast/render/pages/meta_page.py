"""A meta-evaluation as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paraphrast.render.charts.heat_map import heat_map, significance
from paraphrast.render.charts.ranked_rows import FAR, ranking
from paraphrast.render.charts.scatter import scatter_plots
from paraphrast.render.markup import esc, name, tag
from paraphrast.render.pages.page import exhibit, note_list, page
from paraphrast.render.values import (
    counted,
    definitions,
    difference,
    finite,
    groups_of,
    interval,
    metric_of,
    notes_of,
    statistic_label,
)

Part = Mapping[str, Any]


def meta_html(report: Part) -> str:
    """Return the page: overview, then per table the ranking, groups, tests and scatter plots.

    No script, nothing remote; every text of the report is escaped.
    """
    return page(
        str(report.get("title", "Meta-evaluation")),
        meta_body(report),
        notes=notes_of(report),
        command=str(report.get("command") or ""),
        version=str(report.get("version") or ""),
    )


def meta_body(report: Part) -> str:
    """Return what stands between the head of the page and its end, for other pages to show."""
    tables = report.get("tables") or []
    body = _contents(tables) + _terms(report) + _overview(tables)
    seen: list[Any] = []
    for number, table in enumerate(tables, start=1):
        fresh = bool(table.get("points")) and table["points"] not in seen
        seen.append(table.get("points"))
        body += _section(table, f"t{number}", plots=fresh)
    return body + _signatures(tables)


def _contents(tables: Sequence[Part]) -> str:
    if len(tables) < 2:
        return ""
    links = [
        tag("li", tag("a", name(_title(table)), href=f"#t{number}"), f", {_statistic(table)}")
        for number, table in enumerate(tables, start=1)
    ]
    return tag("nav", tag("ol", *links), aria_label="Contents")


def _terms(report: Part) -> str:
    """Explain the levels, the statistics and the marks that this page uses."""
    rows = [row for table in report.get("tables") or [] for row in table.get("rows") or ()]
    terms = definitions(report)
    if any(row.get("cluster") is not None for row in rows):
        terms.append(
            "Cluster: metrics that share a number do not differ significantly from its best."
        )
    if any(interval(row) for row in rows):
        terms.append("Interval: the bar and the brackets are the confidence interval of a value.")
    if any(difference(row) is not None for row in rows):
        terms.append(
            "Published: the value printed in the literature, drawn as a ring, with ours less "
            f"theirs; † marks a difference beyond {FAR:g}."
        )
    entries = [_term(*text.partition(":")) for text in terms]
    return tag("ul", *entries, class_="terms", aria_label="How to read") if entries else ""


def _term(head: str, colon: str, rest: str) -> str:
    return tag("li", tag("b", esc(head) + colon), esc(rest)) if colon else tag("li", esc(head))


def _overview(tables: Sequence[Part]) -> str:
    """Compare metrics over all tables, where there is more than one."""
    if len(tables) < 2:
        return ""
    found = [
        {metric_of(row): finite(row.get("value")) for row in table.get("rows") or ()}
        for table in tables
    ]
    metrics = list(dict.fromkeys(metric for column in found for metric in column))
    if not metrics:
        return ""
    heads = [
        name(table.get("task", "")) + tag("small", _statistic(table)) + tag("small", _level(table))
        for table in tables
    ]
    grid = [[column.get(metric) for column in found] for metric in metrics]
    words = "Every metric on every task. Compare down a column: levels and statistics differ."
    return tag("h2", "Overview") + exhibit(
        "tab", "overview", words, heat_map("overview", metrics, heads, grid)
    )


def _section(table: Part, ident: str, *, plots: bool) -> str:
    rows = table.get("rows") or []
    parts = [tag("h2", esc(_title(table)), id=ident, dir="auto"), _about(table)]
    if rows:
        parts.append(ranking(table, f"{ident}-rank"))
        parts.append(_by_group(table, f"{ident}-groups"))
        parts.append(_tests(table, f"{ident}-tests"))
    parts.append(note_list(notes_of(table)))
    if plots:
        parts.append(scatter_plots(table, f"{ident}-plots"))
    return tag("section", *parts, aria_labelledby=ident)


def _about(table: Part) -> str:
    groups = groups_of(table)
    words = [
        f"{_level(table)} level" if table.get("level") else "",
        _statistic(table),
        counted(table),
        f"mean over {len(groups)} groups" if groups else "",
    ]
    return tag("p", "; ".join(word for word in words if word) + ".", class_="about")


def _by_group(table: Part, ident: str) -> str:
    """Build the heat map of metrics against groups, the mean first."""
    groups = groups_of(table)
    if not groups:
        return ""
    rows = table["rows"]
    grid = [
        [finite(row.get("value")), *(finite((row.get("by") or {}).get(group)) for group in groups)]
        for row in rows
    ]
    heads = ["mean", *map(name, groups)]
    drawn = heat_map(ident, [metric_of(row) for row in rows], heads, grid)
    words = f"{_statistic(table)} by group; the mean is the value ranked above."
    summary = tag("summary", f"The {len(groups)} groups one by one")
    return tag("details", summary, exhibit("tab", ident, words, drawn), open="")


def _tests(table: Part, ident: str) -> str:
    tests = table.get("p")
    if not tests or len(tests["metrics"]) < 2:
        return ""
    drawn = significance(ident, [str(metric) for metric in tests["metrics"]], tests["matrix"])
    words = "Is the difference real? Two-sided p of row against column, Holm-corrected."
    return exhibit("tab", ident, words, drawn)


def _signatures(tables: Sequence[Part]) -> str:
    rows = [row for table in tables for row in table.get("rows") or ()]
    found = dict.fromkeys(
        (metric_of(row), str(row["signature"])) for row in rows if row.get("signature")
    )
    if not found:
        return ""
    entries = [
        tag("dt", name(metric)) + tag("dd", tag("code", esc(text))) for metric, text in found
    ]
    summary = tag("summary", "Signatures: what was measured, to the letter")
    return tag("details", summary, tag("dl", *entries, class_="signatures"))


def _title(table: Part) -> str:
    return str(table.get("title") or table.get("task") or "")


def _statistic(table: Part) -> str:
    return esc(statistic_label(table.get("statistic", "")))


def _level(table: Part) -> str:
    return esc(str(table.get("level") or ""))
