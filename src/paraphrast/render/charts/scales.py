"""Axes: nice tick values, their labels, and the map from values to places on a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

Scale = Callable[[float], float]

# Beyond this no score is meant; differences of such numbers would overflow.
LIMIT = 1e100


def drawable(value: object) -> bool:
    """Whether a value has a place on an axis."""
    return isinstance(value, int | float) and abs(value) < LIMIT


def constant(low: float, high: float) -> bool:
    """Whether a range is too small, beside its values, to be told from a point."""
    return high - low <= 1e-9 * max(abs(low), abs(high), 1e-6)


def domain(values: Iterable[float], *, pad: float = 0.04) -> tuple[float, float]:
    """Return the range of the values with a margin on either side, never an empty range."""
    kept = [value for value in values if drawable(value)]
    if not kept:
        return 0.0, 1.0
    low, high = min(kept), max(kept)
    span = high - low
    if constant(low, high):
        half = abs(low) * 0.1 or 0.5
        return low - half, high + half
    return low - pad * span, high + pad * span


def linear(ends: tuple[float, float], place: tuple[float, float]) -> Scale:
    """Return the linear map of a domain onto a stretch of the page."""
    (low, high), (start, stop) = ends, place
    return lambda value: start + (value - low) / (high - low) * (stop - start)


def logarithmic(ends: tuple[float, float], place: tuple[float, float]) -> Scale:
    """Return the logarithmic map of a positive domain onto a stretch of the page."""
    inner = linear((math.log(ends[0]), math.log(ends[1])), place)
    return lambda value: inner(math.log(value))


def ticks(ends: tuple[float, float], *, count: int = 4) -> list[float]:
    """Return about `count` multiples of 1, 2 or 5 times a power of ten within the domain."""
    low, high = ends
    step = _nice((high - low) / count)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    found = [number * step for number in range(first, last + 1)]
    return found if len(found) > 1 else [low, high]


def log_ticks(ends: tuple[float, float], *, count: int = 8) -> list[float]:
    """Return powers of ten within the domain, with their 2nd and 5th multiples where few."""
    low, high = ends
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for multiples in ((1, 2, 5), (1, 3), (1,)):
        every = [multiple * 10.0**power for power in powers for multiple in multiples]
        found = [value for value in every if low <= value <= high]
        if len(found) <= count:
            return found
    return found[:: math.ceil(len(found) / count)]


def labels(values: Sequence[float]) -> list[str]:
    """Write tick values with as many places as their step needs, thousands apart."""
    if not values:
        return []
    largest = max(map(abs, values))
    steps = [later - earlier for earlier, later in pairwise(values)]
    step = min((step for step in steps if step > 0), default=largest or 1.0)
    if largest >= 1e7 or step < 1e-4:
        return [f"{value:.3g}".replace("e+0", "e").replace("e-0", "e-") for value in values]
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    return [_plain(value, places) for value in values]


def _plain(value: float, places: int) -> str:
    text = f"{value:,.{places}f}"
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text.replace("-", "−")


def _nice(step: float) -> float:
    """Round to the nearest of 1, 2, 5 and 10 times a power of ten, by ratio."""
    power = 10.0 ** math.floor(math.log10(step))
    share = step / power
    return power * (1 if share < 1.42 else 2 if share < 3.17 else 5 if share < 7.08 else 10)


def coordinate(value: float) -> str:
    """Write a place on the page with one decimal at most."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def spread(places: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """Move labels apart until `gap` lies between neighbours; their order is kept.

    One pass down and one pass up: near the places wanted, and never above `high`.
    """
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = list(places)
    floor = low
    for index in order:
        moved[index] = floor = max(moved[index], floor)
        floor += gap
    ceiling = high
    for index in reversed(order):
        moved[index] = ceiling = min(moved[index], ceiling)
        ceiling -= gap
    return moved
