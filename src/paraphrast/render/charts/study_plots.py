"""Pictures of the decoding study: bars, histograms against a line, and settings in a plane."""

from __future__ import annotations

from collections.abc import Sequence

from paraphrast.render.charts.scales import Scale, coordinate, domain, labels, linear, spread, ticks
from paraphrast.render.markup import esc, picture, tag
from paraphrast.render.values import show

Point = tuple[str, float, float]

_COLOURS = 8
_ROW = 22.0
_NAMES, _RIGHT = 130.0, 480.0  # where bars begin, and end at the most
_WIDTH, _HEIGHT = 226.0, 150.0
_LEFT, _FAR, _TOP, _BOTTOM = 8.0, 218.0, 12.0, 128.0
_PLANE = (54.0, 430.0, 24.0, 320.0)  # left, right, top, bottom
_LETTER = 7.0  # width of a letter, about


def bars_svg(values: Sequence[tuple[str, float]], *, title: str, line: float | None = None) -> str:
    """Draw a bar per name from 0, the value beside it; `line` is the value to compare with."""
    top = max([1e-9, *(value for _, value in values), line or 0.0])
    across = linear((0.0, top), (_NAMES, _RIGHT))
    shapes = []
    for number, (name, value) in enumerate(values):
        y = 6 + number * _ROW
        end = across(max(value, 0.0))
        shapes += [
            _text(_NAMES - 8, y + 12, name, "end"),
            tag("rect", x=_NAMES, y=y, height=16, width=coordinate(end - _NAMES),
                style="fill:var(--accent)"),
            _text(end + 6, y + 12, show(value), "start"),
        ]  # fmt: skip
    height = 12 + len(values) * _ROW
    if line is not None:
        shapes.append(_line(across(line), 2, across(line), height - 4, "fit"))
    words = "; ".join(f"{name} {show(value)}" for name, value in values)
    return picture(*shapes, width=_RIGHT + 46, height=height, title=title, desc=words)


def histogram_svg(counts: Sequence[int], *, line: float, title: str) -> str:
    """Draw counts in equal bins from 0 to 1, and a line across them."""
    across = linear((0.0, 1.0), (_LEFT, _FAR))
    up = linear((0.0, float(max([1, *counts]))), (_BOTTOM, _TOP))
    width = (_FAR - _LEFT) / max(len(counts), 1)
    shapes = [
        tag("rect", x=coordinate(_LEFT + number * width), y=coordinate(up(count)),
            width=coordinate(width - 0.6), height=coordinate(_BOTTOM - up(count)),
            style="fill:var(--accent);fill-opacity:.75")
        for number, count in enumerate(counts)
        if count
    ]  # fmt: skip
    shapes.append(_line(_LEFT, _BOTTOM, _FAR, _BOTTOM, "axis"))
    shapes += [_text(across(mark), _BOTTOM + 14, f"{mark:g}", "middle") for mark in (0, 0.5, 1)]
    shapes.append(_line(across(line), _TOP - 6, across(line), _BOTTOM, "fit"))
    desc = f"{sum(counts):,} sentences, at most {max([0, *counts]):,} in a bin."
    return picture(*shapes, width=_WIDTH, height=_HEIGHT, title=title, desc=desc)


def plane_svg(points: Sequence[Point], *, x_label: str, y_label: str, title: str) -> str:
    """Draw a dot per name at (x, y); the names stand to the right, joined by thin lines."""
    left, right, top, bottom = _PLANE
    x_ends = domain([x for _, x, _ in points], pad=0.08)
    y_ends = domain([y for _, _, y in points], pad=0.08)
    across, up = linear(x_ends, (left, right)), linear(y_ends, (bottom, top))
    shapes = [*_frame(x_ends, y_ends, across, up), _text(4, 12, y_label, "start", "name")]
    shapes.append(_text(right, bottom + 36, x_label, "end", "name"))
    places = spread([up(y) for _, _, y in points], gap=15, low=top, high=bottom)
    for number, ((name, x, y), place) in enumerate(zip(points, places, strict=True)):
        own = f"s{number % _COLOURS}"
        shapes += [
            _line(across(x), up(y), right + 12, place, f"leader {own}"),
            tag("path", d=f"M{coordinate(across(x))} {coordinate(up(y))}h0", class_=f"marks {own}"),
            _text(right + 16, place + 4, name, "start", f"label {own}"),
        ]
    width = right + 26 + _LETTER * max((len(name) for name, _, _ in points), default=0)
    words = "; ".join(f"{name} at {show(x)}, {show(y)}" for name, x, y in points)
    return picture(*shapes, width=width, height=bottom + 44, title=title, desc=words)


def _frame(
    x_ends: tuple[float, float], y_ends: tuple[float, float], across: Scale, up: Scale
) -> list[str]:
    left, right, top, bottom = _PLANE
    xs, ys = ticks(x_ends, count=5), ticks(y_ends, count=5)
    shapes = [_line(left, up(mark), right, up(mark), "grid") for mark in ys]
    shapes += [_line(across(mark), top, across(mark), bottom, "grid") for mark in xs]
    shapes.append(_line(left, bottom, right, bottom, "axis"))
    shapes += [
        _text(across(mark), bottom + 16, text, "middle")
        for mark, text in zip(xs, labels(xs), strict=True)
    ]
    shapes += [
        _text(left - 6, up(mark) + 4, text, "end")
        for mark, text in zip(ys, labels(ys), strict=True)
    ]
    return shapes


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return tag("line", **{key: coordinate(value) for key, value in ends.items()}, class_=kind)


def _text(x: float, y: float, text: str, anchor: str, kind: str | None = None) -> str:
    place = {"x": coordinate(x), "y": coordinate(y), "text_anchor": anchor}
    return tag("text", esc(text), **place, class_=kind)
