"""MoverScore: the least work that turns one text's n-grams into the other's."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from paraphrast.errors import ConfigError, InputError, MissingExtra
from paraphrast.metrics.base import Card, Place
from paraphrast.metrics.embedding import Vectors, View, Weighted, unit, view_of
from paraphrast.signature import Value
from paraphrast.types import Floats

if TYPE_CHECKING:
    from paraphrast.models.embedder.text_embedder import Tokens

_SIZES = (1, 2)
_MOST = 100_000_000  # distances of one pair: 800 MB
_BACKENDS = {"pytorch": "torch", "jax": "jax", "cupy": "cupy", "tensorflow": "tensorflow"}
_ROUNDS = 10_000_000  # of the solver; it stops when the plan is the best there is


@dataclass(frozen=True, kw_only=True)
class MoverScore(Weighted):
    """MoverScore by its published definition, over the states of one layer.

    It differs from the authors' program in what the paper leaves open or has otherwise. One layer
    stands for their power means of five; all sub-words count, while theirs drops punctuation and
    the later pieces of words and keeps the special tokens; one idf serves both sides, while theirs
    takes the candidates' own for them. Their first version squares the distances, and their second
    gives 1/(1 + WMD).
    """

    n: int = 1
    name: ClassVar[str] = "moverscore"
    card: ClassVar[Card] = Card(
        title="MoverScore",
        summary="How little work it takes to turn one text into the other, when each of its "
        "n-grams is moved to where the other's lie.",
        formula="1 − WMD, the exact optimal transport between the texts' n-grams (n = 1 or 2): an "
        "n-gram lies at the idf-weighted sum of its sub-words' states, brought to length 1, and "
        "weighs the sum of their idf; moving costs the Euclidean distance. Special tokens are left "
        "out; a text shorter than n is one n-gram. The paper's definition on one layer: the "
        "authors' programs also drop pieces of words and punctuation, average layers, and square "
        "the distances (version 1) or give 1/(1 + WMD) (version 2)",
        paper="Zhao et al. 2019, MoverScore: Text Generation Evaluating with Contextualized "
        "Embeddings and Earth Mover Distance, §3",
        range=(-1, 1),
        better="higher",
        empty="one empty text scores −1, as if all were moved as far as can be; two empty texts 1; "
        "undefined where the weights know no word of a text, or idf gives all of it the weight 0",
        usual="−0.3 to 1",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n not in _SIZES or isinstance(self.n, bool):
            raise ConfigError(f"n must be 1 or 2; got {self.n!r}")

    def prepare(self, place: Place) -> None:
        super().prepare(place)
        transport()

    def describe(self) -> dict[str, Value]:
        return {**super().describe(), "n": self.n}

    def view(self, tokens: Tokens) -> View:
        inner = ~tokens.special
        states = tokens.states[inner].astype(np.float64)
        vectors, masses = ngrams(states, self.importance(tokens)[inner], self.n)
        return view_of(tokens, unit(vectors), masses)

    def compare(self, candidate: View, reference: View) -> tuple[float, ...]:
        _check_size(len(candidate.vectors), len(reference.vectors))
        cosines = candidate.vectors @ reference.vectors.T
        costs = np.sqrt(np.maximum(2 - 2 * cosines, 0))
        return (1 - transport()(candidate.weights, reference.weights, costs),)

    def emptiness(self, both: bool) -> tuple[float, ...]:
        return (1.0 if both else -1.0,)


def _check_size(ours: int, theirs: int) -> None:
    """Refuse what would exhaust memory: exact transport needs all the distances at once."""
    if ours * theirs > _MOST:
        raise InputError(
            f"moverscore holds every distance between two texts, and here they have {ours:,} and "
            f"{theirs:,} sub-words: {ours * theirs:,} distances, at most {_MOST:,} are allowed; "
            "split the texts, or use bertscore"
        )


def ngrams(states: Vectors, weights: Floats, n: int) -> tuple[Vectors, Floats]:
    """Return places and masses of all n-grams; one without mass is left out, if not all are."""
    size = min(n, len(weights))
    if not size:
        return states, weights
    many = len(weights) - size + 1
    scaled = states * weights[:, None]
    places = np.sum([scaled[k : k + many] for k in range(size)], axis=0)
    masses = np.sum([weights[k : k + many] for k in range(size)], axis=0)
    heavy = masses > 0
    return (places[heavy], masses[heavy]) if heavy.any() else (places, masses)


@cache
def transport() -> Callable[[Floats, Floats, Floats], float]:
    """Return the exact solver: masses, masses and costs in, the least work out."""
    try:
        with _numpy_only():
            import ot
    except ModuleNotFoundError as error:
        raise MissingExtra("mover", "POT") from error

    def solve(ours: Floats, theirs: Floats, costs: Floats) -> float:
        return float(ot.emd2(ours, theirs, costs, numItermax=_ROUNDS))

    return solve


@contextmanager
def _numpy_only() -> Iterator[None]:
    """Keep POT from loading torch and its like, which takes seconds, unless they are in use."""
    switches = {
        f"POT_BACKEND_DISABLE_{name.upper()}": "1"
        for name, package in _BACKENDS.items()
        if package not in sys.modules
    }
    before = {name: os.environ.get(name) for name in switches}
    os.environ |= switches
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
