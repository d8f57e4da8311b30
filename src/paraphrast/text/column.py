"""Columns of texts that are tokenised once, however many metrics ask."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from paraphrast.text.tokenise import Tokeniser

Ints = NDArray[np.int64]
_GAP, _GAP_SIZE = 0xD800, 0x800  # the surrogates
_CODE_POINTS = 0x110000 - _GAP_SIZE


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of many texts laid end to end; text i is `ids[starts[i]:starts[i + 1]]`."""

    ids: Ints
    starts: Ints
    size: int  # ids are below this

    @property
    def lengths(self) -> Ints:
        found: Ints = self.starts[1:] - self.starts[:-1]  # np.diff takes ten times as long for one
        return found


def sequences(*sides: Encoded) -> list[Sequence[Sequence[Hashable]]]:
    """Give the texts of each side in the form that rapidfuzz compares fastest.

    That is a string with one code point per token; ids above the surrogate gap are shifted past
    it, so every string is valid. Ids beyond the code points leave lists of ids, on every side.
    """
    top = max(int(side.ids.max(initial=0)) for side in sides)
    return [_strings(side) if top < _CODE_POINTS else _lists(side) for side in sides]


def _strings(side: Encoded) -> list[str]:
    codes = np.where(side.ids < _GAP, side.ids, side.ids + _GAP_SIZE)
    joined = codes.astype("<u4").tobytes().decode("utf-32-le")
    return [joined[a:b] for a, b in pairwise(side.starts.tolist())]


def _lists(side: Encoded) -> list[list[int]]:
    ids = side.ids.tolist()
    return [ids[a:b] for a, b in pairwise(side.starts.tolist())]


@dataclass(slots=True)
class Vocabularies:
    """The vocabularies that the columns of one batch share, so that ids can be compared."""

    words: dict[Tokeniser, dict[str, int]] = field(default_factory=dict)

    def vocabulary(self, tokeniser: Tokeniser) -> dict[str, int]:
        return self.words.setdefault(tokeniser, {})


class Column:
    """The texts of one role (candidates, references, sources) of a batch, ragged.

    Segment i owns `texts[offsets[i]:offsets[i + 1]]`: one text, several, or none.
    """

    __slots__ = ("_chars", "_encoded", "lexicon", "offsets", "texts")

    def __init__(
        self, texts: list[str], lexicon: Vocabularies, offsets: Ints | None = None
    ) -> None:
        self.texts = texts
        self.lexicon = lexicon
        self.offsets = np.arange(len(texts) + 1) if offsets is None else offsets
        self._encoded: dict[Tokeniser, Encoded] = {}
        self._chars: dict[tuple[bool, bool], Encoded] = {}

    @classmethod
    def ragged(cls, lists: Sequence[Sequence[str]], lexicon: Vocabularies) -> Column:
        offsets = np.zeros(len(lists) + 1, dtype=np.int64)
        np.cumsum([len(texts) for texts in lists], out=offsets[1:])
        return cls(list(chain.from_iterable(lists)), lexicon, offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def counts(self) -> Ints:
        """Return how many texts each segment has."""
        found: Ints = self.offsets[1:] - self.offsets[:-1]
        return found

    @property
    def owners(self) -> Ints:
        """Return the segment of each text."""
        return np.repeat(np.arange(len(self)), self.counts)

    @property
    def single(self) -> bool:
        return len(self.texts) == len(self) and bool((self.counts == 1).all())

    def encoded(self, tokeniser: Tokeniser) -> Encoded:
        """Return the token ids of every text; equal ids mean equal tokens across the batch."""
        if tokeniser not in self._encoded:
            vocabulary = self.lexicon.vocabulary(tokeniser)
            self._encoded[tokeniser] = _encode(*tokeniser.marked(self.texts), vocabulary)
        found = self._encoded[tokeniser]
        size = len(self.lexicon.vocabulary(tokeniser))
        return found if found.size == size else Encoded(found.ids, found.starts, size)

    def characters(self, *, whitespace: bool = False, lowercase: bool = False) -> Encoded:
        """Return code points as ids, without white space unless it is asked for."""
        key = (whitespace, lowercase)
        if key not in self._chars:
            texts = [text.lower() for text in self.texts] if lowercase else self.texts
            if not whitespace:
                texts = ["".join(text.split()) for text in texts]
            starts = _starts(map(len, texts), len(texts))
            raw = "".join(texts).encode("utf-32-le", "surrogatepass")
            self._chars[key] = Encoded(np.frombuffer(raw, "<u4").astype(np.int64), starts, 0x110000)
        return self._chars[key]


def _starts(lengths: Iterable[int], count: int) -> Ints:
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.fromiter(lengths, dtype=np.int64, count=count), out=starts[1:])
    return starts


def _encode(tokens: list[str], mark: str, vocabulary: dict[str, int]) -> Encoded:
    """Number the tokens; the marks after each text become its bounds and vanish."""
    new = set(tokens).difference(vocabulary, (mark,))
    vocabulary.update(zip(new, range(len(vocabulary), len(vocabulary) + len(new)), strict=True))
    numbers = vocabulary | {mark: -1}
    ids = np.fromiter(map(numbers.__getitem__, tokens), dtype=np.int64, count=len(tokens))
    ends = np.flatnonzero(ids < 0)
    starts = np.zeros(len(ends) + 1, dtype=np.int64)
    starts[1:] = ends - np.arange(len(ends))
    return Encoded(ids[ids >= 0], starts, len(vocabulary))
