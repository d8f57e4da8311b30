"""The report of an annotation project as tables, for a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paraphrast.render.pages.corpus_card import escaped, markdown_table
from paraphrast.render.terminal.tables import align
from paraphrast.render.values import MISSING, show

Part = Mapping[str, Any]
Table = list[list[str]]

_MEASURES = {
    "kappa": "κ",
    "alpha": "α",
    "word_kappa": "κ of words",
    "word_alpha": "α of words",
    "word_f1": "F1 of words",
    "span_f1": "F1 of spans",
    "accuracy": "accuracy of words",
    "rating_alpha": "α of ratings",
}


def annotation_text(report: Part) -> str:
    """Return all tables, one below the other."""
    blocks = [f"{title}\n{align(table)}" for _, title, table in tables(report)]
    return "\n\n".join([*alarm_lines(report), summary_line(report), *blocks])


def annotation_markdown(report: Part) -> str:
    """Return the same tables in Markdown."""
    blocks = [f"# {escaped(report['name'])}", escaped(summary_line(report))]
    blocks += [f"**{escaped(line)}**" for line in alarm_lines(report)]
    for _, title, table in tables(report):
        blocks += [f"## {title}", markdown_table(table)]
    return "\n\n".join(blocks) + "\n"


def summary_line(report: Part) -> str:
    """Say in one line how far the project is."""
    items = report["items"]
    return (
        f"{report['name']} ({report['task']}): {items['pairs']:,} pairs, "
        f"{items['answers']:,} of {items['wanted']:,} answers are in; "
        f"{items['final']:,} pairs have a final answer, {items['waiting']:,} wait to be merged or "
        "adjudicated"
    )


def alarm_lines(report: Part) -> list[str]:
    """Return the alarms."""
    return [f"alarm: {line}" for line in report["agreement"]["alarms"]]


def tables(report: Part) -> list[tuple[str, str, Table]]:
    """Return the tables that have something to show, each with its name and heading."""
    found = [("annotators", "Annotators", _annotators(report))]
    if report["items"]["shared"]:
        found.append(("agreement", "Agreement on shared pairs", _agreement(report)))
    if report["methods"]:
        rows = [
            ["how", "pairs"],
            *([how, f"{n:,}"] for how, n in sorted(report["methods"].items())),
        ]
        found.append(("methods", "Final answers of shared pairs", rows))
    if report["overlap"]:
        found.append(("overlap", "Labels by word overlap", _overlap(report)))
    if report["edited"]:
        found.append(("edits", "Kinds of edits", _edits(report)))
    if report["seconds"]:
        low, middle, high = (f"{value:.0f}" for value in report["seconds"])
        rows = [["", "quarter", "median", "three quarters"], ["seconds a pair", low, middle, high]]
        found.append(("time", "Time", rows))
    if report["influence"]["shown"] or report["influence"]["blind"]:
        found.append(("influence", "Answers that are as models suggest", _influence(report)))
    return found


def _annotators(report: Part) -> Table:
    rows = [["annotator", "answers", "skipped", "flagged", "seconds", "gold items", "gold right"]]
    for one in report["annotators"]:
        numbers = [f"{one[key]:,}" for key in ("answers", "skipped", "flagged")]
        seconds = MISSING if one["seconds"] is None else f"{one['seconds']:.0f}"
        rows.append([one["name"], *numbers, seconds, f"{one['gold']:,}", _show(one["gold_right"])])
    return rows


def _agreement(report: Part) -> Table:
    """Return a row for all, for those left by the filter, for each person and each two."""
    agreed = report["agreement"]
    shown = [key for key in _MEASURES if agreed["overall"][key] is not None]
    rows = [["", "pairs", *(_MEASURES[key] for key in shown)]]
    parts = [("all", agreed["overall"])]
    if agreed["overall"]["word_f1"] is not None:
        parts.append(("close enough", agreed["close"]))
    parts += list(agreed["annotators"].items())
    if len(agreed["couples"]) > 1:
        parts += [(" + ".join(one["annotators"]), one) for one in agreed["couples"]]
    for name, one in parts:
        rows.append([name, f"{one['items']:,}", *(_show(one[key]) for key in shown)])
    return rows


def _overlap(report: Part) -> Table:
    labels = list(report["overlap"][0]["labels"])
    rows = [["overlap", "pairs", "words 1", "words 2", *labels, "without"]]
    for one in report["overlap"]:
        words = [MISSING if one[key] is None else f"{one[key]:.2f}" for key in ("words1", "words2")]
        counts = [f"{one['labels'][label]:,}" for label in labels]
        rows.append([one["bin"], f"{one['pairs']:,}", *words, *counts, f"{one['unlabelled']:,}"])
    return rows


def _edits(report: Part) -> Table:
    """Return shares of the pairs with any kind of edit; a pair may have several."""
    rows = [["kind of edit", "pairs", "%"]]
    for kind, count in sorted(report["edits"].items(), key=lambda one: -one[1]):
        rows.append([kind, f"{count:,}", f"{100 * count / report['edited']:.1f}"])
    return rows


def _influence(report: Part) -> Table:
    one = report["influence"]
    return [
        ["suggestion", "answers", "alike"],
        ["shown", f"{one['shown']:,}", _show(one["same_when_shown"])],
        ["blind", f"{one['blind']:,}", _show(one["same_when_blind"])],
    ]


def _show(value: float | None) -> str:
    return MISSING if value is None else show(value)
