"""The one n-gram kernel: clipped matches of bags of n-grams, counted by sorting integers.

Every n-gram becomes one exact 63-bit key (group, n-gram, side); after one sort, equal keys lie
side by side and counting is arithmetic on run lengths. Nothing is hashed, so nothing collides:
where a key would not fit, the n-grams seen so far are renumbered densely.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.text.column import Encoded

Ints = NDArray[np.int64]
_KEY_BITS = 63


@dataclass(frozen=True, slots=True)
class Overlap:
    """What groups of texts share, one row per group, one column per order.

    `matches` counts occurrences clipped to the largest count in any right-hand text; `types`
    counts distinct shared n-grams; `left_types` and `right_types` distinct n-grams per side.
    """

    matches: Ints
    types: Ints
    left_types: Ints
    right_types: Ints


def totals(lengths: Ints, orders: int) -> Ints:
    """Return how many n-grams of each order texts of these lengths have."""
    counts: Ints = np.maximum(lengths[:, None] - np.arange(orders), 0)
    return counts


def take(encoded: Encoded, rows: Ints) -> Encoded:
    """Gather texts, possibly repeated, into a new run of ids."""
    lengths = encoded.lengths[rows]
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    shift = np.repeat(encoded.starts[rows] - starts[:-1], lengths)
    return Encoded(encoded.ids[np.arange(int(starts[-1])) + shift], starts, encoded.size)


def overlap(
    left: Encoded, right: Encoded, left_groups: Ints, right_groups: Ints, groups: int, orders: int
) -> Overlap:
    """Compare the left texts of each group with its right texts, for orders 1 to `orders`.

    Several right texts in a group are alternatives: a left n-gram is clipped to its largest
    count in one of them (BLEU's rule). Several left texts in a group form one bag. Both lists
    of groups ascend.
    """
    sides = _sides(right_groups)
    side_bits = int(sides.max(initial=1)).bit_length()
    ids = np.concatenate([left.ids, right.ids])
    lengths = np.concatenate([left.lengths, right.lengths])
    owners = np.concatenate([left_groups, right_groups])
    side = np.concatenate([np.zeros(len(left_groups), dtype=np.int64), sides])
    group_bits = max(1, int(groups - 1).bit_length())
    tables = np.zeros((4, groups, orders), dtype=np.int64)
    layout = _Layout(group_bits, side_bits)
    for n, keys, gram_bits in _keys(ids, lengths, owners, side, layout, orders):
        _count(keys, side_bits, gram_bits, tables[:, :, n - 1])
    return Overlap(*tables)


@dataclass(frozen=True, slots=True)
class _Layout:
    group_bits: int
    side_bits: int


def _sides(right_groups: Ints) -> Ints:
    """Number the right-hand texts within their group from 1; groups come in ascending order."""
    if len(right_groups) == 0:
        return np.zeros(0, dtype=np.int64)
    position = np.arange(len(right_groups))
    first = np.r_[True, right_groups[1:] != right_groups[:-1]]
    return position - np.maximum.accumulate(np.where(first, position, 0)) + 1


def _dense(values: Ints) -> tuple[Ints, int]:
    """Renumber values from 0, keeping equality; small ranges need no sort."""
    if len(values) == 0:
        return values, 1
    top = int(values.max()) + 1
    if top <= max(4 * len(values), 1 << 21):
        present = np.zeros(top, dtype=bool)
        present[values] = True
        numbers = np.cumsum(present) - 1
        return numbers[values], int(numbers[-1]) + 1
    unique, inverse = np.unique(values, return_inverse=True)
    return inverse.astype(np.int64), len(unique)


def _keys(
    ids: Ints, lengths: Ints, owners: Ints, side: Ints, layout: _Layout, orders: int
) -> Iterator[tuple[int, Ints, int]]:
    """Yield (order, sorted keys, bits of the n-gram part) for each order."""
    ids, size = _dense(ids)
    id_bits = max(1, (size - 1).bit_length())
    room = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(ids))
    group, sides = np.repeat(owners, lengths), np.repeat(side, lengths)
    gram, gram_bits = ids, id_bits
    position = np.arange(len(ids))
    most = _KEY_BITS - layout.group_bits - layout.side_bits
    for n in range(1, orders + 1):
        if n > 1:
            keep = np.flatnonzero(room >= n)  # positions whose text still holds an n-gram
            room, group, sides = room[keep], group[keep], sides[keep]
            position = position[keep]
            gram, gram_bits = _fit(gram, gram_bits, most - id_bits)
            gram = (gram[keep] << id_bits) | ids[position + (n - 1)]
            gram, gram_bits = _fit(gram, gram_bits + id_bits, most)
        keys = (((group << gram_bits) | gram) << layout.side_bits) | sides
        keys.sort()
        yield n, keys, gram_bits


def _fit(gram: Ints, bits: int, most: int) -> tuple[Ints, int]:
    """Renumber n-grams that need more bits than there are."""
    if bits <= most:
        return gram, bits
    gram, count = _dense(gram)
    return gram, max(1, (count - 1).bit_length())


def _count(keys: Ints, side_bits: int, gram_bits: int, tables: Ints) -> None:
    """Fill one order's columns (matches, types, left types, right types) from sorted keys."""
    if len(keys) == 0:
        return
    bounds = _run_starts(keys)
    counts = np.diff(bounds, append=len(keys))
    runs = keys[bounds]
    grams = runs >> side_bits
    is_left = (runs & ((1 << side_bits) - 1)) == 0
    size = tables.shape[1]
    if side_bits == 1:  # one alternative: a shared n-gram is a left run followed by a right run
        group = grams >> gram_bits
        shared = np.flatnonzero(grams[1:] == grams[:-1])
        matched = np.minimum(counts[shared], counts[shared + 1])
        tables[0] = np.bincount(group[shared], weights=matched, minlength=size)
        tables[1] = np.bincount(group[shared], minlength=size)
        tables[2] = np.bincount(group[is_left], minlength=size)
        tables[3] = np.bincount(group[~is_left], minlength=size)
        return
    starts = _run_starts(grams)
    group = grams[starts] >> gram_bits
    left = np.where(is_left[starts], counts[starts], 0)
    right = np.maximum.reduceat(np.where(is_left, 0, counts), starts)
    matched = np.minimum(left, right)
    for column, weight in enumerate((matched, matched > 0, left > 0, right > 0)):
        tables[column] = np.bincount(group, weights=weight, minlength=size)


def _run_starts(values: Ints) -> Ints:
    """Return where each run of equal values begins."""
    fresh = np.empty(len(values), dtype=bool)
    fresh[0] = True
    np.not_equal(values[1:], values[:-1], out=fresh[1:])
    return np.flatnonzero(fresh)
