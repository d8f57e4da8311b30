"""A stress test as one self-contained HTML page: ranking, heat maps by kind, and the edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paraphrast.render.charts.heat_map import heat_map
from paraphrast.render.markup import esc, name, row_head, tag
from paraphrast.render.pages.page import exhibit, page, scroller
from paraphrast.render.terminal.stress_tables import (
    OVERALL,
    TITLES,
    context_grid,
    heading,
    kinds_of,
    notes,
    ranking,
)
from paraphrast.render.values import typeset

Part = Mapping[str, Any]

_TERMS = (
    "Accuracy: the share of pairs on whose right side of the threshold the value lies; the "
    "threshold is the best one of the tuning half, one for all kinds.",
    "AUC: the share of (same, not the same) pairs of pairs in which the former has the better "
    "value; .5 is a coin.",
    "Intervals: 95 % bootstrap intervals over the pairs, those of each label drawn apart.",
    "Each pair is scored once: the second text is the candidate, the first the reference.",
)


def stress_html(report: Part) -> str:
    """Return the page; no script, nothing remote, every text escaped."""
    return page(
        "Stress test of metrics",
        stress_body(report),
        notes=notes(report),
        command=str(report.get("command") or ""),
        version=str(report.get("version") or ""),
    )


def stress_body(report: Part) -> str:
    """Return what stands between the head of the page and its end, for other pages to show."""
    body = tag("p", esc(heading(report)) + ".", class_="about") + _terms()
    body += _table("ranking", "The most accurate first.", ranking(report))
    body += "".join(_by_kind(report, key) for key in ("accuracy", "auc"))
    return body + _edges(report) + _details(report) + _signatures(report)


def _terms() -> str:
    entries = [
        tag("li", tag("b", esc(head) + ":"), esc(rest)) if colon else tag("li", esc(head))
        for head, colon, rest in (text.partition(":") for text in _TERMS)
    ]
    return tag("ul", *entries, class_="terms", aria_label="How to read")


def _by_kind(report: Part, key: str) -> str:
    metrics = report["metrics"]
    heads = [OVERALL, *(name(one["kind"].replace("_", " ")) for one in metrics[0]["kinds"])]
    grid = [[one["overall"][key], *(kind[key] for kind in one["kinds"])] for one in metrics]
    drawn = heat_map(f"kinds-{key}", [one["metric"] for one in metrics], heads, grid)
    return exhibit("tab", f"kinds-{key}", esc(TITLES[key]) + ".", drawn)


def _edges(report: Part) -> str:
    metrics = [one for one in report["metrics"] if one["edges"]]
    if not metrics:
        return ""
    heads = [name(edge["row"]) + tag("small", esc(edge["group"])) for edge in metrics[0]["edges"]]
    grid = [[edge["right"] for edge in one["edges"]] for one in metrics]
    drawn = heat_map("edges", [one["metric"] for one in metrics], heads, grid)
    words = (
        f"{TITLES['right']}. Only texts of which one is empty, or whose capitals change the "
        "meaning, are not the same. A dash: no value, as the notes say."
    )
    context = context_grid(report)
    moved = _table("context", TITLES["moved"] + ".", context) if len(context) > 1 else ""
    return tag("h2", "Edge cases") + exhibit("tab", "edges", esc(words), drawn) + moved


def _details(report: Part) -> str:
    """Return the intervals of each kind, metric by metric, folded away."""
    parts = [
        _table(f"m{number}", metric["metric"], kinds_of(metric))
        for number, metric in enumerate(report["metrics"])
    ]
    return tag("details", tag("summary", "Intervals of each kind"), *parts)


def _table(ident: str, words: str, grid: Sequence[Sequence[str]]) -> str:
    head, *rows = grid
    heads = [
        tag("th", esc(text), scope="col", class_="num" if at else "who")
        for at, text in enumerate(head)
    ]
    lines = [
        tag(
            "tr",
            row_head(row[0]),
            *(tag("td", esc(typeset(text)), class_="num") for text in row[1:]),
        )
        for row in rows
    ]
    whole = tag(
        "table", tag("thead", tag("tr", *heads)), tag("tbody", *lines), aria_labelledby=ident
    )
    return exhibit("tab", ident, esc(words), scroller(ident, whole))


def _signatures(report: Part) -> str:
    entries = [
        tag("dt", name(one["metric"])) + tag("dd", tag("code", esc(one["signature"])))
        for one in report["metrics"]
        if one["signature"]
    ]
    summary = tag("summary", "Signatures: what was measured, to the letter")
    return tag("details", summary, tag("dl", *entries, class_="signatures")) if entries else ""
