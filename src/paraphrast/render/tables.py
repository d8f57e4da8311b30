"""Scores as plain text tables: aligned columns, no dependency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paraphrast.types import PairedTest, Report, Score

_ARROWS = {"higher": "↑", "lower": "↓"}


def align(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Lay rows out in columns; the first `left` columns are flush left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if number < left else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def report_table(reports: Mapping[str, Report], tests: Sequence[PairedTest] = ()) -> str:
    """Return a table with a row per metric and a column per system, then notes and signatures."""
    first = next(iter(reports.values()))
    marks = {(test.system, number): test for number, test in _numbered(tests)}
    header = ["", *(name or "score" for name in reports)]
    rows = [header]
    for number, score in enumerate(first.scores):
        cells = [
            _cell(report.scores[number], marks.get((name, number)))
            for name, report in reports.items()
        ]
        rows.append([f"{score.metric} {_ARROWS[score.better]}", *cells])
    parts = [align(rows)]
    if tests:
        parts.append(f"* differs from {tests[0].baseline!r} with p < .05 after Holm's correction")
    parts.append(f"{first.segments} segments")
    parts.extend(_notes(reports))
    parts.extend(score.signature for score in first.scores)
    return "\n".join(parts)


def _numbered(tests: Sequence[PairedTest]) -> list[tuple[int, PairedTest]]:
    """Number each system's tests: they follow the order of the metrics."""
    seen: dict[str, int] = {}
    numbered = []
    for test in tests:
        number = seen.get(test.system, 0)
        seen[test.system] = number + 1
        numbered.append((number, test))
    return numbered


def _cell(score: Score, test: PairedTest | None) -> str:
    text = number(score.score)
    if score.ci:
        text += f" [{number(score.ci[0])}, {number(score.ci[1])}]"
    mark = "*" if test and test.significant else " "
    return text + mark if test else text


def number(value: float) -> str:
    """Print small ranges with four digits and large ones with two."""
    return f"{value:.4f}" if abs(value) < 2 else f"{value:.2f}"


def _notes(reports: Mapping[str, Report]) -> list[str]:
    notes: dict[str, None] = {}
    for name, report in reports.items():
        for note in report.notes:
            notes.setdefault(f"note: {name + ': ' if name else ''}{note}")
    return list(notes)
