"""What BERTScore gives for texts that have nothing to do with each other, layer by layer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from paraphrast.train.export.embedder.embedder_parity import Unit, bertscore
from paraphrast.train.export.embedder.embedder_states import Network, TextRow

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
