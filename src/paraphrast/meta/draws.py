"""A statistic as observed and as resampled: what every level hands to the table."""

from __future__ import annotations

from dataclasses import dataclass

from paraphrast.types import Floats


@dataclass(frozen=True, slots=True)
class Draws:
    """A statistic per group as observed, and of the mean over groups in resamples.

    Undefined values are NaN here and become None with a reason in the table.
    """

    groups: tuple[str, ...]
    observed: Floats  # (groups, metrics)
    resampled: Floats  # (samples, metrics), means over groups
    items: int
    notes: tuple[str, ...] = ()
