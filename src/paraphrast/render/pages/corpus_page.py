"""The data card of a built corpus as one self-contained page: tables, plots and pairs to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paraphrast.render.charts.corpus_plots import funnel_svg, stacked_svg
from paraphrast.render.markup import esc, row_head, tag
from paraphrast.render.pages.corpus_card import (
    Table,
    about,
    bins_intro,
    bins_table,
    dropped_table,
    files_table,
    headline,
    labels_intro,
    labels_table,
    limits,
    splits_table,
    steps_table,
    systems_table,
)
from paraphrast.render.pages.page import exhibit, page, scroller
from paraphrast.render.values import finite

Part = Mapping[str, Any]


def corpus_html(report: Part) -> str:
    """Return the page; no script, nothing remote, every text escaped."""
    lines = [line for line in (report["description"], *headline(report)) if line]
    body = "".join(tag("p", esc(line), dir="auto") for line in lines)
    body += _overlap(report) + _labels(report) + _stages(report) + _systems(report)
    body += _listed("Known limits", limits(report)) + _examples(report) + _files(report)
    return page(
        f"Data card: {report['name']}",
        body,
        notes=[str(note) for note in report["notes"]],
        command=str(report["command"] or ""),
        version=str(report["version"]),
    )


def table_html(ident: str, caption: str, rows: Table, *, left: int = 1, kind: str = "tab") -> str:
    """Return rows under a caption; columns from `left` on hold numbers."""
    heads = [
        tag("th", esc(cell), scope="col", class_="num" if place >= left else None)
        for place, cell in enumerate(rows[0])
    ]
    body = [
        tag(
            "tr",
            row_head(row[0]),
            *(_cell(cell, place >= left) for place, cell in enumerate(row[1:], 1)),
        )
        for row in rows[1:]
    ]
    whole = tag(
        "table", tag("thead", tag("tr", *heads)), tag("tbody", *body), aria_labelledby=ident
    )
    return exhibit(kind, ident, esc(caption), scroller(ident, whole))


def _cell(text: str, is_number: bool) -> str:
    return tag(
        "td", esc(text), class_="num" if is_number else None, dir=None if is_number else "auto"
    )


def _figure(ident: str, words: str, drawn: str) -> str:
    """Keep a picture from growing with the page: its letters would grow too."""
    return exhibit("fig", ident, esc(words), tag("div", drawn, style="max-width:36rem"))


def _overlap(report: Part) -> str:
    bins = report["bins"]
    names = [short_name(one["bin"]) for one in bins]
    series = {key: [one[key] for one in bins] for key in ("sampled", "mined")}
    if not any(series["mined"]):
        del series["mined"]
    drawn = stacked_svg(names, series, title="Pairs by word overlap", y_label="pairs")
    parts = [
        tag("h2", "Pairs by word overlap"),
        tag("p", esc(bins_intro(report))),
        _figure("pairs", "Pairs of the corpus in each bin of word overlap.", drawn),
    ]
    if any(report["labels"].values()):
        counts = {
            name: [one["labels"].get(name, 0) for one in bins]
            for name, total in report["labels"].items()
            if total
        }
        labelled = stacked_svg(names, counts, title="Labels by word overlap", y_label="pairs")
        parts.append(_figure("labelled", "Their labels.", labelled))
    quality = [finite(one["quality"]) or 0.0 for one in bins]
    if any(quality):
        drawn = stacked_svg(
            names, {"quality": quality}, title="Quality by bin", y_label="mean quality"
        )
        words = "Mean estimated quality of the pairs that have one."
        parts.append(_figure("quality", words, drawn))
    parts.append(table_html("bins", "The corpus by word overlap.", bins_table(report)))
    return "".join([*parts, table_html("splits", "Splits.", splits_table(report))])


def short_name(name: str) -> str:
    """Shorten "[0.1, 0.2)" to ".1–.2" for an axis; a name of another kind stays as it is."""
    low, comma, high = name.strip("[]()").partition(", ")
    return f"{low.replace('0.', '.')}–{high.replace('0.', '.')}" if comma else name


def _labels(report: Part) -> str:
    words = tag("p", esc(labels_intro(report)))
    rows = labels_table(report)
    return tag("h2", "Labels") + words + table_html("labels", "What the labels mean.", rows, left=2)


def _stages(report: Part) -> str:
    steps = [(one["name"], one["rows_in"], one["rows_out"]) for one in report["steps"]]
    parts = [tag("h2", "How it was made"), _items(report["method"])]
    if steps:
        words = "Rows that each step took (pale) and gave on."
        parts.append(_figure("funnel", words, funnel_svg(steps, title="Steps")))
        parts.append(table_html("steps", "Steps and what they cost.", steps_table(report)))
    if dropped := dropped_table(report):
        parts.append(table_html("dropped", "Rows that were dropped.", dropped, left=2))
    summary = f"Recipe: SHA-256 {report['recipe_sha256']}, seed {report['seed']}"
    recipe = tag("pre", tag("code", esc(report["recipe_text"])), tabindex=0)
    return "".join([*parts, tag("details", tag("summary", esc(summary)), recipe)])


def _systems(report: Part) -> str:
    if not report["systems"]:
        return ""
    rows = systems_table(report)
    return table_html("systems", "Systems, and what was asked of them.", rows, left=9)


def _listed(title: str, lines: list[str]) -> str:
    return tag("h2", esc(title)) + _items(lines) if lines else ""


def _items(lines: list[str]) -> str:
    items = [tag("li", esc(line), dir="auto") for line in lines]
    return tag("ul", *items, class_="terms") if items else ""


def _examples(report: Part) -> str:
    rows = [_example(one) for one in report["examples"]]
    if not rows:
        return ""
    head = tag("tr", *(tag("th", text, scope="col") for text in ("overlap", "the two texts")))
    whole = tag("table", tag("thead", head), tag("tbody", *rows), aria_labelledby="examples")
    words = "Pairs of each bin, drawn by their ids."
    return tag("h2", "Pairs to read") + exhibit(
        "tab long", "examples", words, scroller("examples", whole)
    )


def _example(one: Part) -> str:
    texts = [tag("div", esc(one[key]), dir="auto") for key in ("text1", "text2")]
    source = tag("div", f"from “{esc(one['source'])}”", class_="diff", dir="auto")
    facts = tag("div", esc(about(one)), class_="diff")
    cells = [*texts, facts, *([source] if one["source"] else [])]
    return tag("tr", row_head(str(one["bin"])), tag("td", *cells))


def _files(report: Part) -> str:
    if not report["files"]:
        return ""
    heads = tag("h2", "Files")
    return heads + table_html("files", "Files and their hashes.", files_table(report))
