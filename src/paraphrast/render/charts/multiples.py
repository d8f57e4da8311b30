"""Scatter plots of a meta-evaluation as small multiples: one per metric, on one human scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paraphrast.render.charts.plots import MOST_POINTS, points_of, scatter_svg
from paraphrast.render.charts.scales import domain
from paraphrast.render.markup import esc, name, tag
from paraphrast.render.pages.page import exhibit
from paraphrast.render.values import finite, groups_of, metric_of, show, typeset

Part = Mapping[str, Any]

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
