"""A meta-evaluation as Markdown, as CSV and as a table for the terminal."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from paraphrast.render.markup import esc, grid_table, tag
from paraphrast.render.terminal.tables import align
from paraphrast.render.values import (
    counted,
    definitions,
    finite,
    groups_of,
    interval,
    metric_of,
    notes_of,
    reason,
    show,
    show_interval,
    show_p,
    statistic_label,
)

Part = Mapping[str, Any]

CSV_COLUMNS = (
    "task", "title", "level", "statistic", "metric", "group", "value", "ci_low", "ci_high",
    "cluster", "published", "items", "signature", "note",
)  # fmt: skip


def meta_markdown(report: Part) -> str:
    """Return the report as Markdown: a ranked table and the p-values of each task, signatures."""
    tables = report.get("tables") or []
    lines = [f"# {_md(report.get('title', 'Meta-evaluation'))}", ""]
    if report.get("command"):
        lines += [_code(report["command"]), ""]
    if report.get("version"):
        lines += [f"Made with paraphrast {_md(report['version'])}.", ""]
    lines += _bullets([*notes_of(report), *definitions(report)])
    for table in tables:
        lines += _markdown_table(table)
    rows = [row for table in tables for row in table.get("rows") or () if row.get("signature")]
    signed = dict.fromkeys((metric_of(row), str(row["signature"])) for row in rows)
    if signed:
        lines += ["## Signatures", ""]
        lines += [f"- {_md(metric)}: {_code(text)}" for metric, text in signed] + [""]
    return "\n".join(lines)


def meta_csv(report: Part) -> str:
    """Return one line per metric × task × statistic × group, the group `mean` first.

    `items` counts those of the line's group. Numbers are in full precision; what is missing is an
    empty field, with the reason in `note`.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for table in report.get("tables") or []:
        for row in table.get("rows") or ():
            writer.writerows([_unreturned(cell) for cell in line] for line in _csv_rows(row, table))
    return out.getvalue()


def meta_table(report: Part, *, width: int = 100) -> str:
    """Return the report for a terminal; groups stand in columns where they fit the width."""
    blocks = [_line(report.get("title", ""))] + [
        _terminal_table(table, width) for table in report.get("tables") or []
    ]
    notes = [f"note: {_line(note)}" for note in notes_of(report)]
    return "\n\n".join(block for block in [*blocks, "\n".join(notes)] if block)


def meta_notebook(report: Part) -> str:
    """Return the report as plain HTML tables, without a page around them, for notebooks."""
    blocks = []
    for table in report.get("tables") or []:
        title = table.get("title") or table.get("task") or ""
        blocks.append(tag("p", tag("b", esc(title)), esc(f": {_about(table)}")))
        blocks.append(grid_table(_grid(table, groups_of(table))))
        blocks += [tag("p", esc(note)) for note in [*notes_of(table), *_reasons(table)]]
    return "".join([*blocks, *(tag("p", esc(note)) for note in notes_of(report))])


def _markdown_table(table: Part) -> list[str]:
    title = table.get("title") or table.get("task") or ""
    rows = table.get("rows") or []
    lines = [f"## {_md(title)}", "", f"{_md(_about(table))}.", ""]
    cells = _grid(table, groups_of(table))
    if rows:
        lines += [*_pipes(cells), ""]
    tests = table.get("p")
    if tests and len(tests["metrics"]) > 1:
        lines += ["Two-sided p of row against column, Holm-corrected:", ""]
        lines += [*_pipes(_p_grid(tests)), ""]
    return lines + _bullets([*notes_of(table), *_reasons(table)])


def _terminal_table(table: Part, width: int) -> str:
    title = _line(table.get("title") or table.get("task") or "")
    groups = groups_of(table)
    lines = [title, _line(_about(table)), ""]
    if table.get("rows"):
        text = align(_lined(_grid(table, groups)), left=2)
        if groups and max(map(len, text.splitlines())) > width:
            text = align(_lined(_grid(table, [])), left=2)
            text += f"\n({len(groups)} groups do not fit {width} columns: see CSV or HTML)"
        lines.append(text)
    lines += [f"note: {_line(note)}" for note in [*notes_of(table), *_reasons(table)]]
    return "\n".join(lines).strip()


def _grid(table: Part, groups: Sequence[str]) -> list[list[str]]:
    """Return heads and rows: cluster, metric, value, interval, published, then the groups.

    Columns that no row fills are left out.
    """
    rows = table.get("rows") or []
    heads = ["#", "metric", statistic_label(table.get("statistic", "")), "interval", "published"]
    grid = [heads + list(groups)]
    for row in rows:
        cluster, published = row.get("cluster"), finite(row.get("published"))
        cells = [
            "" if cluster is None else str(cluster),
            metric_of(row),
            show(row.get("value")),
            show_interval(row),
            "" if published is None else show(published),
        ]
        grid.append(cells + [show((row.get("by") or {}).get(group)) for group in groups])
    kept = [n for n in range(len(grid[0])) if n in (0, 1, 2) or any(line[n] for line in grid[1:])]
    return [[line[n] for n in kept] for line in grid]


def _p_grid(tests: Part) -> list[list[str]]:
    metrics = [str(metric) for metric in tests["metrics"]]
    rows = [
        [metric, *("" if row == column else show_p(p) for column, p in enumerate(line))]
        for row, (metric, line) in enumerate(zip(metrics, tests["matrix"], strict=True))
    ]
    return [["", *metrics], *rows]


def _about(table: Part) -> str:
    groups = groups_of(table)
    level = table.get("level")
    words = [
        f"{level} level" if level else "",
        statistic_label(table.get("statistic", "")),
        counted(table),
        f"mean over {len(groups)} groups" if groups else "",
    ]
    return ", ".join(word for word in words if word)


def _reasons(table: Part) -> list[str]:
    """Say for each row without a value why, unless a note of the table says it already."""
    said = " ".join(notes_of(table))
    missing = [row for row in table.get("rows") or () if finite(row.get("value")) is None]
    found = [(metric_of(row), reason(row, table)) for row in missing]
    return [f"{metric}: {why}" for metric, why in found if metric not in said or why not in said]


def _csv_rows(row: Part, table: Part) -> Iterator[list[object]]:
    low, high = interval(row) or ("", "")
    published = finite(row.get("published"))
    items = {"mean": table.get("items"), **(table.get("items_by") or {})}
    start = [table.get(key, "") for key in ("task", "title", "level", "statistic")]
    cluster = "" if row.get("cluster") is None else row["cluster"]
    by = row.get("by") or {}
    parts = [("mean", row.get("value"))] + [(group, by.get(group)) for group in groups_of(table)]
    for group, raw in parts:
        value, count, whole = finite(raw), finite(items.get(group)), group == "mean"
        yield [
            *start, metric_of(row), group, "" if value is None else value,
            *((low, high, cluster) if whole else ("", "", "")),
            published if whole and published is not None else "",
            "" if count is None else int(count), row.get("signature") or "",
            reason(row, table) if value is None else "",
        ]  # fmt: skip


def _unreturned(cell: object) -> object:
    """Turn a carriage return into a space: Python's csv leaves it unquoted before a plain \n."""
    return cell.replace("\r", " ") if isinstance(cell, str) else cell


def _pipes(grid: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(map(_md, line)) + " |" for line in grid]
    rule = "|" + "".join("---|" if n < 2 else "--:|" for n in range(len(grid[0])))
    return [lines[0], rule, *lines[1:]]


def _bullets(notes: Sequence[str]) -> list[str]:
    return [f"- {_md(note)}" for note in notes] + [""] if notes else []


def _md(text: object) -> str:
    """Escape what Markdown would read as markup, and keep the text on one line."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&!$])", r"\\\1", _line(text))


def _code(text: object) -> str:
    """Return a code span, fenced with more backticks than the text holds in a row."""
    line = _line(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    pad = " " if "`" in line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _lined(grid: Sequence[Sequence[str]]) -> list[list[str]]:
    return [[_line(cell) for cell in line] for line in grid]


def _line(text: object) -> str:
    """Bring a text onto one line.

    Control and direction characters, which can take a terminal over or reorder a row, become
    U+FFFD.
    """
    flat = " ".join(str(text).split())
    return "".join(
        "\ufffd" if unicodedata.category(c) in ("Cc", "Cs") or c in _BIDI else c for c in flat
    )


_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
