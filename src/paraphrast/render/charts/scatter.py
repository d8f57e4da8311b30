"""Scatter plots of a meta-evaluation as small multiples: one per metric, on one human scale.

A plot of 1,500 points takes some 20 kB.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.render.charts.marks import PlotArea, axes, dots, label, line
from paraphrast.render.charts.scales import LIMIT, Scale, constant, domain, linear, ticks
from paraphrast.render.markup import esc, name, picture, tag
from paraphrast.render.pages.page import exhibit
from paraphrast.render.values import finite, groups_of, metric_of, show, typeset

MOST_POINTS = 1500
Part = Mapping[str, Any]
Floats = NDArray[np.float64]
Points = tuple[Floats, Floats, list[str]]

_AREA = PlotArea(38.0, 212.0, 18.0, 160.0)
_LAYERS = 12
_MOST_PLOTS = 12


def scatter_plots(table: Part, ident: str) -> str:
    """Draw small multiples, on one human scale; those beyond the first dozen fold away."""
    found = {str(metric): points_of(raw) for metric, raw in _clouds(table).items()}
    found = {metric: points for metric, points in found.items() if len(points[0])}
    if not found:
        return ""
    ends = domain([value for points in found.values() for value in points[1].tolist()])
    values = {metric_of(row): row.get("value") for row in table.get("rows") or ()}
    plots = [
        tag("div", tag("h3", name(metric), tag("span", esc(typeset(show(values.get(metric)))))),
            scatter_svg(points, y_ends=ends, title=f"{metric} against human scores"))
        for metric, points in found.items()
    ]  # fmt: skip
    shown = tag("div", *plots[:_MOST_PLOTS], class_="plots")
    if rest := plots[_MOST_PLOTS:]:
        folded = tag("summary", f"{len(rest)} more plots") + tag("div", *rest, class_="plots")
        shown += tag("details", folded)
    return exhibit("fig", ident, _scatter_words(table, len(found)), shown)


def _scatter_words(table: Part, plots: int) -> str:
    words = "Metric scores against human scores, with the least-squares line"
    words += " and, thin, the line within each group." if groups_of(table) else "."
    raw = list(_clouds(table).values())
    drawn, total = _sampled(table, raw)
    if drawn < total:
        words += f" A sample of {drawn:,} of {total:,} points{' each' if plots > 1 else ''}."
    return words


def _sampled(table: Part, raw: Sequence[Part]) -> tuple[int, int]:
    """Return how many points a plot shows and of how many."""
    given = max(len(points["x"]) for points in raw)
    stated = [finite(part.get("of")) for part in (*raw, table["points"], table)]
    total = max([given, *(int(number) for number in stated if number is not None)])
    return min(given, MOST_POINTS), total


def _clouds(table: Part) -> dict[str, Part]:
    return {str(m): raw for m, raw in table["points"].items() if isinstance(raw, Mapping)}


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
    left, right, top, bottom = _AREA
    across, up = linear(ends, (left + 4, right - 4)), linear(y_ends, (bottom - 4, top + 4))
    marks = ticks(ends, count=3), ticks(y_ends, count=4)
    shown = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).round().astype(int))
    whole = fit(x, y)
    shapes = [
        *axes(_AREA, (across, up), marks, upright=True, below=13),
        label(2, 10, "human", "start", "name"),
        label(right, bottom + 27, "metric score", "end", "name"),
        *_cloud([across(value) for value in x[shown]], [up(value) for value in y[shown]]),
        *_group_lines(points, across, up, y_ends),
        _fit_line(x, whole, across, up, y_ends, "fit"),
    ]
    drawn = (
        f"{len(shown):,} of {len(x):,} points." if len(shown) < len(x) else f"{len(x):,} points."
    )
    fitted = (
        f" Least-squares line: human = {whole[0]:.3g} × score + {whole[1]:.3g}." if whole else ""
    )
    return picture(*shapes, width=right + 14, height=bottom + 30, title=title, desc=drawn + fitted)


def _cloud(xs: Sequence[float], ys: Sequence[float]) -> list[str]:
    """Draw points as round-capped strokes of no length, shared out over a few paths.

    Strokes of one path do not add up where they overlap, those of several paths do: density
    shows, at a tenth of the size of as many circles.
    """
    places = list(zip(xs, ys, strict=True))
    kind = "cloud few" if len(places) <= 250 else "cloud"
    return [dots(places[start::_LAYERS], kind) for start in range(min(_LAYERS, len(places)))]


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
    fitted: tuple[float, float] | None,
    across: Scale,
    up: Scale,
    ends: tuple[float, float],
    kind: str,
) -> str:
    """Draw a fitted line over the range of x, cut off where it would leave the picture."""
    if fitted is None:
        return ""
    slope, start = fitted
    left, right = float(x.min()), float(x.max())
    if slope:
        meets = sorted((end - start) / slope for end in ends)
        left, right = max(left, meets[0]), min(right, meets[1])
    if not left < right:
        return ""
    low, high = (up(slope * side + start) for side in (left, right))
    return line(across(left), low, across(right), high, kind)
