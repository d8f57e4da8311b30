"""Generators in onnxruntime: the decoder over slots, and the models of both kinds.

An encoder–decoder (T5 kind) reads each source once; a decoder-only model (GPT-2, Llama kind) goes
on from prompts that are padded on the left.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import InputError, ModelError
from paraphrast.models.feeding import padded
from paraphrast.models.generator.generator_card import DECODER, EMBEDDINGS, ENCODER, GeneratorCard
from paraphrast.models.generator.key_value_slots import Mask, Slots, Store, Values
from paraphrast.models.generator.language_model import Ints, Logits
from paraphrast.models.generator.subword_text import TextIds
from paraphrast.models.generator.text_likelihood import of_targets
from paraphrast.models.session import Session
from paraphrast.models.weights_card import TOKENISER, short_hash


def key_names(layers: int, *stems: str) -> list[str]:
    """Return the names of inputs or outputs of every layer, those of one layer together."""
    return [f"{stem}_{layer}" for layer in range(layers) for stem in stems]


@dataclass(slots=True, eq=False)
class DecoderRows:
    """The state of rows: what they wrote, what they go on from."""

    slots: Slots
    fixed: dict[str, Any] = field(default_factory=dict)  # inputs that steps do not change
    positions: Ints | None = None  # [rows], of the next token
    store: Store | None = None  # whose arrays are among the inputs below
    past: dict[str, Any] = field(default_factory=dict)

    def chosen(self, rows: Ints) -> DecoderRows:
        """Return other rows; the inputs that belong to groups are copied only if groups go."""
        slots, groups = self.slots.chosen(rows)
        positions = None if self.positions is None else self.positions[rows]
        if groups is None:
            return DecoderRows(slots, self.fixed, positions, self.store, self.past)
        fixed = {
            name: wrapped(np.take(value.numpy(), groups, axis=0))
            for name, value in self.fixed.items()
        }
        return DecoderRows(slots, fixed, positions)


class Decoder:
    """Embeddings and decoder; what changes between steps is numpy's, the rest stays in place."""

    def __init__(self, embeddings: Session, session: Session, card: GeneratorCard) -> None:
        self._embeddings, self._session = embeddings, session
        self._shape = (2 * card.layers, card.heads, card.size)
        self._past = key_names(card.layers, "past_key", "past_value")
        self._outputs = ["logits", *key_names(card.layers, "key", "value")]

    def empty(self, rows: int, slots: int = 0) -> Slots:
        """Return rows that have written nothing."""
        count, heads, size = self._shape
        return Slots.empty(count, rows, heads, size, slots)

    def embedded(self, ids: Ints) -> Values:
        (states,) = run(self._embeddings, ["states"], {"ids": wrapped(ids)})
        return states

    def advance(
        self,
        rows: DecoderRows,
        ids: Ints,
        *,
        wanted: Ints | None = None,
        hidden: Mask | None = None,
    ) -> Logits:
        """Add new tokens [rows, tokens] to each row and return the logits of the wanted.

        `wanted` are places in rows × tokens, by default the last of each row; `hidden` tokens are
        padding. Both are for rows that have written nothing yet.
        """
        slots, tokens = rows.slots, ids.shape[1]
        slots.room(tokens)
        if rows.store is not slots.store:
            arrays = zip(self._past, slots.store.arrays, strict=True)
            rows.past, rows.store = {name: wrapped(array) for name, array in arrays}, slots.store
        feed: dict[str, NDArray[Any]] = {
            "states": self.embedded(slots.spread(ids, 0)),
            "distance": slots.distance(tokens, hidden),
            "wanted": slots.cells * tokens + tokens - 1 if wanted is None else wanted,
        }
        if rows.positions is not None:
            places = rows.positions[:, None] + _counted(tokens, hidden)
            feed["position"], rows.positions = slots.spread(places, 0), places[:, -1] + 1
        given = {name: wrapped(array) for name, array in feed.items()}
        logits, *made = run(self._session, self._outputs, given | rows.past | rows.fixed)
        slots.write(made, hidden)
        return logits


def run(session: Session, outputs: list[str], given: dict[str, Any]) -> list[NDArray[Any]]:
    """Run a network on arrays that are wrapped already."""
    try:
        found = session.handle.run_with_ort_values(outputs, given)
    except Exception as error:  # onnxruntime's errors share no other base
        raise ModelError(f"the network cannot be run: {error}") from error
    return [value.numpy() for value in found]


def wrapped(array: NDArray[Any]) -> Any:
    """Return an array as onnxruntime takes it, without copying it; later writes are seen."""
    from onnxruntime import OrtValue

    return OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array))


def _counted(tokens: int, hidden: Mask | None) -> Ints:
    """Return the places of new tokens after the last one; padding does not count."""
    if hidden is None:
        return np.arange(tokens)[None]
    found: Ints = np.maximum(np.cumsum(~hidden, axis=1) - 1, 0)
    return found


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
        content = card.check_files().get(TOKENISER)
        self._threads, self._device, self._opened = threads, device, opened or {}
        self.text = TextIds.from_file(directory / TOKENISER, card.frame, card.vocabulary, content)
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

    def step(self, state: DecoderRows, tokens: Ints) -> Logits:
        return self._decoder.advance(state, np.asarray(tokens, dtype=np.int64)[:, None])

    def reorder(self, state: DecoderRows, rows: Ints) -> DecoderRows:
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


class Seq2SeqModel(OnnxModel):
    """A LanguageModel of kind "seq2seq"."""

    def __init__(self, directory: Path, **options: Any) -> None:
        super().__init__(directory, **options)
        self._cross = key_names(self.card.layers, "cross_key", "cross_value")
        self._encoder = self._session(ENCODER, *self._cross)
        assert self.card.start is not None  # what the card demands of this kind
        self._start = self.card.start

    def start(self, prompts: Sequence[Ints]) -> tuple[DecoderRows, Logits]:
        state = self._read(prompts)
        return state, self.step(state, np.full(len(prompts), self._start))

    def forced(self, prompts: Sequence[Ints], targets: Sequence[Ints]) -> list[Logits]:
        state = self._read(prompts)
        given = [np.concatenate([[self._start], ids[:-1]]) for ids in targets]
        rows = padded(given, self.end)
        places = [n * rows.shape[1] + np.arange(len(ids)) for n, ids in enumerate(targets)]
        wanted = np.concatenate(places)
        return of_targets(self._decoder.advance(state, rows, wanted=wanted), targets)

    def _read(self, prompts: Sequence[Ints]) -> DecoderRows:
        check_lengths(prompts, self.max_source)
        mask = padded([np.ones_like(ids) for ids in prompts], 0).astype(np.float32)
        states = self._decoder.embedded(padded(prompts, self.end))
        given = {"states": wrapped(states), "mask": wrapped(mask)}
        found = run(self._encoder, self._cross, given)
        fixed = {name: wrapped(array) for name, array in zip(self._cross, found, strict=True)}
        return DecoderRows(self._decoder.empty(len(prompts)), {**fixed, "mask": given["mask"]})


class CausalModel(OnnxModel):
    """A LanguageModel of kind "causal"; padding is hidden and takes no position."""

    def start(self, prompts: Sequence[Ints]) -> tuple[DecoderRows, Logits]:
        check_lengths(prompts, self.max_source)
        ids, hidden = left_padded(prompts, self.end)
        state = self._empty(len(prompts), ids.shape[1])
        wanted = np.arange(1, len(ids) + 1) * ids.shape[1] - 1
        return state, self._decoder.advance(state, ids, wanted=wanted, hidden=hidden)

    def step(self, state: DecoderRows, tokens: Ints) -> Logits:
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

    def _empty(self, rows: int, tokens: int) -> DecoderRows:
        slots = self._decoder.empty(rows, tokens + tokens // 2)
        return DecoderRows(slots, positions=np.zeros(rows, dtype=np.int64))


def left_padded(rows: Sequence[Ints], value: int) -> tuple[Ints, Mask]:
    """Lay rows over each other, flush right; return them and which places are padding."""
    longest = max(map(len, rows))
    ids = np.full((len(rows), longest), value, dtype=np.int64)
    hidden = np.ones(ids.shape, dtype=np.bool_)
    for number, row in enumerate(rows):
        ids[number, longest - len(row) :] = row
        hidden[number, longest - len(row) :] = False
    return ids, hidden
