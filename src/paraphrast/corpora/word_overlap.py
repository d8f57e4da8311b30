"""Word overlap of pairs (Jaccard similarity of their word sets), and its bins.

Suzuki et al. 2017, section 3.2: [0, 0.1) … [0.9, 1), and exact matches, whose overlap is 1, apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.word_ids import word_tokeniser
from paraphrast.errors import InputError
from paraphrast.metrics.references import paired_overlap
from paraphrast.text.column import Column, Vocabularies
from paraphrast.types import Floats

Ints = NDArray[np.int64]

BINS = 11  # the last is that of exact matches
EXACT = BINS - 1

_BLOCK = 1 << 14  # pairs compared together
_NAMES = (*(f"[{k / 10:g}, {(k + 1) / 10:g})" for k in range(EXACT)), "1")
_EDGES = tuple(k / EXACT for k in range(1, BINS))


def overlap(
    texts1: Sequence[str], texts2: Sequence[str], tokenize: str = "unicode"
) -> tuple[Ints, Ints]:
    """Return, pair by pair, how many distinct words both texts have and how many either has."""
    if len(texts1) != len(texts2):
        raise InputError(f"there are {len(texts1)} first texts for {len(texts2)} second ones")
    blocks = [
        _overlap(texts1[at : at + _BLOCK], texts2[at : at + _BLOCK], tokenize)
        for at in range(0, len(texts1), _BLOCK)
    ]
    shared, union = np.concatenate([np.zeros((2, 0), dtype=np.int64), *blocks], axis=1)
    return shared, union


def _overlap(texts1: Sequence[str], texts2: Sequence[str], tokenize: str) -> Ints:
    lexicon, tokeniser = Vocabularies(), word_tokeniser(tokenize)
    left = Column(list(texts1), lexicon).encoded(tokeniser)
    right = Column(list(texts2), lexicon).encoded(tokeniser)
    found = paired_overlap(left, right, 1)
    shared = found.types[:, 0]
    return np.stack([shared, found.left_types[:, 0] + found.right_types[:, 0] - shared])


def rates(shared: Ints, union: Ints) -> Floats:
    """Return the overlap of counts that `overlap` gave; that of two texts without words is 1."""
    return np.divide(shared, union, out=np.ones(len(union)), where=union > 0)


def bins_of(shared: Ints, union: Ints) -> Ints:
    """Return the bin of each pair of counts, in whole numbers: 3 words of 10 are of [0.3, 0.4)."""
    found: Ints = np.where(union > 0, EXACT * shared // np.maximum(union, 1), EXACT)
    return found


def bin_of(overlap: float) -> int:
    """Return the bin of an overlap: 0 for [0, 0.1) … 9 for [0.9, 1), 10 for 1.

    An overlap is a quotient of counts, so it is the nearest float of k/10 wherever it equals that.
    """
    if not 0 <= overlap <= 1:
        raise InputError(f"a word overlap is between 0 and 1; got {overlap!r}")
    return bisect_right(_EDGES, overlap)


def bin_names() -> tuple[str, ...]:
    """Return the bins in interval notation."""
    return _NAMES
