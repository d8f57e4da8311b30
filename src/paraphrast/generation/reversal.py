"""Reversed paraphrases: what the source says last comes first.

The ROUGE-P paper (§7) raises, at each step, the probability of tokens at the other end of the
sentence and gives no formula. Here, with the share f of the source's length written, a sub-word of
the source at the relative place x is multiplied by exp(strength · max(0, 1 − |x − (1 − f)| / ½)),
its nearest place counting, and the distribution is renormalised. A sub-word written as often as
the source has it is favoured no more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Logs = NDArray[np.float32]

REACH = 0.5  # of the source's length: how far from the favoured place the favour goes


def favours(source: Ints, written: Sequence[int], strength: float) -> tuple[Ints, Logs]:
    """Return sub-words of the source and what to add to their log-probabilities."""
    if not len(source):
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    aim = 1 - min(1.0, len(written) / len(source))
    places = np.arange(len(source)) / max(1, len(source) - 1)
    near = np.maximum(0, 1 - np.abs(places - aim) / REACH)
    ids, first = np.unique(source, return_inverse=True)
    best = np.zeros(len(ids))
    np.maximum.at(best, first, near)
    used, has = Counter(written), Counter(source.tolist())
    left = np.array([used[int(token)] < has[int(token)] for token in ids])
    wanted = left & (best > 0)
    return ids[wanted], (strength * best[wanted]).astype(np.float32)
