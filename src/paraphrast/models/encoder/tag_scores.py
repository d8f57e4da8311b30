"""ParaTag's scores of a pair, from the logits of its words.

Wang et al., ParaTag, section 5.2: a word's support is S = G[0] − G[1]; P is the mean support of
the candidate's words, R of the reference's, F of both pooled. Beside these logit means there are
means of the probability that a word is paraphrased, which a person can read: they lie in 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paraphrast.models.encoder.pair_reading import CERTAIN, Reading
from paraphrast.types import Floats


@dataclass(frozen=True, slots=True)
class TagScores:
    """P over the candidate's words, R over the reference's, F over both."""

    precision: float
    recall: float
    f: float


def support(logits: Floats) -> Floats:
    """Return S = G[0] − G[1] for each word: above 0 it is rather paraphrased than not."""
    difference: Floats = logits[..., 0] - logits[..., 1]
    return difference


def sigmoid(logit: Floats) -> Floats:
    """Return 1 / (1 + e^−x), without overflow."""
    small: Floats = np.exp(-np.abs(logit))
    return np.where(logit >= 0, 1.0, small) / (1.0 + small)


def probability(logits: Floats) -> Floats:
    """Return for each word the probability that the other text paraphrases it."""
    return sigmoid(support(logits))


def mean_logits(reading: Reading) -> TagScores:
    """Return P, R and F as means of the support; unbounded."""
    a, b = _kept(reading.tags_a), _kept(reading.tags_b)
    return _scores(support(a), support(b), best=CERTAIN, worst=-CERTAIN)


def mean_probabilities(reading: Reading) -> TagScores:
    """Return P, R and F as mean probabilities, in 0 to 1."""
    a, b = _kept(reading.tags_a), _kept(reading.tags_b)
    return _scores(probability(a), probability(b), best=1.0, worst=0.0)


def _kept(logits: Floats) -> Floats:
    """Leave out the words that the encoder never saw."""
    return logits[logits.any(axis=1)]


def _scores(a: Floats, b: Floats, *, best: float, worst: float) -> TagScores:
    """Average; over no words the mean is the worst there is, or the best if there are none at all.

    Nothing of an empty candidate supports the reference, but two empty texts say the same.
    """
    nothing = worst if len(a) or len(b) else best
    p, r, f = (
        float(side.mean()) if len(side) else nothing for side in (b, a, np.concatenate([a, b]))
    )
    return TagScores(p, r, f)
