"""The decoder of a generator in onnxruntime: new tokens in, logits out, slots filled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ModelError
from paraphrast.models.generator.generator_card import GeneratorCard
from paraphrast.models.generator.key_value_slots import Mask, Slots, Store, Values
from paraphrast.models.generator.language_model import Ints, Logits
from paraphrast.models.session import Session


def key_names(layers: int, *stems: str) -> list[str]:
    """Return the names of inputs or outputs of every layer, those of one layer together."""
    return [f"{stem}_{layer}" for layer in range(layers) for stem in stems]


@dataclass(slots=True, eq=False)
class Rows:
    """The state of rows: what they wrote, what they go on from."""

    slots: Slots
    fixed: dict[str, Any] = field(default_factory=dict)  # inputs that steps do not change
    positions: Ints | None = None  # [rows], of the next token
    store: Store | None = None  # whose arrays are among the inputs below
    past: dict[str, Any] = field(default_factory=dict)

    def chosen(self, rows: Ints) -> Rows:
        """Return other rows; the inputs that belong to groups are copied only if groups go."""
        slots, groups = self.slots.chosen(rows)
        positions = None if self.positions is None else self.positions[rows]
        if groups is None:
            return Rows(slots, self.fixed, positions, self.store, self.past)
        fixed = {
            name: wrapped(np.take(value.numpy(), groups, axis=0))
            for name, value in self.fixed.items()
        }
        return Rows(slots, fixed, positions)


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
        rows: Rows,
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
