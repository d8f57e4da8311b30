"""Texts on their way into a network: characters it can take, batches, padding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Ints = NDArray[np.int64]

BATCH_TOKENS = 2048  # sub-words that are read at once, padding included
_PADS = ("[PAD]", "<pad>")
_SURROGATE = re.compile("[\ud800-\udfff]")


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of rows of like length, shortest first, in batches of limited size."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def padded(rows: Sequence[Ints], value: int) -> Ints:
    """Lay rows over each other, filled up with `value` to the length of the longest."""
    filled = np.full((len(rows), max(map(len, rows))), value, dtype=np.int64)
    for number, row in enumerate(rows):
        filled[number, : len(row)] = row
    return filled


def pad_id(tokeniser: Tokenizer) -> int:
    """Return the id to pad with; it is masked, but some networks count positions by it."""
    found = [tokeniser.token_to_id(name) for name in _PADS]
    return next((number for number in found if number is not None), 0)


def encodable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot hold, one for one."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
