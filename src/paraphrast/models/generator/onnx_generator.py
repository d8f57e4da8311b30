"""What generators of both kinds share in onnxruntime: the card, the texts, the decoder."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np

from paraphrast.errors import InputError
from paraphrast.models.generator.generator_card import DECODER, EMBEDDINGS, GeneratorCard
from paraphrast.models.generator.language_model import Ints, Logits
from paraphrast.models.generator.onnx_decoder import Decoder, Rows
from paraphrast.models.generator.subword_text import TextIds
from paraphrast.models.session import Session
from paraphrast.models.weights import TOKENISER, short_hash


class OnnxModel:
    """The part of a LanguageModel that does not depend on its kind."""

    def __init__(
        self,
        directory: Path,
        *,
        threads: int | None = None,
        device: str = "cpu",
        opened: Mapping[str, Session] | None = None,
    ) -> None:
        """Read the files, but for those whose networks are `opened` already."""
        self.card = card = GeneratorCard.read(directory)
        card.check_files()
        self._threads, self._device, self._opened = threads, device, opened or {}
        self.text = TextIds.from_file(directory / TOKENISER, card.frame, card.vocabulary)
        embeddings = self._session(EMBEDDINGS, "states")
        self._decoder = Decoder(embeddings, self._session(DECODER, "logits"), card)

    def _session(self, file: str, *outputs: str) -> Session:
        if file in self._opened:
            return self._opened[file]
        network, path = self.card.content(file), self.card.directory / file
        # looking up a few rows is no work for two, and idle threads wait in a busy loop
        threads = 1 if file == EMBEDDINGS else self._threads
        return Session.load(network, path, outputs=outputs, threads=threads, device=self._device)

    @property
    def name(self) -> str:
        return self.card.model

    @property
    def fingerprint(self) -> str:
        """Changes with what is asked for by `copying` too."""
        return short_hash(self.card.fingerprint, self.text.frame.copied)

    @property
    def dtype(self) -> str:
        return self.card.dtype

    @property
    def kind(self) -> str:
        return self.card.architecture

    @property
    def vocabulary(self) -> int:
        return self.card.vocabulary

    @property
    def end(self) -> int:
        return self.card.end

    @property
    def max_source(self) -> int:
        return self.card.max_tokens

    @property
    def max_target(self) -> int:
        return self.card.max_target

    def copying(self, copied: float) -> Self:
        """Return the same model, asked for texts whose ROUGE-L with the source is so high."""
        other = copy.copy(self)
        other.text = self.text.copying(copied)
        return other

    def encode(self, texts: Sequence[str]) -> list[Ints]:
        return self.text.sources(texts)

    def encode_pairs(self, sources: Sequence[str], targets: Sequence[str]) -> list[Ints]:
        return self.text.paired(sources, targets)

    def targets(self, texts: Sequence[str]) -> list[Ints]:
        return self.text.targets(texts)

    def decode(self, ids: Sequence[Sequence[int]]) -> list[str]:
        return self.text.texts(ids)

    def pieces(self) -> list[str]:
        return list(self.text.pieces)

    def step(self, state: Rows, tokens: Ints) -> Logits:
        return self._decoder.advance(state, np.asarray(tokens, dtype=np.int64)[:, None])

    def reorder(self, state: Rows, rows: Ints) -> Rows:
        rows = np.asarray(rows, dtype=np.int64)
        if np.array_equal(rows, np.arange(state.slots.rows)):
            return state
        return state.chosen(rows)


def check_lengths(prompts: Sequence[Ints], most: int) -> None:
    """Refuse what the model cannot read, before anything is read."""
    for number, ids in enumerate(prompts, 1):
        if len(ids) > most:
            raise InputError(
                f"source {number} has {len(ids)} sub-words, but the model reads {most} at once; "
                "split it into sentences"
            )
        if not len(ids):
            raise InputError(f"source {number} has no ids; encode() gives at least one")
