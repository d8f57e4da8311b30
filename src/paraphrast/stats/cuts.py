"""Where to cut a score in two."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paraphrast.types import Floats


def best_cut(values: Floats, gold: NDArray[np.bool_]) -> float:
    """Return the number above which calling a value positive is right most often.

    Of equals it is the lowest. It lies midway between two values, below them all (everything is
    positive) or at the highest (nothing is).
    """
    order = np.argsort(values, kind="stable")
    ordered, right = values[order], gold[order]
    hits = np.concatenate([[right.sum()], right.sum() + np.cumsum(np.where(right, -1, 1))])
    allowed = np.concatenate([[True], ordered[1:] > ordered[:-1], [True]])  # equals stay together
    best = int(np.argmax(np.where(allowed, hits, -1)))
    if best == 0:
        return float(ordered[0] - 1)
    if best == len(ordered):
        return float(ordered[-1])
    return float((ordered[best - 1] + ordered[best]) / 2)


def auc(values: Floats, gold: NDArray[np.bool_]) -> float:
    """Return the share of (positive, negative) pairs in which the positive has the higher value.

    Ties count half: this is the area under the ROC curve. NaN without both classes.
    """
    positives, negatives = values[gold], np.sort(values[~gold])
    if not len(positives) or not len(negatives):
        return float("nan")
    below = np.searchsorted(negatives, positives, side="left")
    upto = np.searchsorted(negatives, positives, side="right")
    return float((below + upto).mean() / 2 / len(negatives))
