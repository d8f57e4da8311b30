"""Two texts as the one sequence of sub-words that the edit encoder reads.

Training and inference share this file, so that a model sees at work what it saw in training.
A word is found again by its first sub-word, through character offsets: given words are never
tokenised away from their tags, and a raw text and its words give the same sub-words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ModelError
from paraphrast.models.tokeniser_file import open_tokeniser
from paraphrast.text.words import WordText

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

Ints = NDArray[np.int64]

LOST = -1  # the place of a word that the tokeniser drops altogether


@dataclass(frozen=True, slots=True)
class EncodedSide:
    """One text as sub-words, and for each word the place of its first, or LOST."""

    ids: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Joined:
    """A pair as one sequence; `first_a` and `first_b` point into it."""

    ids: Ints
    types: Ints
    first_a: Ints
    first_b: Ints

    def __len__(self) -> int:
        return len(self.ids)


class PairTokeniser:
    """Turns pairs of texts into sequences with the special tokens the tokeniser prescribes."""

    def __init__(self, tokeniser: Tokenizer) -> None:
        tokeniser.no_truncation()
        tokeniser.no_padding()
        self._tokeniser = tokeniser
        self._frame = _frame(tokeniser)

    @classmethod
    def from_file(cls, path: Path, content: bytes | None = None) -> PairTokeniser:
        """Read a tokeniser; `content` is what the file holds if that was read already."""
        found = open_tokeniser(path, content)
        try:
            return cls(found)
        except Exception as error:  # tokenizers raises nothing narrower
            raise ModelError(f"{path} is not a tokeniser: {error}") from error

    @property
    def overhead(self) -> int:
        """How many special tokens a pair costs."""
        return sum(len(part) for part in self._frame.parts)

    @property
    def tokeniser(self) -> Tokenizer:
        return self._tokeniser

    def sides(self, texts: Sequence[WordText]) -> list[EncodedSide]:
        encodings = self._tokeniser.encode_batch(
            [text.text for text in texts], add_special_tokens=False
        )
        return [_side(encoding, text) for encoding, text in zip(encodings, texts, strict=True)]

    def join(self, a: EncodedSide, b: EncodedSide) -> Joined:
        before, between, after = self._frame.parts
        ids = np.concatenate([before, a.ids, between, b.ids, after])
        start_a = len(before)
        start_b = start_a + len(a) + len(between)
        types = np.zeros(len(ids), dtype=np.int64)
        types[start_b:] = self._frame.second_type
        return Joined(ids, types, _shifted(a.first, start_a), _shifted(b.first, start_b))


@dataclass(frozen=True, slots=True)
class _Frame:
    parts: tuple[Ints, Ints, Ints]
    second_type: int


def _frame(tokeniser: Tokenizer) -> _Frame:
    """Read off a sample what the tokeniser puts before, between and after two texts."""
    sample = tokeniser.encode("a", "b")
    places = sample.sequence_ids
    if 0 not in places or 1 not in places:
        raise ModelError("the tokeniser cannot join two texts")
    first_a, first_b = places.index(0), places.index(1)
    last_a = len(places) - 1 - places[::-1].index(0)
    last_b = len(places) - 1 - places[::-1].index(1)
    ids = np.array(sample.ids, dtype=np.int64)
    parts = (ids[:first_a], ids[last_a + 1 : first_b], ids[last_b + 1 :])
    return _Frame(parts, sample.type_ids[first_b])


def _side(encoding: Encoding, text: WordText) -> EncodedSide:
    ids = np.array(encoding.ids, dtype=np.int64)
    ends = np.array([end for _, end in encoding.offsets], dtype=np.int64)
    starts = np.array([start for start, _ in encoding.offsets], dtype=np.int64)
    if not len(text) or not len(ids):
        return EncodedSide(ids, np.full(len(text), LOST, dtype=np.int64))
    spans = np.array(text.spans, dtype=np.int64)
    first = np.searchsorted(ends, spans[:, 0], side="right")
    inside = np.minimum(first, len(ids) - 1)
    found = (first < len(ids)) & (starts[inside] < spans[:, 1])
    return EncodedSide(ids, np.where(found, inside, LOST))


def _shifted(first: Ints, by: int) -> Ints:
    return np.where(first == LOST, LOST, first + by)
