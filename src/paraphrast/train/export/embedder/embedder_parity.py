"""BERTScore of an embedder: against the full network, and of texts that have nothing in common.

A small embedder that does not give the BERTScore that the full one gives is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ModelError
from paraphrast.stats.correlation import pearson
from paraphrast.train.export.embedder.embedder_states import Network, States, TextRow

MOST_MEAN, LEAST_R, MOST_BATCH = 0.015, 0.99, 1e-4
_SINGLES = 50


class Unit(NamedTuple):
    """States of length 1, [layers, sub-words, width], and which sub-words count."""

    states: States
    counts: NDArray[np.bool_]

    @classmethod
    def of(cls, states: States, row: TextRow) -> Unit:
        return cls(states / np.linalg.norm(states, axis=-1, keepdims=True), ~row.special)


def bertscore(candidate: Unit, reference: Unit) -> NDArray[np.float64]:
    """Return P, R and F of every layer, [layers, 3] (Zhang et al. 2020, equations 1 to 3).

    Special sub-words have no weight of their own but may be what another is most like, as in the
    authors' package.
    """
    cosines = candidate.states @ reference.states.transpose(0, 2, 1)
    p = cosines.max(axis=2)[:, candidate.counts].mean(axis=1, dtype=np.float64)
    r = cosines.max(axis=1)[:, reference.counts].mean(axis=1, dtype=np.float64)
    return np.stack([p, r, 2 * p * r / (p + r)], axis=1)


@dataclass(frozen=True)
class EmbedParity:
    """Small against full: mean cosine of a sub-word's two states, differences and Pearson of F.

    `batch_difference` is the largest difference of a state read alone from one read in a batch,
    both scaled to length 1.
    """

    pairs: int
    layer: int
    token_cosine: float
    f_mean_difference: float
    f_worst_difference: float
    f_r: float
    batch_difference: float

    @property
    def good(self) -> bool:
        return (
            self.f_mean_difference <= MOST_MEAN
            and self.f_r >= LEAST_R
            and self.batch_difference <= MOST_BATCH
        )

    def told(self) -> str:
        """Return the figures beside what they have to be."""
        return (
            f"BERTScore F differs by {self.f_mean_difference:.4f} on average (at most {MOST_MEAN}) "
            f"and by {self.f_worst_difference:.4f} at most, r {self.f_r:.4f} (at least {LEAST_R}), "
            f"batch against single {self.batch_difference:.1e} (at most {MOST_BATCH:.0e}), cosine "
            f"of sub-words {self.token_cosine:.4f}"
        )

    def check(self) -> None:
        """Raise ModelError with the figures unless they are good enough."""
        if not self.good:
            raise ModelError(
                f"the embedder differs too much from the full one on {self.pairs} pairs at layer "
                f"{self.layer}: {self.told()}"
            )


def compare(
    small: Network, expected: Sequence[States], rows: Sequence[TextRow], layer: int
) -> EmbedParity:
    """Read rows and compare with what the full network said of them; row 2n meets row 2n + 1."""
    ours = _units(small.read(rows, [layer]), rows)
    full = _units(expected, rows)
    same = [
        (one.states * other.states).sum(axis=-1).ravel()
        for one, other in zip(ours, full, strict=True)
    ]
    f_ours, f_full = _scores(ours), _scores(full)
    apart = np.abs(f_ours - f_full)
    return EmbedParity(
        pairs=len(f_ours),
        layer=layer,
        token_cosine=_rounded(np.concatenate(same).mean()),
        f_mean_difference=_rounded(apart.mean()),
        f_worst_difference=_rounded(apart.max()),
        f_r=_rounded(pearson(f_ours.tolist(), f_full.tolist())),
        batch_difference=_batch_difference(small, rows[:_SINGLES], layer),
    )


def _units(states: Sequence[States], rows: Sequence[TextRow]) -> list[Unit]:
    return [Unit.of(*both) for both in zip(states, rows, strict=True)]


def _scores(units: Sequence[Unit]) -> NDArray[np.float64]:
    pairs = zip(units[::2], units[1::2], strict=True)
    return np.array([bertscore(*pair)[0, 2] for pair in pairs])


def _batch_difference(small: Network, rows: Sequence[TextRow], layer: int) -> float:
    """Read rows alone, and all of them in one batch, the short ones with much padding."""
    apart = []
    for row, states in zip(rows, small.read_at_once(rows, [layer]), strict=True):
        alone = Unit.of(small.read_at_once([row], [layer])[0], row)
        apart.append(float(np.abs(alone.states - Unit.of(states, row).states).max()))
    return max(apart)


def _rounded(value: float) -> float:
    return round(float(value), 6)


AT_ONCE = 64  # rows whose states of all layers are in memory


def baseline(network: Network, rows: Sequence[TextRow], pairs: int, seed: int) -> list[list[float]]:
    """Return the mean P, R and F of each layer over so many pairs of different rows.

    The rows are shuffled and each meets the next, over again in another order if there are more
    pairs than rows, so that a row is read once for two pairs.
    """
    total = np.zeros(())
    for order in _orders(len(rows), pairs, np.random.default_rng(seed)):
        total = total + _along(network, [rows[place] for place in order])
    return [[round(float(value), 6) for value in layer] for layer in total / pairs]


def _orders(many: int, pairs: int, draw: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    while pairs > 0:
        order = draw.permutation(many)[: pairs + 1]
        yield order
        pairs -= len(order) - 1


def _along(network: Network, rows: Sequence[TextRow]) -> NDArray[np.float64]:
    """Sum up the scores of neighbours."""
    total = np.zeros(())
    before: Unit | None = None
    for begin in range(0, len(rows), AT_ONCE):
        some = rows[begin : begin + AT_ONCE]
        for states, row in zip(network.read(some), some, strict=True):
            unit = Unit.of(states, row)
            if before is not None:
                total = total + bertscore(before, unit)
            before = unit
    return total
