"""Keys and values of what has been written, kept so that choosing other rows moves no memory.

Rows that go on from one source form a group and share a store of slots. A row is a list of slots:
its history. To repeat, drop or swap rows is to copy lists of numbers; and what rows have in common
is stored, and looked at, once.

A network wants as many rows of every group. So rows sit in cells, a group's side by side; a cell
without a row is computed for nothing, until too many are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.models.generator.language_model import Ints

Mask = NDArray[np.bool_]
Values = NDArray[np.float32]  # [groups, heads, slots, size]

NOTHING = -1  # in a history: padding
_LEAST = 24  # slots of a new store
_GROWTH = 1.5
_TAKEN = 0.7  # the share of cells that must have rows


@dataclass(slots=True, eq=False)
class Store:
    """The arrays of all layers, keys and values in turn, and how many of their slots are taken."""

    arrays: list[Values]
    used: int = 0

    @classmethod
    def empty(cls, count: int, groups: int, heads: int, size: int, slots: int) -> Store:
        shape = (groups, heads, max(slots, _LEAST), size)
        return cls([np.zeros(shape, dtype=np.float32) for _ in range(count)])

    @property
    def capacity(self) -> int:
        return int(self.arrays[0].shape[2])

    @property
    def groups(self) -> int:
        return len(self.arrays[0])


@dataclass(slots=True, eq=False)
class Slots:
    """Rows as histories over a store; there are `each` cells to a group."""

    store: Store
    cells: Ints  # [rows]: where each row sits
    history: Ints  # [cells, tokens]: slots of the cell's group
    each: int = 1
    used: int = 0  # of the store, as far as these rows know

    @classmethod
    def empty(cls, count: int, groups: int, heads: int, size: int, slots: int = 0) -> Slots:
        store = Store.empty(count, groups, heads, size, slots)
        return cls(store, np.arange(groups), np.zeros((groups, 0), dtype=np.int64))

    @property
    def rows(self) -> int:
        return len(self.cells)

    @property
    def length(self) -> int:
        """Tokens of a row, padding included."""
        return int(self.history.shape[1])

    def spread(self, values: NDArray[np.int64], empty: int) -> Ints:
        """Put what belongs to rows into their cells; the others hold `empty`."""
        found = np.full((len(self.history), *values.shape[1:]), empty, dtype=np.int64)
        found[self.cells] = values
        return found

    def room(self, tokens: int) -> None:
        """Make room for that many new tokens in every row."""
        new = self.each * tokens
        others = self.used != self.store.used  # that have written behind ours
        if others or self.used + new > self.store.capacity:
            self._move(new)

    def distance(self, tokens: int, hidden: Mask | None = None) -> Ints:
        """Return, for each new token, how far back each slot and each new token lies, or −1.

        New tokens that are `hidden` [cells, tokens] are padding.
        """
        groups, new = self.store.groups, self.each * tokens
        capacity = self.store.capacity
        found = np.full((len(self.history), tokens, capacity + new), -1, dtype=np.int64)
        ages = np.arange(tokens)[:, None] + np.arange(self.length, 0, -1)
        where = (np.arange(len(self.history))[:, None, None], np.arange(tokens)[:, None])
        found[(*where, self.history[:, None, :])] = ages  # padding, at −1, is overwritten next
        by_group = found.reshape(groups, self.each, tokens, capacity + new)
        by_group[..., capacity:] = _among_new(self.each, tokens)
        if hidden is not None:
            unseen = hidden.reshape(groups, 1, 1, new)
            by_group[..., capacity:] = np.where(unseen, -1, by_group[..., capacity:])
        return by_group.reshape(groups, new, capacity + new)

    def write(self, made: Sequence[Values], hidden: Mask | None = None) -> None:
        """Add the new tokens' keys and values; those `hidden` [cells, tokens] are padding."""
        new = made[0].shape[2]
        end = self.used + new
        for array, values in zip(self.store.arrays, made, strict=True):
            array[:, :, self.used : end] = values
        slots = self.used + np.arange(new).reshape(self.each, new // self.each)
        added = np.tile(slots, (self.store.groups, 1))
        if hidden is not None:
            added = np.where(hidden, NOTHING, added)
        self.history = np.concatenate([self.history, added], axis=1)
        self.used = self.store.used = end

    def chosen(self, rows: Ints) -> tuple[Slots, Ints | None]:
        """Return other rows, and the groups to take from what belongs to groups (None: as is)."""
        cells = self.cells[rows]
        groups = cells // self.each
        counts = np.bincount(groups, minlength=self.store.groups)
        alive, each = np.flatnonzero(counts), int(counts.max())
        if len(rows) >= _TAKEN * each * self.store.groups:
            return self._seated(cells, groups, each, self.store), None
        if len(rows) < _TAKEN * each * len(alive):
            return self._apart(cells), groups
        arrays = [np.take(array, alive, axis=0) for array in self.store.arrays]
        store = Store(arrays, self.used)
        return self._seated(cells, np.searchsorted(alive, groups), each, store), alive

    def _seated(self, parents: Ints, groups: Ints, each: int, store: Store) -> Slots:
        """Seat rows in their groups, those of one group in the order they come in."""
        order = np.argsort(groups, kind="stable")
        firsts = np.searchsorted(groups[order], groups[order])
        cells = np.empty_like(groups)
        cells[order] = groups[order] * each + np.arange(len(groups)) - firsts
        history = np.full((store.groups * each, self.length), NOTHING, dtype=np.int64)
        history[cells] = self.history[parents]
        return Slots(store, cells, history, each, self.used)

    def _apart(self, parents: Ints) -> Slots:
        """Give each row a group of its own: what is left when groups differ much in size."""
        history, groups = self.history[parents], parents // self.each
        slots = self.length
        made = Slots.empty(len(self.store.arrays), len(parents), *self._shape(), 2 * slots)
        for new, old in zip(made.store.arrays, self.store.arrays, strict=True):
            for row, group in enumerate(groups):
                np.take(old[group], history[row], axis=1, out=new[row, :, :slots], mode="wrap")
        made.history = np.where(history == NOTHING, NOTHING, np.arange(slots))
        made.used = made.store.used = slots
        return made

    def _shape(self) -> tuple[int, int]:
        _, heads, _, size = self.store.arrays[0].shape
        return int(heads), int(size)

    def _move(self, new: int) -> None:
        """Copy into a new store, without the slots that no row has, and with room to spare."""
        groups = self.store.groups
        alive = np.zeros((groups, self.store.capacity + 1), dtype=np.bool_)
        owner = np.repeat(np.arange(groups), self.each)
        alive[owner[:, None], self.history] = True  # padding marks the column that is cut off
        alive = alive[:, :-1]
        most = int(alive.sum(axis=1).max())
        order = np.argsort(~alive, axis=1, kind="stable")[:, :most]  # the living first, in order
        room = int(_GROWTH * (most + new)) + _LEAST
        made = Store.empty(len(self.store.arrays), groups, *self._shape(), room)
        for array, old in zip(made.arrays, self.store.arrays, strict=True):
            array[:, :, :most] = np.take_along_axis(old, order[:, None, :, None], axis=2)
        place = np.full((groups, alive.shape[1] + 1), NOTHING)
        np.put_along_axis(place, order, np.arange(most)[None], axis=1)
        place[:, -1] = NOTHING
        self.history = place[owner[:, None], self.history]
        self.store, self.used, made.used = made, most, most


def _among_new(each: int, tokens: int) -> Ints:
    """Distances among new tokens: a row looks at its own up to the one that looks."""
    own = np.arange(tokens)[:, None] - np.arange(tokens)
    own = np.where(own < 0, -1, own)
    found = np.full((each, tokens, each, tokens), -1, dtype=np.int64)
    found[np.arange(each), :, np.arange(each)] = own
    return found.reshape(each, tokens, each * tokens)
