"""What texts share word for word: the figures of novelty, equation 5 and distance within a set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paraphrast.metrics.references import paired_matches
from paraphrast.metrics.rouge import f_rows, lcs_counts
from paraphrast.text.column import Column, Lexicon
from paraphrast.text.tokenise import Tokeniser
from paraphrast.types import Floats

_BLOCK = 1 << 14  # pairs compared together
_WORDS = Tokeniser("unicode")  # that of rouge_p


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Of each pair of a candidate and its source: figures, and lengths in words."""

    rouge1: Floats  # recall of the source
    rouge_l: Floats  # F
    words: Floats
    source_words: Floats


def overlaps(candidates: Sequence[str], sources: Sequence[str]) -> Overlaps:
    """Compare texts pair by pair; a text without a word shares nothing."""
    blocks = [
        _overlaps(candidates[at : at + _BLOCK], sources[at : at + _BLOCK])
        for at in range(0, len(candidates), _BLOCK)
    ]
    columns = np.concatenate([np.zeros((4, 0)), *blocks], axis=1)
    return Overlaps(*columns)


def _overlaps(candidates: Sequence[str], sources: Sequence[str]) -> Floats:
    lexicon = Lexicon()
    left, right = Column(list(candidates), lexicon), Column(list(sources), lexicon)
    rouge_l = f_rows(*lcs_counts(left, right, _WORDS))[:, 0]
    mine, theirs = left.encoded(_WORDS), right.encoded(_WORDS)
    recall = paired_matches(mine, theirs, 1)[:, 0] / np.maximum(theirs.lengths, 1)
    return np.stack([recall, rouge_l, mine.lengths, theirs.lengths])
