"""Choose rows so that chrF tells nothing: as many of each class at every overlap."""

from __future__ import annotations

import random
from collections import defaultdict

from .pairs import Pair, chrf

BINS = 12
SPARE = 4  # pairs that are looked at for each one that is chosen


def overlap_bins(pairs: list[Pair]) -> dict[int, list[Pair]]:
    """Return pairs by how many characters the two texts share."""
    found: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        found[min(BINS - 1, int(chrf(pair.text1, pair.text2) * BINS))].append(pair)
    return found


def balanced(
    same: list[Pair], changed: list[Pair], count: int, rng: random.Random, *, fill: bool
) -> list[Pair]:
    """Return up to `count` pairs of each class; bins that have both are used before others.

    With `fill`, what is left to choose is taken from the lowest overlaps of the unchanged pairs and
    the highest of the changed ones, so that chrF is never a sign of sameness.
    """
    most = SPARE * count
    one, two = (overlap_bins(_shuffled(pool, rng)[:most]) for pool in (same, changed))
    room = {place: min(len(one[place]), len(two[place])) for place in set(one) & set(two)}
    total = sum(room.values())
    chosen_same: list[Pair] = []
    chosen_changed: list[Pair] = []
    for place, size in sorted(room.items()):
        take = size if total <= count else round(size * count / total)
        chosen_same += one[place][:take]
        chosen_changed += two[place][:take]
        one[place], two[place] = one[place][take:], two[place][take:]
    if not fill:
        return [*chosen_same[:count], *chosen_changed[:count]]
    rest_same = [pair for place in sorted(one) for pair in one[place]]
    rest_changed = [pair for place in sorted(two, reverse=True) for pair in two[place]]
    chosen_same += rest_same[: max(0, count - len(chosen_same))]
    chosen_changed += rest_changed[: max(0, count - len(chosen_changed))]
    return [*chosen_same[:count], *chosen_changed[:count]]


def _shuffled(pairs: list[Pair], rng: random.Random) -> list[Pair]:
    return rng.sample(pairs, len(pairs))
