"""Learning curves: a quantity against the size of the data, one line with its band per series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paraphrast.render.charts.scales import (
    Scale,
    coordinate,
    domain,
    drawable,
    labels,
    linear,
    log_ticks,
    logarithmic,
    spread,
    ticks,
)
from paraphrast.render.markup import esc, name, tag
from paraphrast.render.pages.page import exhibit, page, scroller
from paraphrast.render.pages.style import PLOT_CSS
from paraphrast.render.values import MISSING, finite, show, typeset

Point = tuple[float, float, float | None, float | None]
Series = Mapping[str, Sequence[Point]]

_LEFT, _RIGHT, _TOP = 54.0, 470.0, 30.0
_LONGEST = 24
_COLOURS = 8
_ROW = 15.0


def curve_svg(series: Series, *, x_label: str, y_label: str, title: str, log_x: bool = True) -> str:
    """Draw each series of (x, y, low, high) as a line, with a band where low and high are given.

    x is logarithmic where it is positive and spans a factor of 20 or more, unless `log_x` is
    False. Points without a finite x and y are left out. The SVG stands alone: it carries its own
    light and dark colours.
    """
    kept = {label: _kept(points) for label, points in series.items()}
    height = max(330.0, 80 + _ROW * len(kept))
    bottom = height - 46
    x_ends, log = _x_domain(kept, log_x)
    y_ends = domain(
        [value for points in kept.values() for p in points for value in p[1:] if value is not None]
    )
    across = (logarithmic if log else linear)(x_ends, (_LEFT + 8, _RIGHT))
    up = linear(y_ends, (bottom - 6, _TOP + 6))
    marks = log_ticks(x_ends) if log else ticks(x_ends, count=5)
    shapes = [*_frame(marks, ticks(y_ends, count=5), across, up, bottom)]
    shapes += [tag("text", esc(y_label), x=4, y=14, class_="name")]
    shapes += [tag("text", esc(x_label), x=_RIGHT, y=height - 6, text_anchor="end", class_="name")]
    shapes += [_band(points, across, up, number) for number, points in enumerate(kept.values())]
    shapes += [_stroke(points, across, up, number) for number, points in enumerate(kept.values())]
    shapes += _names(kept, across, up, bottom)
    words = tag("title", esc(title)) + tag("desc", esc(_description(kept)))
    width = _RIGHT + 26 + 8 * max((len(_short(label)) for label in kept), default=0)
    return tag(
        "svg",
        words,
        tag("style", PLOT_CSS),
        *shapes,
        xmlns="http://www.w3.org/2000/svg",
        class_="plot curve",
        role="img",
        viewBox=f"0 0 {width:g} {height:g}",
    )


def curve_html(
    series: Series,
    *,
    x_label: str,
    y_label: str,
    title: str,
    band: str = "",
    notes: Sequence[str] = (),
    command: str = "",
    version: str = "",
) -> str:
    """Return a self-contained page: the curve, the numbers behind it, the notes.

    `band` says what the bands are, such as "from the 5th to the 95th percentile".
    """
    drawn = curve_svg(series, x_label=x_label, y_label=y_label, title=title)
    banded = any(low is not None for points in series.values() for _, _, low, _ in points)
    bands = f"; the bands go {band}" if band else "; bands as given in the table"
    words = f"{esc(y_label)} against {esc(x_label)}{esc(bands) if banded else ''}."
    caption = "The numbers behind the curve" + (", with the ends of the bands." if banded else ".")
    body = exhibit("fig", "curve", words, scroller("curve", drawn) + curve_key(series))
    body += exhibit("tab", "numbers", caption, scroller("numbers", curve_numbers(series, x_label)))
    return page(title, body, notes=notes, command=command, version=version)


def curve_key(series: Series) -> str:
    """Name the colours below the curve: for phones, where its own names scroll out of sight."""
    entries = [
        tag("span", tag("i", class_="box", style=f"background:var(--s{number % _COLOURS})"),
            name(label))
        for number, label in enumerate(series)
    ]  # fmt: skip
    return tag("div", *entries, class_="key narrow")


def _kept(points: Sequence[Point]) -> list[Point]:
    """Return the points with a place, in order of x; half a band is no band."""
    kept: list[Point] = []
    for x, y, low, high in points:
        if finite(x) is None or finite(y) is None or not drawable(x) or not drawable(y):
            continue
        whole = all(finite(end) is not None and drawable(end) for end in (low, high))
        kept.append((x, y, low, high) if whole else (x, y, None, None))
    return sorted(kept, key=lambda point: point[0])


def _x_domain(series: Series, log_x: bool) -> tuple[tuple[float, float], bool]:
    xs = [point[0] for points in series.values() for point in points]
    if log_x and xs and min(xs) > 1e-9 and max(xs) / min(xs) >= 20:
        return (min(xs), max(xs)), True
    return domain(xs, pad=0.0), False


def _frame(
    xs: Sequence[float], ys: Sequence[float], across: Scale, up: Scale, bottom: float
) -> list[str]:
    shapes = [_rule(_LEFT, up(mark), _RIGHT, up(mark), "grid") for mark in ys]
    shapes.append(_rule(_LEFT, bottom, _RIGHT, bottom, "axis"))
    shapes += [_rule(across(mark), bottom, across(mark), bottom + 4, "axis") for mark in xs]
    shapes += [
        tag("text", esc(text), x=coordinate(across(mark)), y=bottom + 17, text_anchor="middle")
        for mark, text in zip(xs, labels(xs), strict=True)
    ]
    shapes += [
        tag("text", esc(text), x=_LEFT - 6, y=coordinate(up(mark) + 4), text_anchor="end")
        for mark, text in zip(ys, labels(ys), strict=True)
    ]
    return shapes


def _rule(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return tag("line", **{key: coordinate(value) for key, value in ends.items()}, class_=kind)


def _band(points: Sequence[Point], across: Scale, up: Scale, number: int) -> str:
    """Fill between low and high, over every run of points that have both."""
    ends = [(x, low, high) for x, _, low, high in points if low is not None and high is not None]
    if len(ends) < 2:
        return ""
    there = [f"{coordinate(across(x))} {coordinate(up(high))}" for x, _, high in ends]
    back = [f"{coordinate(across(x))} {coordinate(up(low))}" for x, low, _ in reversed(ends)]
    path = f"M{'L'.join(there + back)}Z"
    return tag("path", d=path, class_=f"band s{number % _COLOURS}")


def _stroke(points: Sequence[Point], across: Scale, up: Scale, number: int) -> str:
    """Draw the line and its points; after eight series the colours return with dashes."""
    places = [f"{coordinate(across(x))} {coordinate(up(y))}" for x, y, _, _ in points]
    if not places:
        return ""
    kind = f"s{number % _COLOURS}{' again' if number >= _COLOURS else ''}"
    dots = "".join(f"M{place}h0" for place in places)
    line = tag("path", d=f"M{'L'.join(places)}", class_=f"series {kind}")
    return line + tag("path", d=dots, class_=f"marks {kind}")


def _names(series: Series, across: Scale, up: Scale, bottom: float) -> list[str]:
    """Write each series' name beside its last point, moved apart where two would touch."""
    lasts = [
        (number, label, points[-1])
        for number, (label, points) in enumerate(series.items())
        if points
    ]
    wanted = [up(point[1]) for _, _, point in lasts]
    placed = spread(wanted, gap=_ROW, low=_TOP, high=bottom)
    shapes = []
    for (number, label, point), was, now in zip(lasts, wanted, placed, strict=True):
        kind = f"leader s{number % _COLOURS}"
        x = max(across(point[0]), _RIGHT)
        shapes.append(_rule(x + 5, was, x + 14, now, kind))
        short = _short(label)
        shapes.append(
            tag(
                "text",
                esc(short),
                x=coordinate(x + 18),
                y=coordinate(now + 4),
                class_=f"label s{number % _COLOURS}",
            )
        )
    return shapes


def _short(label: str) -> str:
    return label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…"


def _description(series: Series) -> str:
    lasts = [f"{label} ends at {show(points[-1][1])}" for label, points in series.items() if points]
    return "; ".join(lasts) + "." if lasts else "There are no points."


def curve_numbers(series: Series, x_label: str) -> str:
    """Build the table of x against every series."""
    xs = sorted(
        {point[0] for points in series.values() for point in points if finite(point[0]) is not None}
    )
    heads = [tag("th", name(label), scope="col", class_="num") for label in series]
    head = tag("tr", tag("th", esc(x_label), scope="col", class_="num"), *heads)
    found = [{point[0]: point for point in points} for points in series.values()]
    rows = [
        tag(
            "tr",
            tag("th", esc(f"{x:,.10g}"), scope="row", class_="num"),
            *(_number(points.get(x)) for points in found),
        )
        for x in xs
    ]
    return tag("table", tag("thead", head), tag("tbody", *rows), aria_labelledby="numbers")


def _number(point: Point | None) -> str:
    if point is None or finite(point[1]) is None:
        return tag("td", MISSING, class_="num")
    low, high = finite(point[2]), finite(point[3])
    ends = "" if low is None or high is None else f"[{show(low)}, {show(high)}]"
    band = f" {tag('span', esc(typeset(ends)), class_='ci')}" if ends else ""
    return tag("td", esc(typeset(show(point[1]))) + band, class_="num")
