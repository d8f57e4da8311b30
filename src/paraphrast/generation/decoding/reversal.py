"""Reversed paraphrases: what the source says last comes first.

The ROUGE-P paper (§7) raises, at each step, the probability of tokens at the other end of the
sentence and gives no formula. Raising single words breaks text, so here clauses change places:

- A text is to open with a word from further on in its source. The word at relative place x is
  multiplied by exp(strength · max(0, 1 − 2·|x − c|)), c being the clause mark nearest to the middle
  or else the middle itself; words that the source has already said before are left as they are.
- If it does, from that place on in the source, everything up to its end is favoured, all alike, so
  that the model keeps its order; then what stands before that place. Here the strength is half, and
  within the first part it goes to nothing as the text comes to the part's length.
- A close before what stood first has been said is made less likely, by half the strength times the
  share of it that is missing.

A sub-word written as often as the source has it is favoured no more, upper and lower case are the
same, and the distribution is renormalised. A text that opens otherwise is left to the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]

EARLIEST = 0.2  # of the source's length: where a word must stand at least to open the text
LATER = 0.5  # share of the strength after the first sub-word
_MARKS = frozenset(",;:—–，；：、")
_SHORTEST = 3  # letters of a sub-word that stands for the beginning of a longer one


class Spellings:
    """Sub-words by what they look like: the same one in upper and in lower case."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = pieces
        self._exact: dict[str, int] = {}
        self._alike: dict[str, list[int]] = {}
        for number, piece in enumerate(pieces):
            if piece.isspace() or any(map(str.isalnum, piece)):
                self._exact.setdefault(piece, number)
                self._alike.setdefault(piece.lower(), []).append(number)

    def forms(self, token: int) -> frozenset[int]:
        """Return a sub-word and its like; none for punctuation."""
        return frozenset(self._alike.get(self._pieces[token].lower(), ()))

    def openings(self, token: int) -> frozenset[int]:
        """Return the sub-words that a text may open with to say the word that opens here.

        Where its capitalised form is no sub-word, the longest beginning of it that is one.
        """
        piece = self._pieces[token]
        if not piece[:1].isspace() or piece.isspace():
            return frozenset()
        forms, capital = self.forms(token), piece.title()
        for end in range(len(capital), _SHORTEST, -1):
            if capital[:end] in self._exact:
                return forms | {self._exact[capital[:end]]}
        return forms

    def is_mark(self, token: int) -> bool:
        """Whether a sub-word is punctuation between clauses."""
        return self._pieces[token].strip() in _MARKS


@dataclass(frozen=True, slots=True)
class ReversalWeights:
    """Sub-words with their shares of the strength, and the share by which closing is lowered."""

    ids: Ints
    shares: Floats
    closing: float


class Reversal:
    """What to favour in the paraphrases of one source."""

    def __init__(self, source: Sequence[int], spellings: Spellings) -> None:
        self._forms = [spellings.forms(token) for token in source]
        self._counts = Counter(forms for forms in self._forms if forms)
        centre = _centre(source, spellings)
        self._places: dict[int, int] = {}
        shares: dict[int, float] = {}
        seen: set[frozenset[int]] = set()
        for place, token in enumerate(source):
            if place >= EARLIEST * len(source) and self._forms[place] not in seen:
                share = max(0.0, 1 - 2 * abs(place - centre) / len(source))
                for form in spellings.openings(token) - self._places.keys():
                    self._places[form], shares[form] = place, share
            seen.add(self._forms[place])
        self._opening = _weights(shares)

    def weights(self, written: Sequence[int]) -> ReversalWeights:
        """Return what to change after what is written."""
        if not written:
            return self._opening
        cut = self._places.get(written[0])
        if cut is None:
            return _weights({})
        used = Counter(written)
        first = {forms for forms in self._forms[:cut] if forms}
        second = {forms for forms in self._forms[cut:] if forms}
        left = 1 - len(written) / (len(self._forms) - cut)
        wanted, share = (second, LATER * left) if left > 0 else (first, LATER)
        ids = {
            token: share
            for forms in wanted
            if sum(used[token] for token in forms) < self._counts[forms]
            for token in forms
        }
        only = first - second
        missing = sum(not any(used[token] for token in forms) for forms in only)
        return _weights(ids, LATER * missing / len(only) if only else 0.0)


def _centre(source: Sequence[int], spellings: Spellings) -> float:
    """Return the place where the favoured clause opens."""
    length = len(source)
    marks = [place + 1 for place, token in enumerate(source) if spellings.is_mark(token)]
    inner = [place for place in marks if EARLIEST <= place / length <= 1 - EARLIEST]
    return min(inner, key=lambda place: abs(place - length / 2), default=length / 2)


def _weights(shares: dict[int, float], closing: float = 0.0) -> ReversalWeights:
    ids = sorted(token for token, share in shares.items() if share > 0)
    values = np.array([shares[token] for token in ids], np.float32)
    return ReversalWeights(np.array(ids, np.int64), values, closing)
