"""A stress test as tables of text: the ranking, accuracy and AUC by kind, and the edges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from paraphrast.render.markup import esc, grid_table, tag
from paraphrast.render.terminal.tables import align
from paraphrast.render.values import MISSING, finite, show

Part = Mapping[str, Any]
Grid = list[list[str]]

_WIDTH = 100
OVERALL = "all"
TITLES = {
    "accuracy": "Accuracy by kind",
    "auc": "AUC by kind",
    "right": "Edge cases: share decided rightly",
    "moved": "Added context: how far the value moves (standard deviations), decisions that stay",
}
_UNDEFINED = "error"


def stress_table(report: Part) -> str:
    """Return the report for a terminal; many metrics are set in several blocks."""
    blocks = [heading(report), align(ranking(report))]
    metrics = report["metrics"]
    if len(metrics) == 1:
        blocks.append(align(kinds_of(metrics[0])))
    else:
        blocks += [f"{TITLES[key]}\n{_blocks(by_kind(report, key))}" for key in ("accuracy", "auc")]
    if any(one["edges"] for one in metrics):
        blocks.append(f"{TITLES['right']}\n{_blocks(edge_grid(report))}")
        context = context_grid(report)
        blocks.append(f"{TITLES['moved']}\n{_blocks(context)}" if len(context) > 1 else "")
    blocks.append("\n".join(f"note: {note}" for note in notes(report)))
    return "\n\n".join(block for block in blocks if block)


def stress_notebook(report: Part) -> str:
    """Return the report as plain HTML tables, without a page around them."""
    parts = [tag("p", esc(heading(report))), grid_table(ranking(report))]
    parts += [tag("p", esc(TITLES["accuracy"])), grid_table(by_kind(report, "accuracy"))]
    return "".join([*parts, *(tag("p", esc(note)) for note in notes(report))])


def heading(report: Part) -> str:
    """Say what was measured."""
    return (
        f"Stress suite {report['suite']}: {report['pairs']} pairs of the reporting half, half of "
        f"which say the same"
    )


def ranking(report: Part) -> Grid:
    """Return a row per metric: accuracy, AUC, their intervals, and the threshold."""
    rows = [["metric", "accuracy", "interval", "AUC", "interval", "same if"]]
    for one in report["metrics"]:
        overall = one["overall"]
        rows.append([one["metric"], *_measured(overall), decision(one)])
    return rows


def kinds_of(metric: Part) -> Grid:
    """Return a row per kind of one metric, with intervals."""
    rows = [["kind", "accuracy", "interval", "AUC", "interval", "pairs"]]
    return rows + [[one["kind"], *_measured(one), str(one["pairs"])] for one in metric["kinds"]]


def by_kind(report: Part, key: str) -> Grid:
    """Return kinds against metrics."""
    metrics = report["metrics"]
    rows = [["kind", *(one["metric"] for one in metrics)]]
    rows.append([OVERALL, *(show(one["overall"][key]) for one in metrics)])
    for number, kind in enumerate(one["kind"] for one in metrics[0]["kinds"]):
        rows.append([kind, *(show(one["kinds"][number][key]) for one in metrics)])
    return rows


def edge_grid(report: Part) -> Grid:
    """Return rows of edge cases against metrics: the share of decisions that are right."""
    metrics = [one for one in report["metrics"] if one["edges"]]
    rows = [["", *(one["metric"] for one in metrics)]]
    lines = zip(*(one["edges"] for one in metrics), strict=True)
    return rows + [[edge_name(line[0]), *map(_right, line)] for line in lines]


def context_grid(report: Part) -> Grid:
    """Return rows of added context against metrics: the movement and the decisions that stay."""
    metrics = [one for one in report["metrics"] if one["edges"]]
    rows = [["sentences", *(one["metric"] for one in metrics)]]
    for line in zip(*(one["edges"] for one in metrics), strict=True):
        if any(one["kept"] is not None for one in line):
            cells = [
                _UNDEFINED if one["error"] else f"{show(one['moved'])} {_share(one['kept'])}"
                for one in line
            ]
            rows.append([line[0]["row"], *cells])
    return rows


def edge_name(edge: Part) -> str:
    """Name a row of edge cases with what is right for it."""
    right = {True: "same", False: "not the same", None: "half are"}[edge["same"]]
    return f"{edge['group']}: {edge['row']} ({right})"


def decision(metric: Part) -> str:
    """Say when the metric calls a pair the same."""
    threshold = f"{metric['threshold']:.4g}"
    if metric["better"] == "near 1":
        return f"within {threshold} of 1"
    return f"{'<' if metric['better'] == 'lower' else '>'} {threshold}"


def notes(report: Part) -> list[str]:
    """Return the report's notes, then what metrics said instead of a value."""
    return [*report["notes"], *_errors(report)]


def _errors(report: Part) -> Iterator[str]:
    for metric in report["metrics"]:
        said: dict[str, list[str]] = {}
        for edge in metric["edges"]:
            if edge["error"]:
                said.setdefault(edge["error"], []).append(f"{edge['group']}, {edge['row']}")
        for error, rows in said.items():
            yield f"{metric['metric']}: {'; '.join(rows)}: {error}"


def _measured(part: Part) -> list[str]:
    return [
        show(part["accuracy"]), _interval(part["accuracy_ci"]),
        show(part["auc"]), _interval(part["auc_ci"]),
    ]  # fmt: skip


def _interval(ends: Sequence[float]) -> str:
    return f"[{show(ends[0])}, {show(ends[1])}]"


def _right(edge: Part) -> str:
    return _UNDEFINED if edge["error"] else _share(edge["right"])


def _share(value: object) -> str:
    number = finite(value)
    return MISSING if number is None else f"{number:.0%}"


def _blocks(grid: Grid) -> str:
    """Lay a wide grid out in blocks of columns that fit a terminal, each with the first column."""
    first = max(len(row[0]) for row in grid)
    blocks: list[list[int]] = [[]]
    room = _WIDTH - first
    for column in range(1, len(grid[0])):
        width = 2 + max(len(row[column]) for row in grid)
        if blocks[-1] and room < width:
            blocks.append([])
            room = _WIDTH - first
        blocks[-1].append(column)
        room -= width
    texts = [align([[row[0], *(row[n] for n in block)] for row in grid]) for block in blocks]
    return "\n\n".join(texts)
