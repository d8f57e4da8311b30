"""What decoding and likelihoods ask of a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Logits = NDArray[np.float32]
State = Any  # what a model keeps between steps; its own affair

SEQ2SEQ, CAUSAL = "seq2seq", "causal"


class LanguageModel(Protocol):
    """start, step, reorder: all that decoding and likelihoods need.

    A seq2seq model reads the source apart (T5, BART); a causal one goes on from a prompt
    (GPT-2, Llama), which is `[EOS] source [SEP]`.
    """

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str:
        """A short hash of all that results depend on."""
        ...

    @property
    def dtype(self) -> str: ...

    @property
    def kind(self) -> str:
        """Either "seq2seq" or "causal"."""
        ...

    @property
    def vocabulary(self) -> int:
        """The number of logits."""
        ...

    @property
    def end(self) -> int:
        """The id that ends a text."""
        ...

    @property
    def max_source(self) -> int:
        """How many sub-words of a source it can read, special ones included."""
        ...

    @property
    def max_target(self) -> int:
        """How many sub-words it can write."""
        ...

    def encode(self, texts: Sequence[str]) -> list[Ints]:
        """Return the ids of each source with the special ones around it, however long it is."""
        ...

    def targets(self, texts: Sequence[str]) -> list[Ints]:
        """Return the ids that would have to be written for each text, the end included."""
        ...

    def decode(self, ids: Sequence[Sequence[int]]) -> list[str]:
        """Return the text of each row of ids, without the special ones."""
        ...

    def pieces(self) -> list[str]:
        """Return what each id looks like in a text, " the" say; nothing for a special one."""
        ...

    def start(self, prompts: Sequence[Ints]) -> tuple[State, Logits]:
        """Read each prompt once; return the state and the logits of the first token, [n, …]."""
        ...

    def step(self, state: State, tokens: Ints) -> Logits:
        """Put a token to the end of each row; return the logits of the next. The state moves on."""
        ...

    def reorder(self, state: State, rows: Ints) -> State:
        """Return a state whose row i is row rows[i] of the old one; rows may repeat or be left out.

        The old state may be reordered again, but it is not stepped any more.
        """
        ...


@runtime_checkable
class Pairing(Protocol):
    """A model that can be told how much a text copies of its source (see lm_text.Frame)."""

    def encode_pairs(self, sources: Sequence[str], targets: Sequence[str]) -> list[Ints]:
        """Return the ids of each source, with what is true of the target it is read for."""
        ...


@runtime_checkable
class Forcing(Protocol):
    """A model that reads whole targets at once, which is faster than a step per token."""

    def forced(self, prompts: Sequence[Ints], targets: Sequence[Ints]) -> list[Logits]:
        """Return log-probabilities of each target's tokens, given its prompt and those before."""
        ...
