"""What decoding gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text the model wrote.

    `logprob` is the sum of the log-probabilities of `ids`, and of the end if `finished`, under the
    model's own distribution: temperature, penalties and constraints steer what is chosen and leave
    it alone, so candidates of different decodings compare. `score` is what beams are ranked by:
    the sum after penalties, divided by the length (the end counts) to the power of the length
    penalty. `tokens` counts sub-words without the end. `finished` is false where the greatest
    length cut the text. `missing` names what the text had to contain and does not.
    """

    text: str
    logprob: float
    tokens: int
    ids: tuple[int, ...]
    finished: bool
    score: float
    missing: tuple[str, ...] = ()
