"""How long an output may be."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paraphrast.errors import ConfigError
from paraphrast.generation.decoding.decoding_options import Decoding

SLACK = 5  # sub-words granted beyond a greatest length that is a share: short sources need them
SHORTEN_COST = 6.0  # nats that a beam pays for each sub-word beyond the share `shorten`
UNMARKED_COST = 12.0  # and for an end without the mark that closes the source
HASTE = 8.0  # nats by which the search favours a close where the share is used up,
HASTEN_FROM = 0.5  # growing from this part of it on


@dataclass(frozen=True, slots=True)
class Bounds:
    """The fewest and most sub-words of an output, and how many are free of charge."""

    least: int
    most: int
    free: int


def bounds(decoding: Decoding, length: int, *, room: int, share: float = 1.0) -> Bounds:
    """Return the bounds for a source of `length` sub-words, `share` of the text it belongs to.

    `room` is what the model can write. An absolute length is shared out among the parts of a long
    text; between an absolute length and one that is a share, the absolute one holds.
    """
    least, most = decoding.min_length, decoding.max_length
    low = math.ceil(least * share if isinstance(least, int) else least * length)
    high = math.ceil(most * share) if isinstance(most, int) else math.ceil(most * length) + SLACK
    if low > high:
        low, high = (low, low) if isinstance(least, int) else (high, high)
    if low > room:
        if isinstance(least, int):
            raise ConfigError(f"min_length={least} is more than the {room} sub-words of the model")
        low = room
    free = room if decoding.shorten is None else math.ceil(decoding.shorten * length)
    return Bounds(max(low, 1), max(min(high, room), 1), max(free, 1))
