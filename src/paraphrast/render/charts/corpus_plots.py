"""Pictures of a corpus: bars by bin of overlap, the funnel of steps, accuracy by threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paraphrast.render.charts.scales import Scale, coordinate, labels, linear, spread, ticks
from paraphrast.render.markup import esc, picture, tag
from paraphrast.render.values import show

Series = Mapping[str, Sequence[float]]
Curve = Sequence[Sequence[float | None]]

_COLOURS = 8
_LETTER = 6.2  # width of a letter, about
_BARS = (44.0, 520.0, 22.0, 206.0)  # left, right, top, bottom
_MIRROR = (30.0, 222.0, 14.0, 150.0)
_CURVE = (44.0, 420.0, 20.0, 270.0)
_ROW, _NAMES, _WIDE = 26.0, 120.0, 420.0


def stacked_svg(names: Sequence[str], series: Series, *, title: str, y_label: str) -> str:
    """Draw a bar per name, the series one upon the other, and a key above."""
    left, right, top, bottom = _BARS
    sums = [sum(values) for values in zip(*series.values(), strict=True)]
    up = linear((0.0, max([*sums, 1e-9])), (bottom, top))
    shapes = _levels((0.0, max([*sums, 1e-9])), _BARS, count=4)
    for place, name in enumerate(names):
        start, width = _slot(place, len(names), left, right)
        floor = 0.0
        for number, values in enumerate(series.values()):
            shapes.append(_bar(start, up(floor + values[place]), width, up(floor), number))
            floor += values[place]
        shapes.append(_text(start + width / 2, bottom + 14, name, "middle"))
    shapes += [_line(left, bottom, right, bottom, "axis"), _text(4, 10, y_label, "start", "name")]
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
    shapes = [_text(left - 4, up(sign * most) + 4, f"{most:,.0f}", "end") for sign in (1, -1)]
    for place, (high, low) in enumerate(zip(above, below, strict=True)):
        start, width = _slot(place, len(names), left, right)
        shapes += [_bar(start, up(high), width, up(0), 0), _bar(start, up(0), width, up(-low), 1)]
    shapes.append(_line(left, up(0), right, up(0), "axis"))
    for place, text in ((0, "0"), (len(names) // 2, ".5"), (len(names) - 1, "1")):
        start, width = _slot(place, len(names), left, right)
        shapes.append(_text(start + (width / 2 if place else 2), bottom + 14, text, "middle"))
    words = "; ".join(f"{n} {a:,} + {b:,}" for n, a, b in zip(names, above, below, strict=True))
    return picture(*shapes, width=right + 6, height=bottom + 20, title=title, desc=words)


def accuracy_svg(curves: Mapping[str, Curve], baselines: Mapping[str, float], title: str) -> str:
    """Draw a line per corpus over thresholds from 0 to 1; short strokes mark the baselines."""
    left, right, top, bottom = _CURVE
    values = [right for curve in curves.values() for _, right in curve if right is not None]
    ends = max(min([*values, *baselines.values()]) - 0.03, 0.0), min(max(values) + 0.03, 1.0)
    across, up = linear((0.0, 1.0), (left, right)), linear(ends, (bottom, top))
    shapes = _levels(ends, _CURVE, count=5)
    shapes += [
        _text(across(mark / 5), bottom + 15, f"{mark / 5:.1f}", "middle") for mark in range(6)
    ]
    shapes.append(_line(left, bottom, right, bottom, "axis"))
    last = [up(curve[-1][1] or 0.0) for curve in curves.values()]
    places = spread(last, gap=14, low=top, high=bottom)
    for number, ((name, curve), place) in enumerate(zip(curves.items(), places, strict=True)):
        own = f"s{number % _COLOURS}"
        shapes += [
            tag("path", d=_steps(curve, across, up), class_=f"series {own}"),
            _line(left, up(baselines[name]), left + 14, up(baselines[name]), f"series {own} again"),
            _line(right, last[number], right + 12, place, f"leader {own}"),
            _text(right + 16, place + 4, name, "start", f"label {own}"),
        ]
    shapes.append(_text(4, 10, "accuracy", "start", "name"))
    shapes.append(_text(right, bottom + 32, "threshold of word overlap", "end", "name"))
    width = right + 26 + 7.2 * max(map(len, curves), default=0)
    words = "; ".join(f"{n} at best {show(max(y or 0 for _, y in c))}" for n, c in curves.items())
    return picture(*shapes, width=width, height=bottom + 38, title=title, desc=words)


def funnel_svg(steps: Sequence[tuple[str, int, int]], *, title: str) -> str:
    """Draw what each step was given (pale) and what it gave on (full), widest at the top."""
    most = float(max([1, *(max(taken, given) for _, taken, given in steps)]))
    across = linear((0.0, most), (0.0, _WIDE - _NAMES))
    shapes = []
    for number, (name, taken, given) in enumerate(steps):
        y = 4 + number * _ROW
        for count, opacity in ((taken, ".28"), (given, "1")):
            shape = {"x": _NAMES, "y": y, "height": 18, "width": coordinate(across(count))}
            shapes.append(tag("rect", **shape, style=f"fill:var(--accent);fill-opacity:{opacity}"))
        shapes.append(_text(_NAMES - 8, y + 13, name, "end"))
        shapes.append(
            _text(_NAMES + across(max(taken, given)) + 6, y + 13, _passed(taken, given), "start")
        )
    words = "; ".join(f"{name} {taken:,} to {given:,}" for name, taken, given in steps)
    height = 8 + _ROW * len(steps)
    return picture(*shapes, width=_WIDE + 130, height=height, title=title, desc=words)


def _passed(taken: int, given: int) -> str:
    return f"{given:,}" if taken in (0, given) else f"{taken:,} → {given:,}"


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


def _bar(x: float, top: float, width: float, bottom: float, number: int) -> str:
    shape = {"x": x, "y": top, "width": width, "height": max(bottom - top, 0.0)}
    places = {key: coordinate(value) for key, value in shape.items()}
    return tag("rect", **places, style=f"fill:var(--s{number % _COLOURS});fill-opacity:.85")


def _levels(
    ends: tuple[float, float], box: tuple[float, float, float, float], *, count: int
) -> list[str]:
    """Draw lines across at round values, with their labels."""
    left, right, top, bottom = box
    up, marks = linear(ends, (bottom, top)), ticks(ends, count=count)
    shapes = [_line(left, up(mark), right, up(mark), "grid") for mark in marks]
    return shapes + [
        _text(left - 5, up(mark) + 4, text, "end")
        for mark, text in zip(marks, labels(marks), strict=True)
    ]


def _key(names: Sequence[str], right: float, y: float) -> list[str]:
    """Name the series from the right, each behind a square of its colour."""
    shapes, x = [], right
    for number, name in reversed(list(enumerate(names))):
        x -= len(name) * _LETTER
        shapes.append(_text(x, y, name, "start"))
        x -= 14
        shapes.append(_bar(x, y - 9, 10, y + 1, number))
        x -= 10
    return shapes


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return tag("line", **{key: coordinate(value) for key, value in ends.items()}, class_=kind)


def _text(x: float, y: float, text: str, anchor: str, kind: str | None = None) -> str:
    place = {"x": coordinate(x), "y": coordinate(y), "text_anchor": anchor}
    return tag("text", esc(text), **place, class_=kind)
