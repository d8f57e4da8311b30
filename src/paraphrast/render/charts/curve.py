"""Learning curves: a quantity against the size of the data, one line with its band per series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paraphrast.render.charts.marks import (
    COLOURS,
    PlotArea,
    axes,
    colour,
    dots,
    label,
    names_beside,
)
from paraphrast.render.charts.scales import (
    Scale,
    coordinate,
    domain,
    drawable,
    linear,
    log_ticks,
    logarithmic,
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
_ROW = 15.0


def curve_svg(series: Series, *, x_label: str, y_label: str, title: str, log_x: bool = True) -> str:
    """Draw each series of (x, y, low, high) as a line, with a band where low and high are given.

    x is logarithmic where it is positive and spans a factor of 20 or more, unless `log_x` is
    False. Points without a finite x and y are left out. The SVG stands alone: it carries its own
    light and dark colours.
    """
    kept = {key: _kept(points) for key, points in series.items()}
    height = max(330.0, 80 + _ROW * len(kept))
    bottom = height - 46
    x_ends, log = _x_domain(kept, log_x)
    y_ends = domain(
        [value for points in kept.values() for p in points for value in p[1:] if value is not None]
    )
    across = (logarithmic if log else linear)(x_ends, (_LEFT + 8, _RIGHT))
    up = linear(y_ends, (bottom - 6, _TOP + 6))
    marks = log_ticks(x_ends) if log else ticks(x_ends, count=5)
    area = PlotArea(_LEFT, _RIGHT, _TOP, bottom)
    shapes = axes(area, (across, up), (marks, ticks(y_ends, count=5)), upright=False)
    shapes.append(label(4, 14, y_label, "start", "name"))
    shapes.append(label(_RIGHT, height - 6, x_label, "end", "name"))
    shapes += [_band(points, across, up, number) for number, points in enumerate(kept.values())]
    shapes += [_stroke(points, across, up, number) for number, points in enumerate(kept.values())]
    shapes += _names(kept, up, area)
    words = tag("title", esc(title)) + tag("desc", esc(_description(kept)))
    width = _RIGHT + 26 + 8 * max((len(_short(key)) for key in kept), default=0)
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
        tag("span", tag("i", class_="box", style=f"background:var(--{colour(number)})"),
            name(key))
        for number, key in enumerate(series)
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


def _band(points: Sequence[Point], across: Scale, up: Scale, number: int) -> str:
    """Fill between low and high, over every run of points that have both."""
    ends = [(x, low, high) for x, _, low, high in points if low is not None and high is not None]
    if len(ends) < 2:
        return ""
    there = [f"{coordinate(across(x))} {coordinate(up(high))}" for x, _, high in ends]
    back = [f"{coordinate(across(x))} {coordinate(up(low))}" for x, low, _ in reversed(ends)]
    path = f"M{'L'.join(there + back)}Z"
    return tag("path", d=path, class_=f"band {colour(number)}")


def _stroke(points: Sequence[Point], across: Scale, up: Scale, number: int) -> str:
    """Draw the line and its points; after eight series the colours return with dashes."""
    if not points:
        return ""
    places = [(across(x), up(y)) for x, y, _, _ in points]
    kind = f"{colour(number)}{' again' if number >= COLOURS else ''}"
    path = "L".join(f"{coordinate(x)} {coordinate(y)}" for x, y in places)
    return tag("path", d=f"M{path}", class_=f"series {kind}") + dots(places, f"marks {kind}")


def _names(series: Series, up: Scale, area: PlotArea) -> list[str]:
    """Write each series' name beside its last point."""
    lasts = [
        ((number, _short(key)), (_RIGHT + 5, up(points[-1][1])))
        for number, (key, points) in enumerate(series.items())
        if points
    ]
    return names_beside(area, [name for name, _ in lasts], [start for _, start in lasts])


def _short(key: str) -> str:
    return key if len(key) <= _LONGEST else key[: _LONGEST - 1] + "…"


def _description(series: Series) -> str:
    lasts = [f"{key} ends at {show(points[-1][1])}" for key, points in series.items() if points]
    return "; ".join(lasts) + "." if lasts else "There are no points."


def curve_numbers(series: Series, x_label: str) -> str:
    """Build the table of x against every series."""
    xs = sorted(
        {point[0] for points in series.values() for point in points if finite(point[0]) is not None}
    )
    heads = [tag("th", name(key), scope="col", class_="num") for key in series]
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
