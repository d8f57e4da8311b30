"""The curve of training runs: losses and validation figures against the step."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from paraphrast.render.charts.curve import Point, curve_key, curve_numbers, curve_svg
from paraphrast.render.markup import esc, tag
from paraphrast.render.pages.page import exhibit, page, scroller

Entry = Mapping[str, Any]
Series = dict[str, list[Point]]

_BESIDE = ("kind", "step", "rate", "tokens_per_second", "peak_share")  # in a line, not drawn
_MOST = 60  # points of a line of losses
_PARTS = (("training", "loss", "loss"), ("validation", "validation", "figure"))


def training_series(runs: Mapping[str, Sequence[Entry]], kind: str) -> Series:
    """Collect the numbers of the log's lines of one kind; with several runs, by run and name.

    Lines longer than 60 points are averaged in as many bins.
    """
    found: Series = {}
    for run, entries in runs.items():
        for entry in entries:
            if entry.get("kind") != kind:
                continue
            for name, value in entry.items():
                if name not in _BESIDE:
                    label = f"{run} {name}" if len(runs) > 1 else name
                    point = (float(entry["step"]), float(value), None, None)
                    found.setdefault(label, []).append(point)
    return {label: _binned(points) for label, points in found.items()}


def training_svg(runs: Mapping[str, Sequence[Entry]]) -> str:
    """Return one picture: the losses, and below them the validation figures."""
    drawn = [_draw(runs, *part) for part in _PARTS]
    sizes = [[float(n) for n in _view(svg)[2:]] for svg in drawn]
    width = max(size[0] for size in sizes)
    placed, top = [], 0.0
    for svg, (wide, high) in zip(drawn, sizes, strict=True):
        placed.append(
            svg.replace("<svg", f'<svg y="{top:g}" width="{wide:g}" height="{high:g}"', 1)
        )
        top += high
    return tag(
        "svg",
        tag("title", esc(_title(runs))),
        *placed,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {top:g}",
    )


def training_html(
    runs: Mapping[str, Sequence[Entry]],
    *,
    notes: Sequence[str] = (),
    command: str = "",
    version: str = "",
) -> str:
    """Return a self-contained page: both curves and the numbers behind them."""
    body = ""
    for kind, word, y_label in _PARTS:
        series = training_series(runs, kind)
        drawn = _draw(runs, kind, word, y_label)
        body += exhibit("fig", kind, _caption(kind), scroller(kind, drawn) + curve_key(series))
        if series:
            table = scroller(f"{kind}-numbers", curve_numbers(series, "step"))
            words = f"The numbers behind the curve of the {kind}."
            body += exhibit("tab", f"{kind}-numbers", words, table)
    return page(_title(runs), body, notes=notes, command=command, version=version)


def _draw(runs: Mapping[str, Sequence[Entry]], kind: str, title: str, y_label: str) -> str:
    series = training_series(runs, kind)
    return curve_svg(series, x_label="step", y_label=y_label, title=title, log_x=False)


def _caption(kind: str) -> str:
    if kind == "training":
        return "Loss of each objective, and their sum, against the step."
    return "Validation figures, and the mean that selects the best weights, against the step."


def _title(runs: Mapping[str, Sequence[Entry]]) -> str:
    return f"Training of {', '.join(runs)}"


def _view(svg: str) -> list[str]:
    found = re.search(r'viewBox="([^"]*)"', svg)
    assert found is not None
    return found[1].split()


def _binned(points: list[Point]) -> list[Point]:
    """Average neighbours until there are at most as many points as a line can show."""
    size = -(-len(points) // _MOST)
    bins = [points[at : at + size] for at in range(0, len(points), size)] if size > 1 else []
    means: list[Point] = [
        (part[-1][0], sum(point[1] for point in part) / len(part), None, None) for part in bins
    ]
    return means or points
