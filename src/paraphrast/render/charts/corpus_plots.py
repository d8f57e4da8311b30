"""Pictures of a corpus: bars by bin of overlap, the funnel of steps, accuracy by threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paraphrast.render.charts.marks import (
    PlotArea,
    axes,
    bar,
    colour,
    label,
    levels,
    line,
    named_bar,
    names_beside,
)
from paraphrast.render.charts.scales import Scale, coordinate, linear, ticks
from paraphrast.render.markup import picture, tag
from paraphrast.render.values import show

Series = Mapping[str, Sequence[float]]
Curve = Sequence[Sequence[float | None]]

_LETTER = 6.2  # width of a letter, about
_BARS = PlotArea(44.0, 520.0, 22.0, 206.0)
_MIRROR = PlotArea(30.0, 222.0, 14.0, 150.0)
_CURVE = PlotArea(44.0, 420.0, 20.0, 270.0)
_ROW, _NAMES, _WIDE = 26.0, 120.0, 420.0
_FULL = ".85"  # opacity of bars


def stacked_svg(names: Sequence[str], series: Series, *, title: str, y_label: str) -> str:
    """Draw a bar per name, the series one upon the other, and a key above."""
    left, right, top, bottom = _BARS
    sums = [sum(values) for values in zip(*series.values(), strict=True)]
    ends = 0.0, max([*sums, 1e-9])
    up = linear(ends, (bottom, top))
    shapes = levels(_BARS, up, ticks(ends, count=4))
    for place, name in enumerate(names):
        start, width = _slot(place, len(names), left, right)
        floor = 0.0
        for number, values in enumerate(series.values()):
            shapes.append(_upright(start, up(floor + values[place]), width, up(floor), number))
            floor += values[place]
        shapes.append(label(start + width / 2, bottom + 14, name, "middle"))
    shapes += [line(left, bottom, right, bottom, "axis"), label(4, 10, y_label, "start", "name")]
    shapes += _key(list(series), right, 10) if len(series) > 1 else []
    words = "; ".join(f"{n} {total:,.3g}" for n, total in zip(names, sums, strict=True))
    return picture(*shapes, width=right + 8, height=bottom + 22, title=title, desc=words)


def mirror_svg(
    names: Sequence[str], above: Sequence[int], below: Sequence[int], *, title: str
) -> str:
    """Draw counts above a line and others below it, on one scale."""
    left, right, top, bottom = _MIRROR
    most = float(max([1, *above, *below]))
    up = linear((-most, most), (bottom, top))
    shapes = [label(left - 4, up(sign * most) + 4, f"{most:,.0f}", "end") for sign in (1, -1)]
    for place, (high, low) in enumerate(zip(above, below, strict=True)):
        start, width = _slot(place, len(names), left, right)
        shapes.append(_upright(start, up(high), width, up(0), 0))
        shapes.append(_upright(start, up(0), width, up(-low), 1))
    shapes.append(line(left, up(0), right, up(0), "axis"))
    for place, text in ((0, "0"), (len(names) // 2, ".5"), (len(names) - 1, "1")):
        start, width = _slot(place, len(names), left, right)
        shapes.append(label(start + (width / 2 if place else 2), bottom + 14, text, "middle"))
    words = "; ".join(f"{n} {a:,} + {b:,}" for n, a, b in zip(names, above, below, strict=True))
    return picture(*shapes, width=right + 6, height=bottom + 20, title=title, desc=words)


def accuracy_svg(curves: Mapping[str, Curve], baselines: Mapping[str, float], title: str) -> str:
    """Draw a line per corpus over thresholds from 0 to 1; short strokes mark the baselines."""
    left, right, top, bottom = _CURVE
    values = [right for curve in curves.values() for _, right in curve if right is not None]
    ends = max(min([*values, *baselines.values()]) - 0.03, 0.0), min(max(values) + 0.03, 1.0)
    scales = across, up = linear((0.0, 1.0), (left, right)), linear(ends, (bottom, top))
    marks = [number / 5 for number in range(6)], ticks(ends, count=5)
    shapes = axes(_CURVE, scales, marks, upright=False)
    lasts = [(right, up(curve[-1][1] or 0.0)) for curve in curves.values()]
    for number, (name, curve) in enumerate(curves.items()):
        kind, base = f"series {colour(number)}", up(baselines[name])
        shapes.append(tag("path", d=_steps(curve, across, up), class_=kind))
        shapes.append(line(left, base, left + 14, base, f"{kind} again"))
    shapes += names_beside(_CURVE, list(enumerate(curves)), lasts)
    shapes.append(label(4, 10, "accuracy", "start", "name"))
    shapes.append(label(right, bottom + 32, "threshold of word overlap", "end", "name"))
    width = right + 28 + 7.2 * max(map(len, curves), default=0)
    words = "; ".join(f"{n} at best {show(max(y or 0 for _, y in c))}" for n, c in curves.items())
    return picture(*shapes, width=width, height=bottom + 38, title=title, desc=words)


def funnel_svg(steps: Sequence[tuple[str, int, int]], *, title: str) -> str:
    """Draw the rows that each step took (pale) and those it passed on (full)."""
    most = float(max([1, *(max(before, after) for _, before, after in steps)]))
    across = linear((0.0, most), (0.0, _WIDE - _NAMES))
    shapes = [
        named_bar(
            (_NAMES, 4 + number * _ROW),
            name,
            [(across(before), ".28"), (across(after), None)],
            _passed(before, after),
            height=18,
        )
        for number, (name, before, after) in enumerate(steps)
    ]
    words = "; ".join(f"{name} {before:,} to {after:,}" for name, before, after in steps)
    height = 8 + _ROW * len(steps)
    return picture(*shapes, width=_WIDE + 130, height=height, title=title, desc=words)


def _passed(before: int, after: int) -> str:
    return f"{after:,}" if before in (0, after) else f"{before:,} → {after:,}"


def _steps(curve: Curve, across: Scale, up: Scale) -> str:
    """Draw a cut's accuracy from the cut before, where it begins to hold, to the cut itself."""
    path: list[str] = []
    before = 0.0
    for cut, right in curve:
        end = 1.0 if cut is None else cut
        y = coordinate(up(right or 0.0))
        path.append(f"{'M' if not path else 'L'}{coordinate(across(before))} {y}")
        path.append(f"L{coordinate(across(end))} {y}")
        before = end
    return "".join(path)


def _slot(place: int, count: int, left: float, right: float) -> tuple[float, float]:
    """Return where a bar begins and how wide it is."""
    whole = (right - left) / max(count, 1)
    return left + place * whole + whole * 0.12, whole * 0.76


def _upright(x: float, top: float, width: float, bottom: float, number: int) -> str:
    return bar(x, top, width, bottom - top, series=number, opacity=_FULL)


def _key(names: Sequence[str], right: float, y: float) -> list[str]:
    """Name the series from the right, each behind a square of its colour."""
    shapes, x = [], right
    for number, name in reversed(list(enumerate(names))):
        x -= len(name) * _LETTER
        shapes.append(label(x, y, name, "start"))
        x -= 14
        shapes.append(_upright(x, y - 9, 10, y + 1, number))
        x -= 10
    return shapes
