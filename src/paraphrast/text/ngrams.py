"""The one n-gram kernel: clipped matches of bags of n-grams, counted by sorting integers.

Every n-gram becomes one exact 63-bit key (n-gram, group, side); after one sort, equal keys lie
side by side and counting is arithmetic on run lengths. Nothing is hashed, so nothing collides:
where a key would not fit, the n-grams seen so far are renumbered densely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import chain, pairwise
from operator import or_

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ConfigError
from paraphrast.text.column import Encoded

Ints = NDArray[np.int64]
MOST_ORDERS = 100  # BLEU has 4, chrF 6; a table has a column for each
_KEY_BITS = 63
_FEW = 1024  # tokens up to which counting in Python beats the fixed costs of sorting arrays


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


def check_orders(name: str, orders: int) -> None:
    """Refuse n-grams longer than any text could share by more than a copy."""
    if orders < 1:
        raise ConfigError(f"{name} must be at least 1; got {orders}")
    if orders > MOST_ORDERS:
        raise ConfigError(f"{name} can be at most {MOST_ORDERS}; got {orders}")


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


def slices(costs: Ints, limit: int) -> Iterator[slice]:
    """Cut a list into consecutive slices whose costs add up to at most `limit`, or of one entry.

    Work on many pairs of texts is done slice by slice, so that memory does not grow with them.
    """
    total = np.cumsum(costs)
    start = 0
    while start < len(costs):
        spent = int(total[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(total, spent + limit, side="right")))
        yield slice(start, end)
        start = end


def overlap(
    left: Encoded, right: Encoded, left_groups: Ints, right_groups: Ints, groups: int, orders: int
) -> Overlap:
    """Compare the left texts of each group with its right texts, for orders 1 to `orders`.

    Several right texts in a group are alternatives: a left n-gram is clipped to its largest
    count in one of them (BLEU's rule). Several left texts in a group form one bag. Both lists
    of groups ascend.
    """
    tables = np.zeros((4, groups, orders), dtype=np.int64)
    layout, order_keys = _sorted_keys(left, right, left_groups, right_groups, groups, orders)
    for n, keys in enumerate(order_keys):
        if len(keys):
            _count(keys, layout, tables[:, :, n])
    return Overlap(*tables)


def clipped_matches(
    left: Encoded, right: Encoded, left_groups: Ints, right_groups: Ints, groups: int, orders: int
) -> Ints:
    """Return only the `matches` of `overlap`, for metrics that need no types."""
    if groups == 1 and len(left.ids) + len(right.ids) <= _FEW:
        return _few_matches(left, right, orders)
    tables = np.zeros((1, groups, orders), dtype=np.int64)
    layout, order_keys = _sorted_keys(left, right, left_groups, right_groups, groups, orders)
    for n, keys in enumerate(order_keys):
        if len(keys):
            _count(keys, layout, tables[:, :, n])
    matches: Ints = tables[0]
    return matches


def _few_matches(left: Encoded, right: Encoded, orders: int) -> Ints:
    """Return the same for the few texts of one group, with dictionaries."""
    mine, others = _texts(left), _texts(right)
    found = np.zeros((1, orders), dtype=np.int64)
    for n in range(1, orders + 1):
        bag = Counter(chain.from_iterable(_ngrams(ids, n) for ids in mine))
        limits = _most([Counter(_ngrams(ids, n)) for ids in others])
        found[0, n - 1] = sum(min(bag[gram], limits[gram]) for gram in bag.keys() & limits.keys())
    return found


def _most(bags: list[Counter[tuple[int, ...]]]) -> Counter[tuple[int, ...]]:
    """Return the largest count of each n-gram in any bag."""
    return reduce(or_, bags, Counter()) if len(bags) != 1 else bags[0]


def _texts(encoded: Encoded) -> list[list[int]]:
    ids = encoded.ids.tolist()
    return [ids[a:b] for a, b in pairwise(encoded.starts.tolist())]


def _ngrams(ids: list[int], n: int) -> Iterable[tuple[int, ...]]:
    return zip(*(ids[start:] for start in range(n)), strict=False)


def _sorted_keys(
    left: Encoded, right: Encoded, left_groups: Ints, right_groups: Ints, groups: int, orders: int
) -> tuple[_Layout, Iterator[Ints]]:
    """Lay both sides end to end and return the layout and the sorted keys of each order."""
    sides = _sides(right_groups)
    layout = _Layout(
        side_bits=int(sides.max(initial=1)).bit_length(),
        group_bits=max(1, int(groups - 1).bit_length()),
    )
    tags = np.concatenate(
        [left_groups << layout.side_bits, (right_groups << layout.side_bits) | sides]
    )
    lengths = np.concatenate([left.lengths, right.lengths])
    ids = np.concatenate([left.ids, right.ids])
    return layout, _keys(ids, lengths, tags, layout, orders)


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a key is laid out: n-gram, then group, then side in the lowest bits."""

    side_bits: int
    group_bits: int

    @property
    def tag_bits(self) -> int:
        return self.side_bits + self.group_bits

    def groups(self, keys: Ints) -> Ints:
        return (keys >> self.side_bits) & ((1 << self.group_bits) - 1)

    def sides(self, keys: Ints) -> Ints:
        return keys & ((1 << self.side_bits) - 1)


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


def _keys(ids: Ints, lengths: Ints, tags: Ints, layout: _Layout, orders: int) -> Iterator[Ints]:
    """Yield the sorted keys of each order."""
    ids, size = _dense(ids)
    id_bits = max(1, (size - 1).bit_length())
    room = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(ids))  # tokens to the text's end
    tag = np.repeat(tags, lengths)
    gram, gram_bits = ids, id_bits
    most = _KEY_BITS - layout.tag_bits
    for n in range(1, orders + 1):
        if n > 1:
            gram, gram_bits = _fit(gram, gram_bits, most - id_bits)
            gram = (gram[:-1] << id_bits) | ids[n - 1 :]
            gram, gram_bits = _fit(gram, gram_bits + id_bits, most)
        keys = (gram << layout.tag_bits) | tag[: len(gram)]
        keys = keys[room[: len(gram)] >= n]
        keys.sort()
        yield keys


def _fit(gram: Ints, bits: int, most: int) -> tuple[Ints, int]:
    """Renumber n-grams that need more bits than there are."""
    if bits <= most:
        return gram, bits
    gram, count = _dense(gram)
    return gram, max(1, (count - 1).bit_length())


def _count(keys: Ints, layout: _Layout, tables: Ints) -> None:
    """Fill one order's tables (matches; types, left types, right types if there are four)."""
    starts = _run_starts(keys)
    runs = keys[starts]
    counts = np.append(starts[1:], len(keys)) - starts
    if layout.side_bits == 1:
        _count_pairs(runs, counts, layout, tables)
    else:
        _count_alternatives(runs, counts, layout, tables)


def _count_pairs(runs: Ints, counts: Ints, layout: _Layout, tables: Ints) -> None:
    """With one alternative, a shared n-gram is a left run directly followed by a right run."""
    size = tables.shape[1]
    shared = np.flatnonzero(runs[:-1] | 1 == runs[1:])
    matched = np.minimum(counts[shared], counts[shared + 1])
    common = layout.groups(runs[shared])
    tables[0] = np.bincount(common, weights=matched, minlength=size)
    if len(tables) == 1:
        return
    tables[1] = np.bincount(common, minlength=size)
    groups = layout.groups(runs)
    right = np.bincount(groups, weights=runs & 1, minlength=size)
    tables[2] = np.bincount(groups, minlength=size) - right
    tables[3] = right


def _count_alternatives(runs: Ints, counts: Ints, layout: _Layout, tables: Ints) -> None:
    """With several, the largest count of any alternative clips the left one."""
    starts = _run_starts(runs >> layout.side_bits)
    is_left = layout.sides(runs) == 0
    groups = layout.groups(runs[starts])
    left = np.where(is_left[starts], counts[starts], 0)
    right = np.maximum.reduceat(np.where(is_left, 0, counts), starts)
    matched = np.minimum(left, right)
    for table, weight in zip(tables, (matched, matched > 0, left > 0, right > 0), strict=False):
        table[:] = np.bincount(groups, weights=weight, minlength=tables.shape[1])


def _run_starts(values: Ints) -> Ints:
    """Return where each run of equal values begins."""
    fresh = np.empty(len(values), dtype=bool)
    fresh[0] = True
    np.not_equal(values[1:], values[:-1], out=fresh[1:])
    return np.flatnonzero(fresh)
