"""The one decoding loop, and the batches it runs on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from paraphrast.generation.decoding.beams import Beams
from paraphrast.generation.decoding.decoding_options import Decoding
from paraphrast.generation.decoding.draws import Draws
from paraphrast.generation.decoding.running_rows import Ended, Ints, Item, Rows, Step
from paraphrast.generation.decoding.steering import Steering
from paraphrast.models.generator.language_model import LanguageModel

MOST_ROWS = 256  # rows of logits held at once
MOST_CELLS = 16_384  # rows × sub-words whose keys and values are held at once


class Search(Protocol):
    """A way of choosing: beams or draws."""

    ended: list[dict[int, list[Ended]]]

    def first(self) -> Rows:
        """Return the rows to begin with."""
        ...

    def choose(self, rows: Rows, step: Step) -> tuple[Ints, Ints]:
        """Return parents and sub-words of the rows that go on."""
        ...


def run(
    model: LanguageModel,
    items: Sequence[Item],
    decoding: Decoding,
    steering: Steering,
    pieces: Sequence[str],
    *,
    attempt: int = 0,
) -> list[dict[int, list[Ended]]]:
    """Decode one batch: per item and draw (or group of beams), the texts that ended.

    Every source is read once. Rows that have ended leave the batch.
    """
    search: Search = (
        Beams(decoding, items, end=model.end)
        if decoding.uses_beams
        else Draws(decoding, items, end=model.end, attempt=attempt)
    )
    state, logits = model.start([item.prompt for item in items])
    rows = search.first()
    if not _is_all(rows.item, len(items)):
        state, logits = model.reorder(state, rows.item), logits[rows.item]
    while True:
        step = steering.look(logits, rows)
        parents, tokens = search.choose(rows, step)
        if not len(parents):
            return search.ended
        if not _is_all(parents, len(rows)):
            state = model.reorder(state, parents)
        rows = rows.follow(parents, tokens, step, pieces)
        logits = model.step(state, tokens)


def _is_all(parents: Ints, count: int) -> bool:
    return len(parents) == count and bool((parents == np.arange(count)).all())


def batches(items: Sequence[Item], decoding: Decoding) -> Iterator[list[tuple[int, Item]]]:
    """Yield items of like length together, numbered, within the bounds on rows and cells."""
    parts = list(_parted(items, decoding.parts))
    parts.sort(key=lambda each: (len(each[1].prompt), each[1].bounds.most, each[0]))
    batch: list[tuple[int, Item]] = []
    rows = 0
    for number, item in parts:
        width = decoding.beams if decoding.uses_beams else len(item.draws)
        length = len(item.prompt) + max([item.bounds.most, *(i.bounds.most for _, i in batch)])
        full = rows + width > MOST_ROWS or (rows + width) * length > MOST_CELLS
        if batch and full:
            yield batch
            batch, rows = [], 0
        batch.append((number, item))
        rows += width
    if batch:
        yield batch


def _parted(items: Sequence[Item], sets: int) -> Iterator[tuple[int, Item]]:
    """Part the draws of an item that would fill more than a batch; sets of draws stay whole."""
    for number, item in enumerate(items):
        if len(item.draws) <= MOST_ROWS:
            yield number, item
            continue
        size = max(1, MOST_ROWS // sets) * sets
        blocks: dict[int, list[int]] = {}
        for draw in item.draws:
            blocks.setdefault(draw // size, []).append(draw)
        for draws in blocks.values():
            yield number, replace(item, draws=tuple(draws))
