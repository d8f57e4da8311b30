"""Agreement between raters: Cohen's κ and Krippendorff's α."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from paraphrast.errors import ConfigError, InputError
from paraphrast.types import Floats

Weights = Literal["none", "linear", "quadratic"]
Scale = Literal["nominal", "ordinal", "interval", "ratio"]


def cohen_kappa(
    first: Sequence[Hashable], second: Sequence[Hashable], *, weights: Weights = "none"
) -> float:
    """Return κ = 1 − Σ w·observed / Σ w·expected disagreement (Cohen 1960, 1968).

    "linear" and "quadratic" weight by the distance of the sorted labels. If both raters give one
    and the same label throughout, chance explains everything and κ is undefined: InputError.
    """
    if len(first) != len(second):
        raise InputError(f"the raters labelled {len(first)} and {len(second)} items")
    if not len(first):
        raise InputError("there are no labels")
    labels = sorted({*first, *second}, key=_sortable)
    numbers = {label: n for n, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)))
    np.add.at(table, ([numbers[a] for a in first], [numbers[b] for b in second]), 1)
    table /= table.sum()
    cost = _cost(len(labels), weights)
    expected = float((cost * np.outer(table.sum(axis=1), table.sum(axis=0))).sum())
    if expected == 0:
        raise InputError("κ is undefined: both raters give the same label throughout")
    return 1 - float((cost * table).sum()) / expected


def _sortable(label: Hashable) -> tuple[bool, object]:
    return isinstance(label, str), label


def _cost(size: int, weights: Weights) -> Floats:
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    if weights == "none":
        return (apart > 0).astype(np.float64)
    if weights not in ("linear", "quadratic"):
        raise ConfigError(f"weights must be none, linear or quadratic; got {weights!r}")
    return apart if weights == "linear" else apart**2


def krippendorff_alpha(ratings: ArrayLike, *, scale: Scale = "nominal") -> float:
    """Return α = 1 − D_o / D_e for ratings (raters, items); NaN marks a missing one.

    Krippendorff 2011, Computing Krippendorff's Alpha-Reliability: coincidences of values within
    items, with the distance of the scale. Items with fewer than two ratings do not count.
    """
    values = np.asarray(ratings, dtype=np.float64)
    if values.ndim != 2:
        raise InputError(f"ratings must be (raters, items); got {values.ndim} dimension(s)")
    levels = np.unique(values[~np.isnan(values)])
    counts = np.array([(values == level).sum(axis=0) for level in levels], dtype=np.float64).T
    counts = counts[counts.sum(axis=1) > 1] if len(levels) else counts
    if not counts.size:
        raise InputError("no item was rated twice")
    per_item = counts.sum(axis=1, keepdims=True)
    seen = (counts / (per_item - 1)).T @ counts
    seen -= np.diag((counts / (per_item - 1)).sum(axis=0))
    margins = seen.sum(axis=1)
    if scale not in _DISTANCES:
        raise ConfigError(f"scale must be one of {', '.join(_DISTANCES)}; got {scale!r}")
    distance = _DISTANCES[scale](levels, margins)
    by_chance = np.outer(margins, margins) - np.diag(margins)
    expected = float((by_chance * distance).sum() / (margins.sum() - 1))
    if expected == 0:
        raise InputError("α is undefined: every rating is the same")
    return 1 - float((seen * distance).sum()) / expected


def _nominal(levels: Floats, margins: Floats) -> Floats:
    return 1 - np.eye(len(levels))


def _interval(levels: Floats, margins: Floats) -> Floats:
    return np.subtract.outer(levels, levels) ** 2


def _ratio(levels: Floats, margins: Floats) -> Floats:
    total = np.add.outer(levels, levels)
    apart = np.subtract.outer(levels, levels)
    return np.divide(apart, total, out=np.zeros_like(total), where=total != 0) ** 2


def _ordinal(levels: Floats, margins: Floats) -> Floats:
    """Return (ratings between and including both values, less half of each end)²."""
    middle = np.cumsum(margins) - margins / 2
    return np.subtract.outer(middle, middle) ** 2


_DISTANCES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}
