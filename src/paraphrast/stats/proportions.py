"""Intervals of shares."""

from __future__ import annotations

import math
from statistics import NormalDist


def wilson(hits: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a share (Wilson 1927); 0 to 1 of no trials.

    >>> tuple(round(bound, 3) for bound in wilson(9, 10))
    (0.596, 0.982)
    """
    if not trials:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, slack = hits / trials, z * z / trials
    middle = (share + slack / 2) / (1 + slack)
    half = z * math.sqrt(share * (1 - share) / trials + slack / trials / 4) / (1 + slack)
    return max(0.0, middle - half), min(1.0, middle + half)
