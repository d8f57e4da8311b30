"""A decoder-only model (GPT-2, Llama kind) in onnxruntime; prompts are padded on the left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paraphrast.errors import InputError
from paraphrast.models.generator.key_value_slots import Mask
from paraphrast.models.generator.language_model import Ints, Logits
from paraphrast.models.generator.log_probabilities import of_targets
from paraphrast.models.generator.onnx_decoder import Rows
from paraphrast.models.generator.onnx_generator import OnnxModel, check_lengths


class CausalModel(OnnxModel):
    """A LanguageModel of kind "causal"; padding is hidden and takes no position."""

    def start(self, prompts: Sequence[Ints]) -> tuple[Rows, Logits]:
        check_lengths(prompts, self.max_source)
        ids, hidden = left_padded(prompts, self.end)
        state = self._empty(len(prompts), ids.shape[1])
        wanted = np.arange(1, len(ids) + 1) * ids.shape[1] - 1
        return state, self._decoder.advance(state, ids, wanted=wanted, hidden=hidden)

    def step(self, state: Rows, tokens: Ints) -> Logits:
        most = self.max_source + self.max_target
        if state.positions is not None and int(state.positions.max(initial=0)) >= most:
            raise InputError(f"a row has {most} sub-words already, the most that the model has")
        return super().step(state, tokens)

    def forced(self, prompts: Sequence[Ints], targets: Sequence[Ints]) -> list[Logits]:
        check_lengths(prompts, self.max_source)
        joined = [np.concatenate([a, b[:-1]]) for a, b in zip(prompts, targets, strict=True)]
        ids, hidden = left_padded(joined, self.end)
        state = self._empty(len(ids), 0)
        ends = np.arange(1, len(ids) + 1) * ids.shape[1]
        places = [np.arange(end - len(t), end) for end, t in zip(ends, targets, strict=True)]
        wanted = np.concatenate(places)
        found = self._decoder.advance(state, ids, wanted=wanted, hidden=hidden)
        return of_targets(found, targets)

    def _empty(self, rows: int, tokens: int) -> Rows:
        slots = self._decoder.empty(rows, tokens + tokens // 2)
        return Rows(slots, positions=np.zeros(rows, dtype=np.int64))


def left_padded(rows: Sequence[Ints], value: int) -> tuple[Ints, Mask]:
    """Lay rows over each other, flush right; return them and which places are padding."""
    longest = max(map(len, rows))
    ids = np.full((len(rows), longest), value, dtype=np.int64)
    hidden = np.ones(ids.shape, dtype=np.bool_)
    for number, row in enumerate(rows):
        ids[number, longest - len(row) :] = row
        hidden[number, longest - len(row) :] = False
    return ids, hidden
