"""Agreement between raters: Cohen's κ and Krippendorff's α."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from paraphrast.errors import ConfigError, InputError
from paraphrast.stats.ordering import Ints, average_ranks
from paraphrast.types import Floats

Weights = Literal["none", "linear", "quadratic"]
Scale = Literal["nominal", "ordinal", "interval", "ratio"]

_BLOCK = 1 << 20  # distances held at a time


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
    for label in (*first, *second):
        if label is None or label != label:  # NaN is unlike itself
            raise InputError(f"a label is missing ({label}); leave out items one rater skipped")
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

    Krippendorff 2011, Computing Krippendorff's Alpha-Reliability. With δ² summed over ordered pairs
    of ratings, D_o = Σ_u Σ_{pairs in u} δ² / (m_u − 1) / n over items u with m_u ≥ 2 ratings, and
    D_e = Σ_{all pairs} δ² / (n (n − 1)); items with fewer than two ratings do not count. Time and
    memory are linear in the ratings; for "ratio" time is quadratic in the number of values.
    """
    if scale not in get_args(Scale):
        raise ConfigError(f"scale must be one of {', '.join(get_args(Scale))}; got {scale!r}")
    values = _pairable(ratings, scale)
    if scale == "ratio":
        within, everywhere = _ratio_within(values), _ratio_everywhere(values)
    else:
        items = np.nonzero(~np.isnan(values))[1]
        given = values[~np.isnan(values)]
        apart = _different if scale == "nominal" else _squared
        points = average_ranks(given) if scale == "ordinal" else given
        within = apart(points, items)
        everywhere = float(apart(points, np.zeros_like(items))[0])
    if everywhere == 0:
        raise InputError("α is undefined: every rating is the same")
    per_item = (~np.isnan(values)).sum(axis=0)
    observed = float((within / (per_item - 1)).sum())
    return 1 - (int(per_item.sum()) - 1) * observed / everywhere


def _pairable(ratings: ArrayLike, scale: Scale) -> Floats:
    """Return the checked ratings of the items that two or more raters rated."""
    try:
        values = np.asarray(ratings, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"ratings must be numbers, NaN where one is missing: {error}") from error
    if values.ndim != 2:
        raise InputError(f"ratings must be (raters, items); got {values.ndim} dimension(s)")
    if np.isinf(values).any():
        raise InputError("a rating is infinite")
    if scale == "ratio" and (values < 0).any():
        raise InputError("a ratio scale starts at 0, but a rating is negative")
    values = values[:, (~np.isnan(values)).sum(axis=0) > 1]
    if not values.size:
        raise InputError("no item was rated twice")
    return values


def _different(points: Floats, groups: Ints) -> Floats:
    """Return per group the ordered pairs of unlike values: m² − Σ c² for values met c times."""
    _, codes = np.unique(points, return_inverse=True)
    pairs, counts = np.unique(np.stack([groups, codes]), axis=1, return_counts=True)
    sizes = np.bincount(groups).astype(np.float64)
    unlike: Floats = sizes**2 - np.bincount(pairs[0], counts**2)
    return unlike


def _squared(points: Floats, groups: Ints) -> Floats:
    """Return per group Σ (v − w)² over ordered pairs: 2m Σ (v − v̄)².

    Krippendorff's ordinal distance is that of the values' mean ranks.
    """
    sizes = np.bincount(groups).astype(np.float64)
    means = np.bincount(groups, points) / sizes
    squares: Floats = 2 * sizes * np.bincount(groups, (points - means[groups]) ** 2)
    return squares


def _ratio_within(values: Floats) -> Floats:
    total = np.zeros(values.shape[1])
    for apart in range(1, len(values)):
        total += 2 * np.nansum(_ratio(values[apart:], values[:-apart]), axis=0)
    return total


def _ratio_everywhere(values: Floats) -> float:
    levels, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    step = max(1, _BLOCK // len(levels))
    return sum(
        float(
            counts[start : start + step]
            @ _ratio(levels[start : start + step, None], levels)
            @ counts
        )
        for start in range(0, len(levels), step)
    )


def _ratio(one: Floats, other: Floats) -> Floats:
    """Return ((v − w) / (v + w))², 0 where both are 0."""
    total = one + other
    share: Floats = np.divide(one - other, total, out=np.zeros_like(total), where=total != 0) ** 2
    return share
