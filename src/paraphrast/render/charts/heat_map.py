"""Coloured tables: the heat map of metrics against columns, and the matrix of p-values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paraphrast.render.charts.scales import drawable
from paraphrast.render.markup import esc, name, row_head, tag
from paraphrast.render.pages.page import scroller
from paraphrast.render.pages.style import COLD_STEPS, STEPS
from paraphrast.render.values import MISSING, finite, show, show_p, typeset

Grid = Sequence[Sequence[float | None]]

_LEVELS = ((0.001, "h7", "p < .001"), (0.01, "h5", "p < .01"), (0.05, "h2", "p < .05"))


def heat_map(ident: str, metrics: Sequence[str], heads: Sequence[str], grid: Grid) -> str:
    """Return a table of values, coloured on one scale, with its legend; `heads` are markup.

    The scale is the range of the values; where some are negative it is centred on zero and
    those below are drawn in another hue. The best value of a column is underlined.
    """
    values = [value for row in grid for value in row if value is not None and drawable(value)]
    ends = _range(values)
    best = [_best(column) for column in zip(*grid, strict=True)]
    rows = [
        tag("tr", row_head(metric), *_cells(row, best, ends))
        for metric, row in zip(metrics, grid, strict=True)
    ]
    head = tag("th", "metric", scope="col", class_="who")
    columns = [tag("th", text, scope="col") for text in heads]
    body = tag("thead", tag("tr", head, *columns)) + tag("tbody", *rows)
    table = tag("table", body, class_="heat", aria_labelledby=ident)
    return scroller(ident, table, kind=_width(len(heads))) + _legend(min(values, default=0.0), ends)


def significance(ident: str, metrics: Sequence[str], matrix: Sequence[Sequence[Any]]) -> str:
    """Return the matrix of p-values, row against column, coloured by level, with its legend."""
    heads = [tag("th", tag("span", name(metric)), scope="col") for metric in metrics]
    rows = [
        tag(
            "tr",
            row_head(metric),
            *(_p_cell(p, row == column) for column, p in enumerate(line)),
        )
        for row, (metric, line) in enumerate(zip(metrics, matrix, strict=True))
    ]
    body = tag("thead", tag("tr", tag("td", class_="who"), *heads)) + tag("tbody", *rows)
    table = tag("table", body, class_="tests", aria_labelledby=ident)
    keys = [tag("span", tag("i", class_=f"box {kind}"), esc(text)) for _, kind, text in _LEVELS]
    keys.append(tag("span", tag("i", class_="box blank"), "p ≥ .05: no significant difference"))
    return scroller(ident, table, kind=_width(len(metrics))) + tag("div", *keys, class_="key")


def step(value: float, ends: tuple[float, float]) -> str:
    """Return the class of a value's colour: h0 to h8 upwards, m0 to m3 below zero."""
    low, high = ends
    if value < 0:
        return f"m{_part(-value / -low if low else 1.0, COLD_STEPS)}"
    start = max(low, 0.0)
    return f"h{_part((value - start) / (high - start) if high > start else 1.0, STEPS)}"


def _part(share: float, steps: int) -> int:
    return min(steps - 1, int(min(1.0, max(0.0, share)) * steps))


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low < 0:
        reach = max(-low, high)
        return -reach, reach
    return low, high


def _best(column: Sequence[float | None]) -> float | None:
    """Return the value to mark: none where there is nothing to choose from."""
    values = [value for value in column if value is not None]
    return max(values) if len(values) > 1 and max(values) > min(values) else None


def _cells(
    row: Sequence[float | None], best: Sequence[float | None], ends: tuple[float, float]
) -> list[str]:
    return [_cell(value, top, ends) for value, top in zip(row, best, strict=True)]


def _cell(value: float | None, top: float | None, ends: tuple[float, float]) -> str:
    if value is None:
        return tag("td", MISSING, class_="none", title="undefined or not measured")
    text = esc(typeset(show(value)))
    inner = tag("span", text, class_="best") if value == top else text
    return tag("td", inner, class_=step(value, ends))


def _legend(lowest: float, ends: tuple[float, float]) -> str:
    """Draw the steps in use from low to high; those below zero are wider, being fewer."""
    used = _part(lowest / ends[0], COLD_STEPS) + 1 if lowest < 0 else 0
    cold = [tag("i", class_=f"cold m{number}") for number in reversed(range(used))]
    warm = [tag("i", class_=f"h{number}") for number in range(STEPS)]
    low = ends[0] * used / COLD_STEPS if used else ends[0]
    bounds = [low, 0.0, ends[1]] if used else [low, ends[1]]
    words = [esc(typeset(show(bound))) for bound in bounds]
    parts = [
        words[0],
        *(
            tag("span", *boxes) + word
            for boxes, word in zip([cold, warm] if used else [warm], words[1:], strict=True)
        ),
    ]
    strip = tag("span", *parts, class_="strip")
    return tag("div", strip, tag("span", "best of a column underlined"), class_="key")


def _p_cell(p: object, diagonal: bool) -> str:
    if diagonal:
        return tag("td", "·", class_="none", aria_label="same metric")
    number = finite(p)
    if number is None:
        return tag("td", MISSING, class_="none", title="not tested")
    kind = next((kind for level, kind, _ in _LEVELS if number < level), "plain")
    return tag("td", esc(show_p(number)), class_=kind)


def _width(columns: int) -> str:
    """Name how wide a table is, so that print can set it smaller rather than cut it off."""
    names = ("bare", "vast", "wide")
    return next(
        (kind for kind, most in zip(names, (30, 20, 12), strict=True) if columns > most), ""
    )
