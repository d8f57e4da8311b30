"""Texts into the ids of a language model and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import LCSseq

from paraphrast.errors import ConfigError, ModelError
from paraphrast.models.feeding import encodable
from paraphrast.models.generator.language_model import CAUSAL, Ints
from paraphrast.models.tokeniser_file import open_tokeniser

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MARK = "a"  # what a piece is put behind to see its own white space


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around texts.

    `separator` ends a causal prompt. The n-th of N `codes` before a source asks for a text whose
    ROUGE-L with it, in sub-words, is n/N to (n + 1)/N; `copied` is what is asked for.
    """

    kind: str
    end: int
    separator: int | None = None
    prefix: str = ""
    codes: tuple[int, ...] = ()
    copied: float = 0.0

    def code(self, copied: float) -> tuple[int, ...]:
        places = len(self.codes)
        return (self.codes[min(int(copied * places), places - 1)],) if places else ()


class TextIds:
    """A tokeniser, and the special ids around what it gives.

    Special tokens that a text spells out are letters like any others.
    """

    def __init__(self, tokeniser: Tokenizer, frame: Frame, vocabulary: int) -> None:
        tokeniser.no_truncation()
        tokeniser.no_padding()
        tokeniser.encode_special_tokens = True
        self._tokeniser, self.frame = tokeniser, frame
        self._vocabulary = vocabulary

    @classmethod
    def from_file(
        cls, path: Path, frame: Frame, vocabulary: int, content: bytes | None = None
    ) -> TextIds:
        """Read a tokeniser; `content` is what the file holds if that was read already."""
        return cls(open_tokeniser(path, content), frame, vocabulary)

    def copying(self, copied: float) -> TextIds:
        """Return the same, asking for another share of the source's words in their order."""
        if not self.frame.codes:
            raise ConfigError("this generator was not taught to be told how much to copy")
        if not 0 <= copied <= 1:
            raise ConfigError(f"the share to copy must be from 0 to 1; got {copied!r}")
        return TextIds(self._tokeniser, replace(self.frame, copied=copied), self._vocabulary)

    def sources(self, texts: Sequence[str]) -> list[Ints]:
        """Return each source with its end, or as a prompt that asks for its paraphrase."""
        found = self._ids([self.frame.prefix + text for text in texts])
        return [self._framed(ids, self.frame.copied) for ids in found]

    def paired(self, sources: Sequence[str], targets: Sequence[str]) -> list[Ints]:
        """Return sources with the code, if there are codes, that is true of each target."""
        found = self._ids([self.frame.prefix + text for text in sources])
        made = []
        for ids, other in zip(found, self._ids(targets), strict=True):
            shared = LCSseq.similarity(ids, other)
            made.append(self._framed(ids, 2 * shared / max(len(ids) + len(other), 1)))
        return made

    def _framed(self, ids: list[int], copied: float) -> Ints:
        frame = self.frame
        inner = [*frame.code(copied), *ids]
        if frame.kind != CAUSAL:
            return np.array([*inner, frame.end], dtype=np.int64)
        if frame.separator is not None:
            return np.array([frame.end, *inner, frame.separator], dtype=np.int64)
        if ids:
            raise ModelError(
                "this model has no separator between a source and its paraphrase, so it can go on "
                "from an empty source alone; train it on pairs, or give its tokeniser a sep_token"
            )
        return np.array([frame.end], dtype=np.int64)

    def targets(self, texts: Sequence[str]) -> list[Ints]:
        return [np.array([*ids, self.frame.end], dtype=np.int64) for ids in self._ids(texts)]

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        clean = [encodable(text.strip()) for text in texts]
        found = self._tokeniser.encode_batch_fast(clean, add_special_tokens=False)
        return [
            one.ids if self._forbidden.isdisjoint(one.ids) else self._spelt(one.ids)
            for one in found
        ]

    def _spelt(self, ids: list[int]) -> list[int]:
        """Spell special tokens letter by letter; Unigram has them among its pieces."""
        made = []
        for number in ids:
            name = self._tokeniser.id_to_token(number) if number in self._forbidden else None
            letters = [self._tokeniser.token_to_id(letter) for letter in name or ""]
            made += [n if n is not None else self._unknown for n in letters] or [number]
        return [number for number in made if number is not None]

    def texts(self, ids: Sequence[Sequence[int]]) -> list[str]:
        """Return the text of each row, without special tokens."""
        known = [[int(n) for n in row if n not in self._special] for row in ids]
        return [text.strip() for text in self._tokeniser.decode_batch(known)]

    @cached_property
    def _unknown(self) -> int | None:
        return self._tokeniser.token_to_id("<unk>")

    @cached_property
    def _forbidden(self) -> frozenset[int]:
        """The special ids that no text may have of itself."""
        return self._special - {self._unknown}

    @cached_property
    def _special(self) -> frozenset[int]:
        added = self._tokeniser.get_added_tokens_decoder()
        named = (self.frame.end, self.frame.separator, *self.frame.codes)
        return frozenset(
            [n for n, token in added.items() if token.special]
            + [n for n in named if n is not None]
            + list(range(self._tokeniser.get_vocab_size(), self._vocabulary))
        )

    @cached_property
    def pieces(self) -> list[str]:
        """The surface of every id, seen from behind another text: white space in front is kept.

        A byte that is no character by itself is a replacement character.
        """
        anchor = self._tokeniser.encode(_MARK, add_special_tokens=False).ids
        before = self._tokeniser.decode(anchor)
        plain = [n for n in range(self._vocabulary) if n not in self._special]
        found = self._tokeniser.decode_batch([[*anchor, n] for n in plain])
        made = [""] * self._vocabulary
        for number, text in zip(plain, found, strict=True):
            made[number] = text.removeprefix(before)
        return made
