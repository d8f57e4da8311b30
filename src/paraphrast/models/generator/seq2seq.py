"""An encoder–decoder (T5 kind) in onnxruntime; each source is read once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.models.feeding import padded
from paraphrast.models.generator.generator_card import ENCODER
from paraphrast.models.generator.language_model import Ints, Logits
from paraphrast.models.generator.log_probabilities import of_targets
from paraphrast.models.generator.onnx_decoder import Rows, key_names, run, wrapped
from paraphrast.models.generator.onnx_generator import OnnxModel, check_lengths


class Seq2SeqModel(OnnxModel):
    """A LanguageModel of kind "seq2seq"."""

    def __init__(self, directory: Path, **options: Any) -> None:
        super().__init__(directory, **options)
        self._cross = key_names(self.card.layers, "cross_key", "cross_value")
        self._encoder = self._session(ENCODER, *self._cross)
        assert self.card.start is not None  # what the card demands of this kind
        self._start = self.card.start

    def start(self, prompts: Sequence[Ints]) -> tuple[Rows, Logits]:
        state = self._read(prompts)
        return state, self.step(state, np.full(len(prompts), self._start))

    def forced(self, prompts: Sequence[Ints], targets: Sequence[Ints]) -> list[Logits]:
        state = self._read(prompts)
        given = [np.concatenate([[self._start], ids[:-1]]) for ids in targets]
        rows = padded(given, self.end)
        places = [n * rows.shape[1] + np.arange(len(ids)) for n, ids in enumerate(targets)]
        wanted = np.concatenate(places)
        return of_targets(self._decoder.advance(state, rows, wanted=wanted), targets)

    def _read(self, prompts: Sequence[Ints]) -> Rows:
        check_lengths(prompts, self.max_source)
        mask = padded([np.ones_like(ids) for ids in prompts], 0).astype(np.float32)
        states = self._decoder.embedded(padded(prompts, self.end))
        given = {"states": wrapped(states), "mask": wrapped(mask)}
        found = run(self._encoder, self._cross, given)
        fixed = {name: wrapped(array) for name, array in zip(self._cross, found, strict=True)}
        return Rows(self._decoder.empty(len(prompts)), {**fixed, "mask": given["mask"]})
