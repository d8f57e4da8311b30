"""Sets of outputs that differ: the best one, then always the one farthest from those before it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paraphrast.generation.selection.overlaps import overlaps
from paraphrast.types import Floats


def farthest(ranked: Sequence[Sequence[str]], n: int) -> list[list[tuple[int, float | None]]]:
    """Return, for each list of texts, best first, the places of n of them and their distances.

    The first is the best. Each further one has the greatest distance from the nearest of those
    before it, the better ranked of two: Gonzalez 1985, Clustering to Minimize the Maximum
    Intercluster Distance. A distance is 1 − ROUGE-L F of the two texts, and None for the first.
    """
    near = [np.full(len(texts), np.inf) for texts in ranked]
    taken: list[list[tuple[int, float | None]]] = [[(0, None)] if texts else [] for texts in ranked]
    for _ in range(n - 1):
        going = [place for place, texts in enumerate(ranked) if len(taken[place]) < len(texts)]
        _approach(ranked, near, [(place, taken[place][-1][0]) for place in going])
        for place in going:
            left = near[place].copy()
            left[[number for number, _ in taken[place]]] = -1.0
            best = int(np.argmax(np.round(left, 9)))
            taken[place].append((best, float(left[best])))
    return taken


def _approach(
    ranked: Sequence[Sequence[str]], near: list[Floats], latest: Sequence[tuple[int, int]]
) -> None:
    """Bring the distances from the nearest one taken up to date with the latest taken."""
    mine = [text for place, _ in latest for text in ranked[place]]
    theirs = [ranked[place][number] for place, number in latest for _ in ranked[place]]
    distances = 1 - overlaps(mine, theirs).rouge_l
    at = 0
    for place, _ in latest:
        size = len(ranked[place])
        near[place] = np.minimum(near[place], distances[at : at + size])
        at += size
