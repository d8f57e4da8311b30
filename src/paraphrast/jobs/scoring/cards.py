"""What the metrics declare about themselves, as plain values for the CLI and the documentation."""

from __future__ import annotations

from paraphrast.metrics.base import REFERENCES, Card, Metric
from paraphrast.metrics.catalogue import METRICS, make_metric, option_names


def metric_names() -> list[str]:
    """Return the names of all metrics, plug-ins last."""
    return METRICS.names()


def metric_card(name: str) -> dict[str, object]:
    """Return a metric's card: what it declares, its options with defaults, its signature."""
    metric = make_metric(name)
    card = metric.card
    return {
        "name": metric.name,
        "title": card.title,
        "summary": card.summary,
        "formula": card.formula,
        "paper": card.paper,
        "needs": _needs(metric),
        "range": _range(card),
        "better": card.better,
        "empty": card.empty,
        "signature": metric.signature("1" if REFERENCES in metric.required() else None),
        "options": {option: getattr(metric, option) for option in option_names(type(metric))},
        "parts": dict(card.parts),
    }


def _range(card: Card) -> str:
    ends = {float("-inf"): "−∞", float("inf"): "∞"}
    low, high = (ends.get(end, f"{end:g}") for end in card.range)
    return f"{low} to {high}{f', usually {card.usual}' if card.usual else ''}"


def _needs(metric: Metric) -> str:
    needs = sorted(metric.required())
    if metric.card.sets:
        needs.append("one candidate or a set")
    return ", ".join(needs) or "candidates only"
