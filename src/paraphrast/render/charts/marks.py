"""What every chart is drawn with: lines, labels, bars, axes, and names beside what they name.

Colours are classes and variables of the page's style, so a picture follows light, dark and print.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from paraphrast.render.charts.scales import Scale, coordinate, labels, spread
from paraphrast.render.markup import esc, tag

COLOURS = 8  # of series; after these they return


class PlotArea(NamedTuple):
    """Where the values of a chart are drawn, in units of its picture."""

    left: float
    right: float
    top: float
    bottom: float


def colour(number: int) -> str:
    """Return the class of a series' colour."""
    return f"s{number % COLOURS}"


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Draw a straight line of a class."""
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return tag("line", **{key: coordinate(value) for key, value in ends.items()}, class_=kind)


def label(x: float, y: float, words: str, anchor: str, kind: str | None = None) -> str:
    """Write words that start, end or have their middle at a place."""
    place = {"x": coordinate(x), "y": coordinate(y), "text_anchor": anchor}
    return tag("text", esc(words), **place, class_=kind)


def bar(
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    series: int | None = None,
    opacity: str | None = None,
) -> str:
    """Draw a rectangle in the colour of a series, or in that of the page's accent."""
    shape = {"x": x, "y": y, "width": max(width, 0.0), "height": max(height, 0.0)}
    fill = "--accent" if series is None else f"--{colour(series)}"
    style = f"fill:var({fill})" + (f";fill-opacity:{opacity}" if opacity else "")
    return tag("rect", **{key: coordinate(value) for key, value in shape.items()}, style=style)


def dots(places: Sequence[tuple[float, float]], kind: str) -> str:
    """Draw dots in one path: strokes of no length with round ends."""
    path = "".join(f"M{coordinate(x)} {coordinate(y)}h0" for x, y in places)
    return tag("path", d=path, class_=kind)


def levels(area: PlotArea, up: Scale, marks: Sequence[float], *, beside: float = 6) -> list[str]:
    """Draw a line across at each mark, with its value at the left."""
    shapes = [line(area.left, up(mark), area.right, up(mark), "grid") for mark in marks]
    return shapes + [
        label(area.left - beside, up(mark) + 4, words, "end")
        for mark, words in zip(marks, labels(marks), strict=True)
    ]


def axes(
    area: PlotArea,
    scales: tuple[Scale, Scale],
    marks: tuple[Sequence[float], Sequence[float]],
    *,
    upright: bool,
    below: float = 16,
) -> list[str]:
    """Draw levels and the axis below, with a value at each of its marks.

    `scales` and `marks` are of x and of y. The marks of x are lines up to the top if `upright`, and
    short strokes otherwise; their values stand `below` the axis.
    """
    across, up = scales
    left, right, top, bottom = area
    ends = (top, bottom, "grid") if upright else (bottom, bottom + 4, "axis")
    shapes = levels(area, up, marks[1])
    shapes += [line(across(mark), ends[0], across(mark), ends[1], ends[2]) for mark in marks[0]]
    shapes.append(line(left, bottom, right, bottom, "axis"))
    return shapes + [
        label(across(mark), bottom + below, words, "middle")
        for mark, words in zip(marks[0], labels(marks[0]), strict=True)
    ]


def names_beside(
    area: PlotArea, names: Sequence[tuple[int, str]], starts: Sequence[tuple[float, float]]
) -> list[str]:
    """Write the names of series right of a chart, each joined to where it starts by a thin line.

    A name comes with the number of its series. Names that would touch are moved apart.
    """
    places = spread([y for _, y in starts], gap=15, low=area.top, high=area.bottom)
    shapes = []
    for (number, name), (x, y), place in zip(names, starts, places, strict=True):
        shapes.append(line(x, y, area.right + 14, place, f"leader {colour(number)}"))
        shapes.append(label(area.right + 18, place + 4, name, "start", f"label {colour(number)}"))
    return shapes


def named_bar(
    place: tuple[float, float],
    name: str,
    lengths: Sequence[tuple[float, str | None]],
    words: str,
    *,
    height: float = 17,
) -> str:
    """Draw a bar that lies: its name left of its start, words right of its end.

    `lengths` are those of rectangles, one upon the other, each with its opacity.
    """
    x, y = place
    longest = max(length for length, _ in lengths)
    shapes = [bar(x, y, length, height, opacity=opacity) for length, opacity in lengths]
    shapes.append(label(x - 8, y + 12.5, name, "end"))
    return "".join([*shapes, label(x + longest + 6, y + 12.5, words, "start")])
