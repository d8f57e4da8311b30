"""What every statistic here demands of its arrays, said once and with the place of the fault."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from paraphrast.errors import ConfigError, InputError
from paraphrast.types import Floats

MOST_ROUNDS = 1_000_000  # of resampling: more change no digit that is printed


def check_rounds(name: str, rounds: int) -> None:
    """Refuse more rounds of resampling than memory holds; `name` is the option's."""
    if rounds > MOST_ROUNDS:
        raise ConfigError(f"{name} is at most {MOST_ROUNDS:,}; got {rounds:,}")


def vector(values: ArrayLike, name: str) -> Floats:
    """Return the values as finite float64 numbers in one dimension."""
    array = _finite(values, name)
    if array.ndim != 1:
        raise InputError(f"{name} has {array.ndim} dimensions; give one number per item")
    return array


def matrix(values: ArrayLike, name: str) -> Floats:
    """Return the values as finite float64 numbers in two dimensions."""
    array = _finite(values, name)
    if array.ndim != 2:
        raise InputError(f"{name} has {array.ndim} dimensions; give a table of two")
    return array


def varied(values: Floats, name: str) -> Floats:
    """Return the values if there are two or more and not all equal."""
    if len(values) < 2:
        raise InputError(f"{name} has {len(values)} item(s); a correlation needs at least two")
    if values.min() == values.max():
        raise InputError(f"{name} is constant ({values[0]:g}); its correlation is undefined")
    return values


def pair(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return two vectors of one length between which a correlation is defined."""
    first, second = vector(x, "x"), vector(y, "y")
    same_length(first, second, "x", "y")
    return varied(first, "x"), varied(second, "y")


def table(metrics: ArrayLike, human: ArrayLike) -> tuple[Floats, Floats]:
    """Return scores (metrics, items) and ratings (items,) whose correlations are defined."""
    scores, ratings = matrix(metrics, "metrics"), vector(human, "human")
    if not len(scores):
        raise InputError("metrics has no rows; give at least one metric")
    same_length(scores[0], ratings, "each row of metrics", "human")
    for row, values in enumerate(scores):
        varied(values, f"metrics[{row}]")
    return scores, varied(ratings, "human")


def same_length(first: Floats, second: Floats, one: str, other: str) -> None:
    """Raise if two arrays cannot be read side by side."""
    if len(first) != len(second):
        raise InputError(f"{one} has {len(first)} items and {other} has {len(second)}")


def _finite(values: ArrayLike, name: str) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} is not an array of numbers: {error}") from error
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        place = ", ".join(map(str, bad[0]))
        value = array[tuple(bad[0])]
        raise InputError(f"{name}[{place}] is {value}; leave out items without a number")
    return array
