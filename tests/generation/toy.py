"""A language model of a few tokens whose logits are a seeded hash of the source and the prefix.

Everything it can write can be enumerated, so each option is compared with brute force. Nothing is
shared between rows, so results cannot depend on batch mates unless decoding makes them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Toy:
    """Token 0 is the end; the others are the given pieces, 1 upwards."""

    name, fingerprint, dtype, kind, end = "toy", "0", "float32", "seq2seq", 0

    def __init__(
        self,
        pieces: Sequence[str] = (" a", " b", " c"),
        *,
        seed: int = 0,
        scale: float = 1.5,
        ending: float = 0.0,
        max_source: int = 512,
        max_target: int = 64,
    ) -> None:
        self._pieces = ["", *pieces]
        self.vocabulary = len(self._pieces)
        self.max_source, self.max_target = max_source, max_target
        self._seed, self._scale, self._ending = seed, scale, ending
        self.started = 0
        self.widest = 0
        self._known: dict[str, NDArray[np.float32]] = {}

    def encode(self, texts: Sequence[str]) -> list[Ints]:
        return self.targets(texts)

    def targets(self, texts: Sequence[str]) -> list[Ints]:
        """Longest match first; characters without a piece are left out."""
        return [np.array([*self._cut(" " + text.strip()), self.end], np.int64) for text in texts]

    def _cut(self, text: str) -> Iterator[int]:
        by_length = sorted(range(1, self.vocabulary), key=lambda i: -len(self._pieces[i]))
        while text:
            found = next((i for i in by_length if text.startswith(self._pieces[i])), None)
            if found is not None:
                yield found
            text = text[len(self._pieces[found]) if found is not None else 1 :]

    def decode(self, ids: Sequence[Sequence[int]]) -> list[str]:
        return ["".join(self._pieces[token] for token in row) for row in ids]

    def pieces(self) -> list[str]:
        return list(self._pieces)

    def logits(self, prompt: Sequence[int], prefix: Sequence[int]) -> NDArray[np.float32]:
        name = f"{self._seed}|{tuple(map(int, prompt))}|{tuple(map(int, prefix))}"
        if name in self._known:
            return self._known[name]
        digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
        rng = np.random.default_rng(int.from_bytes(digest, "little"))
        values = rng.standard_normal(self.vocabulary) * self._scale
        values[self.end] += self._ending
        self._known[name] = values.astype(np.float32)
        return self._known[name]

    def start(self, prompts: Sequence[Ints]) -> tuple[Any, NDArray[np.float32]]:
        self.started += len(prompts)
        state = [(tuple(prompt.tolist()), ()) for prompt in prompts]
        return _State(state), np.stack([self.logits(*row) for row in state])

    def step(self, state: Any, tokens: Ints) -> NDArray[np.float32]:
        assert not state.dead, "a state that was reordered is not stepped any more"
        self.widest = max(self.widest, len(tokens))
        pairs = zip(state.rows, tokens.tolist(), strict=True)
        state.rows = [(prompt, (*prefix, token)) for (prompt, prefix), token in pairs]
        return np.stack([self.logits(*row) for row in state.rows])

    def reorder(self, state: Any, rows: Ints) -> Any:
        state.dead = True
        return _State([state.rows[row] for row in rows])

    def logs(self, prompt: Sequence[int], prefix: Sequence[int]) -> NDArray[np.float64]:
        values = self.logits(prompt, prefix).astype(np.float64)
        return values - np.log(np.exp(values - values.max()).sum()) - values.max()

    def logprob(self, source: str, ids: Sequence[int], *, finished: bool = True) -> float:
        """The model's own sum."""
        prompt = self.encode([source])[0]
        tokens = [*ids, self.end] if finished else list(ids)
        return float(sum(self.logs(prompt, tokens[:t])[token] for t, token in enumerate(tokens)))

    def texts(self, most: int, least: int = 1) -> Iterator[tuple[int, ...]]:
        """Everything it can write within the lengths."""
        layer: list[tuple[int, ...]] = [()]
        for length in range(most + 1):
            if length >= least:
                yield from layer
            layer = [(*ids, token) for ids in layer for token in range(1, self.vocabulary)]


class _State:
    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows
        self.dead = False
