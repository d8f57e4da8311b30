"""Small SVG pictures of a meta-evaluation: the interval of a row, and the scatter plot.

Drawn by hand: colours are the page's CSS variables, so a picture follows light, dark and print,
and a plot of 1,500 points takes some 20 kB.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.render.charts.scales import (
    LIMIT,
    Scale,
    constant,
    coordinate,
    domain,
    drawable,
    labels,
    linear,
    ticks,
)
from paraphrast.render.markup import esc, picture, tag
from paraphrast.render.values import finite, interval

MOST_POINTS = 1500
Floats = NDArray[np.float64]
Points = tuple[Floats, Floats, list[str]]

# Where the bars of a table begin and end, in per cent of the column.
_BAR = (12.0, 88.0)
_WIDTH, _HEIGHT = 226.0, 190.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 38.0, 212.0, 18.0, 160.0
_LAYERS = 12


def bar_domain(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """Return the range that every value, interval and published value of a table fits in."""
    found = [finite(row.get(key)) for row in rows for key in ("value", "published")]
    ends = [end for row in rows for end in interval(row) or ()]
    return domain([*(value for value in found if value is not None), *ends], pad=0.06)


def bar_axis(ends: tuple[float, float]) -> str:
    """Write the tick labels that stand above the bars of a table, each at its share of the width.

    Text in HTML, not in the SVG: the bars stretch with the column, letters must not.
    """
    marks, place = ticks(ends, count=3), linear(ends, _BAR)
    words = [
        tag("span", esc(text), style=f"left:{coordinate(place(mark))}%")
        for mark, text in zip(marks, labels(marks), strict=True)
    ]
    return tag("span", *words, class_="ticks", aria_hidden="true")


def bar(row: Mapping[str, Any], ends: tuple[float, float]) -> str:
    """Draw a row's value as a dot, its interval as a bar, the published value as a ring.

    The picture stretches with its cell; strokes keep their width, so dots stay round. Hidden from
    screen readers: the same numbers stand beside it as text.
    """
    place = linear(ends, _BAR)
    shapes = [_line(place(mark), 0, place(mark), 20, "grid") for mark in ticks(ends, count=3)]
    span, value = interval(row), finite(row.get("value"))
    published = finite(row.get("published"))
    if published is not None and drawable(published):
        shapes += [_spot(place(published), "ring"), _spot(place(published), "hole")]
    if span and all(map(drawable, span)):
        shapes.append(_line(place(span[0]), 10, place(span[1]), 10, "ci"))
    if value is not None and drawable(value):
        shapes.append(_spot(place(value), "dot"))
    box = {"viewBox": "0 0 100 20", "preserveAspectRatio": "none"}
    return tag("svg", *shapes, class_="plot bar", **box, aria_hidden="true")


def points_of(raw: Mapping[str, Any]) -> Points:
    """Return the points that can be drawn: x, y and group, those without a number left out."""
    groups = [str(group) for group in raw.get("group") or [""] * len(raw["x"])]
    kept = [
        (x, y, group)
        for left, right, group in zip(raw["x"], raw["y"], groups, strict=True)
        if (x := finite(left)) is not None and (y := finite(right)) is not None
        if abs(x) < LIMIT and abs(y) < LIMIT
    ]
    xs, ys = (np.array([point[side] for point in kept], dtype=np.float64) for side in (0, 1))
    return xs, ys, [point[2] for point in kept]


def fit(x: Floats, y: Floats) -> tuple[float, float] | None:
    """Return slope and intercept of the least-squares line; None where x does not vary."""
    if len(x) < 2 or constant(float(x.min()), float(x.max())):
        return None
    centred = (x - x.mean()) / np.ptp(x)
    slope = float((centred * (y - y.mean())).sum() / (centred**2).sum() / np.ptp(x))
    return slope, float(y.mean() - slope * x.mean())


def scatter_svg(points: Points, *, y_ends: tuple[float, float], title: str) -> str:
    """Draw a metric's scores (x) against human scores (y) with the least-squares line.

    The thin lines are the fits within the groups, where there are 2 to 12 of them. At most 1,500
    points are drawn, evenly spaced in the order given; the lines are fitted to all of them.
    """
    x, y, _ = points
    ends = domain(x.tolist())
    across, up = linear(ends, (_LEFT + 4, _RIGHT - 4)), linear(y_ends, (_BOTTOM - 4, _TOP + 4))
    shown = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).round().astype(int))
    whole = fit(x, y)
    shapes = [
        *_axes(ends, y_ends, across, up),
        *_cloud([across(value) for value in x[shown]], [up(value) for value in y[shown]]),
        *_group_lines(points, across, up, y_ends),
        _fit_line(x, whole, across, up, y_ends, "fit"),
    ]
    drawn = (
        f"{len(shown):,} of {len(x):,} points." if len(shown) < len(x) else f"{len(x):,} points."
    )
    line = f" Least-squares line: human = {whole[0]:.3g} × score + {whole[1]:.3g}." if whole else ""
    return picture(*shapes, width=_WIDTH, height=_HEIGHT, title=title, desc=drawn + line)


def _axes(
    x_ends: tuple[float, float], y_ends: tuple[float, float], across: Scale, up: Scale
) -> list[str]:
    """Draw frame, ticks, labels and the names of both axes."""
    xs, ys = ticks(x_ends, count=3), ticks(y_ends, count=4)
    shapes = [_line(_LEFT, up(mark), _RIGHT, up(mark), "grid") for mark in ys]
    shapes += [_line(across(mark), _TOP, across(mark), _BOTTOM, "grid") for mark in xs]
    shapes.append(_line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "axis"))
    shapes += [
        _text(across(mark), _BOTTOM + 13, text, "middle")
        for mark, text in zip(xs, labels(xs), strict=True)
    ]
    shapes += [
        _text(_LEFT - 5, up(mark) + 3.5, text, "end")
        for mark, text in zip(ys, labels(ys), strict=True)
    ]
    shapes.append(_text(2, 10, "human", "start", "name"))
    return [*shapes, _text(_RIGHT, _HEIGHT - 3, "metric score", "end", "name")]


def _cloud(xs: Sequence[float], ys: Sequence[float]) -> list[str]:
    """Draw points as round-capped strokes of no length, shared out over a few paths.

    Strokes of one path do not add up where they overlap, those of several paths do: density
    shows, at a tenth of the size of as many circles.
    """
    marks = [f"M{coordinate(x)} {coordinate(y)}h0" for x, y in zip(xs, ys, strict=True)]
    layers = ["".join(marks[start::_LAYERS]) for start in range(min(_LAYERS, len(marks)))]
    kind = "cloud few" if len(marks) <= 250 else "cloud"
    return [tag("path", d=layer, class_=kind) for layer in layers]


def _group_lines(points: Points, across: Scale, up: Scale, ends: tuple[float, float]) -> list[str]:
    x, y, groups = points
    names = sorted(set(groups))
    if not 2 <= len(names) <= 12:
        return []
    member = np.array(groups)
    parts = [(x[member == name], y[member == name]) for name in names]
    return [_fit_line(x, fit(x, y), across, up, ends, "group") for x, y in parts if len(x) > 2]


def _fit_line(
    x: Floats,
    line: tuple[float, float] | None,
    across: Scale,
    up: Scale,
    ends: tuple[float, float],
    kind: str,
) -> str:
    """Draw a fitted line over the range of x, cut off where it would leave the picture."""
    if line is None:
        return ""
    slope, start = line
    left, right = float(x.min()), float(x.max())
    if slope:
        meets = sorted((end - start) / slope for end in ends)
        left, right = max(left, meets[0]), min(right, meets[1])
    if not left < right:
        return ""
    low, high = (up(slope * side + start) for side in (left, right))
    return _line(across(left), low, across(right), high, kind)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return tag("line", **{key: coordinate(value) for key, value in ends.items()}, class_=kind)


def _spot(x: float, kind: str) -> str:
    return tag("path", d=f"M{coordinate(x)} 10h0", class_=kind)


def _text(x: float, y: float, text: str, anchor: str, kind: str | None = None) -> str:
    place = {"x": coordinate(x), "y": coordinate(y), "text_anchor": anchor}
    return tag("text", esc(text), **place, class_=kind)
