"""The decoding study as a table of text, and its values as every format writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paraphrast.render.terminal.tables import align
from paraphrast.render.values import MISSING, finite, show, signed

Part = Mapping[str, Any]


def study_text(report: Part) -> str:
    """Return heading, table, what the columns mean, and notes."""
    columns = report["columns"]
    head = ["setting", *(column["title"] for column in columns)]
    rows = [
        [row["title"], *(cell(row.get(column["name"]), column["form"]) for column in columns)]
        for row in report["rows"]
    ]
    return "\n".join([*heading(report), align([head, *rows]), *_notes(report)])


def heading(report: Part) -> list[str]:
    """Say what was studied, line by line."""
    judge = report.get("judge")
    left_out = [f"{count:,} with {why}" for why, count in report["left_out"].items()]
    examiner = report.get("examiner")
    floor, quality, support = (report.get(name) for name in ("floor", "quality", "support"))
    return [
        f"{report['file']}: {report['pairs']:,} pairs"
        + (f"; left out: {', '.join(left_out)}" if left_out else ""),
        f"model {report['model']} ({report['fingerprint']}), seed {report['seed']}, "
        f"names and numbers {'' if report['protect'] else 'not '}protected, "
        + ("no floor" if floor is None else f"same at least {floor:g}")
        + ("" if support is None else f", support at least {support:g}")
        + ("" if quality is None else f", quality at least {quality:g}"),
        f"benchmark ROUGE-L {show(report['benchmark'])}; "
        + (f"judge {judge}" if judge else "no judge")
        + (f" and {report['check']}" if report.get("check") else "")
        + (f", measured by {examiner}" if examiner else ""),
    ]


def cell(value: object, form: str) -> str:
    """Write a value as its column asks; a missing one is an en dash."""
    number = finite(value)
    if number is None:
        return MISSING
    if form == "signed":
        return signed(number)
    if form == "score":
        return show(number)
    if form == "ratio":
        return f"{number:.2f}"
    if form == "share":
        return f"{number:.1%}"
    return f"{number:.1f}" if form == "points" else f"{number:,.0f}"


def _notes(report: Part) -> list[str]:
    return [f"note: {note}" for note in report.get("notes") or ()]
