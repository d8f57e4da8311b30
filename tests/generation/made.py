"""Candidates as decoding would give them, and a judge that says what the test wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from paraphrast.generation.candidates import Candidate
from paraphrast.models.encoder.pair_summary import Weakest


def drawn(
    text: str, logprob: float = -5.0, *, finished: bool = True, missing: Sequence[str] = ()
) -> Candidate:
    """Return a candidate with a sub-word for each word."""
    ids = tuple(range(len(text.split())))
    return Candidate(text, logprob, len(ids), ids, finished, logprob, tuple(missing))


class Encoder:
    """Stands for the edit encoder: `entails(a, b)` is the probability it gives to a pair.

    The last word of `b` is the one with the least support, the square of that probability.
    """

    card = SimpleNamespace(languages=("en",), model="mini")

    def __init__(self, entails: Callable[[str, str], float]) -> None:
        self.entails = entails
        self.asked: list[list[tuple[str, str]]] = []

    def summaries(self, pairs: Sequence[tuple[str, str]]) -> list[Any]:
        self.asked.append(list(pairs))
        shares = [self.entails(a, b) for a, b in pairs]
        return [
            SimpleNamespace(
                entailment=float(np.log(p / (1 - p))),
                probability_f=p / 2,
                score=2 * p - 1,
                weakest=Weakest((b.split() or [""])[-1], p * p),
            )
            for (_, b), p in zip(pairs, shares, strict=True)
        ]


@contextmanager
def judged_by(entails: Callable[[str, str], float]) -> Iterator[Encoder]:
    """Put an encoder of our own in the place of the shipped one."""
    from paraphrast.models.encoder.edit_encoder import EditEncoder

    encoder = Encoder(entails)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("paraphrast.generation.selection.adequacy.find", lambda name: name)
        patch.setattr(EditEncoder, "load", lambda *args, **place: encoder)
        yield encoder
