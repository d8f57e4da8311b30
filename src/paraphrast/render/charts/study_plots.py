"""Pictures of the decoding study: bars, histograms against a line, and settings in a plane."""

from __future__ import annotations

from collections.abc import Sequence

from paraphrast.render.charts.marks import (
    PlotArea,
    axes,
    bar,
    colour,
    dots,
    label,
    line,
    named_bar,
    names_beside,
)
from paraphrast.render.charts.scales import domain, linear, ticks
from paraphrast.render.markup import picture
from paraphrast.render.values import show

Point = tuple[str, float, float]

_ROW = 22.0
_NAMES, _RIGHT = 130.0, 480.0  # where bars begin, and end at the most
_HISTOGRAM = PlotArea(8.0, 218.0, 12.0, 128.0)
_PLANE = PlotArea(54.0, 430.0, 24.0, 320.0)
_LETTER = 7.0  # width of a letter, about


def bars_svg(values: Sequence[tuple[str, float]], *, title: str, line: float | None = None) -> str:
    """Draw a bar per name from 0, the value beside it; `line` is the value to compare with."""
    top = max([1e-9, *(value for _, value in values), line or 0.0])
    across = linear((0.0, top), (0.0, _RIGHT - _NAMES))
    shapes = [
        named_bar((_NAMES, 6 + n * _ROW), name, [(across(max(value, 0.0)), None)], show(value))
        for n, (name, value) in enumerate(values)
    ]
    height = 12 + len(values) * _ROW
    if line is not None:
        shapes.append(_upright(_NAMES + across(line), 2, height - 4))
    words = "; ".join(f"{name} {show(value)}" for name, value in values)
    return picture(*shapes, width=_RIGHT + 46, height=height, title=title, desc=words)


def histogram_svg(counts: Sequence[int], *, line: float, title: str) -> str:
    """Draw counts in equal bins from 0 to 1, and a line across them."""
    left, right, top, bottom = _HISTOGRAM
    across = linear((0.0, 1.0), (left, right))
    up = linear((0.0, float(max([1, *counts]))), (bottom, top))
    width = (right - left) / max(len(counts), 1)
    shapes = [
        bar(left + n * width, up(count), width - 0.6, bottom - up(count), opacity=".75")
        for n, count in enumerate(counts)
        if count
    ]
    shapes += axes(_HISTOGRAM, (across, up), ((0.0, 0.5, 1.0), ()), upright=False)
    shapes.append(_upright(across(line), top - 6, bottom))
    desc = f"{sum(counts):,} sentences, at most {max([0, *counts]):,} in a bin."
    return picture(*shapes, width=right + 8, height=bottom + 22, title=title, desc=desc)


def plane_svg(points: Sequence[Point], *, x_label: str, y_label: str, title: str) -> str:
    """Draw a dot per name at (x, y); the names stand to the right, joined by thin lines."""
    left, right, top, bottom = _PLANE
    x_ends = domain([x for _, x, _ in points], pad=0.08)
    y_ends = domain([y for _, _, y in points], pad=0.08)
    scales = across, up = linear(x_ends, (left, right)), linear(y_ends, (bottom, top))
    shapes = axes(_PLANE, scales, (ticks(x_ends, count=5), ticks(y_ends, count=5)), upright=True)
    places = [(across(x), up(y)) for _, x, y in points]
    shapes += names_beside(_PLANE, list(enumerate(name for name, _, _ in points)), places)
    shapes += [dots([place], f"marks {colour(n)}") for n, place in enumerate(places)]
    shapes.append(label(4, 12, y_label, "start", "name"))
    shapes.append(label(right, bottom + 36, x_label, "end", "name"))
    width = right + 28 + _LETTER * max((len(name) for name, _, _ in points), default=0)
    words = "; ".join(f"{name} at {show(x)}, {show(y)}" for name, x, y in points)
    return picture(*shapes, width=width, height=bottom + 44, title=title, desc=words)


def _upright(x: float, top: float, bottom: float) -> str:
    """Draw the line of a value to compare with."""
    return line(x, top, x, bottom, "fit")
