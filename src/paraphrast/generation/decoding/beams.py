"""Beam search with length normalisation, and diverse groups of beams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from paraphrast.generation.decoding.decoding_options import Decoding
from paraphrast.generation.decoding.running_rows import Ended, Ints, Item, Rows, Step
from paraphrast.generation.decoding.samplers import largest


def rank(ended: Ended, penalty: float) -> float:
    """Return the sum of log-probabilities divided by length^penalty; the end counts as one."""
    return float(ended.score / (len(ended.ids) + ended.finished) ** penalty)


class Beams:
    """The likeliest texts of each item.

    At each step the best 2·width continuations of a group's beams are looked at: an end among the
    best `width` is put away, the best `width` others go on. A group is done when patience × width
    distinct texts are put away, or none that goes on can come out ahead of the best `width`.
    Groups (Vijayakumar et al. 2018) choose in turn; a sub-word pays `diversity` for each beam of
    earlier groups of the same item that takes it at this step. That steers the choice at this step
    and is not carried along, so texts of different groups are ranked alike.
    """

    def __init__(self, decoding: Decoding, items: Sequence[Item], *, end: int) -> None:
        self._decoding = decoding
        self._items = items
        self._end = end
        self._width = decoding.beams // decoding.parts
        self.ended: list[dict[int, list[Ended]]] = [
            {group: [] for group in range(decoding.parts)} for _ in items
        ]

    def first(self) -> Rows:
        """Return one row for every group: beams of a group part with the first sub-word."""
        parts = range(self._decoding.parts)
        numbers = [number for number in range(len(self._items)) for _ in parts]
        return Rows.first(numbers, [group for _ in self._items for group in parts])

    def choose(self, rows: Rows, step: Step) -> tuple[Ints, Ints]:
        """Return the parents and sub-words of the beams that go on, in the order of their rows."""
        looked_at = 2 * self._width
        if self._decoding.parts > 1:
            looked_at += self._decoding.beams
        ids, logs = largest(step.search, looked_at)
        totals = rows.search[:, None] + logs
        going: list[tuple[int, int]] = []
        for number, groups in _grouped(rows):
            taken: Counter[int] = Counter()
            for group, members in groups:
                ranked = self._ranked(members, ids, totals, taken)
                on = self._advance(rows, step, (number, group), members, ranked)
                taken.update(token for _, token in on)
                going += sorted(on)  # by row: a batch whose order stays need not be reordered
        pairs = np.array(going, np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def _ranked(
        self, members: Sequence[int], ids: Ints, totals: np.ndarray, taken: Counter[int]
    ) -> list[tuple[int, int]]:
        """Return the best 2·width pairs of a row and a sub-word."""
        diversity = self._decoding.diversity
        found = [
            (-(total - diversity * taken[token]), row, token)
            for row in members
            for token, total in zip(ids[row].tolist(), totals[row].tolist(), strict=True)
            if total > -np.inf
        ]
        found.sort()
        return [(row, token) for _, row, token in found[: 2 * self._width]]

    def _advance(
        self,
        rows: Rows,
        step: Step,
        place: tuple[int, int],
        members: Sequence[int],
        ranked: list[tuple[int, int]],
    ) -> list[tuple[int, int]]:
        """Put away what ends; return what goes on, nothing if the group is done."""
        pool = self.ended[place[0]][place[1]]
        over = [row for row, token in ranked[: self._width] if token == self._end]
        pool += [rows.end(row, step, self._end) for row in over]
        on = [pair for pair in ranked if pair[1] != self._end][: self._width]
        if rows.age >= self._items[place[0]].bounds.most:
            pool += [rows.cut(row) for row in members if row not in over]
            return []
        return [] if self._is_done(rows, step, place, on) else on

    def _is_done(
        self, rows: Rows, step: Step, place: tuple[int, int], on: list[tuple[int, int]]
    ) -> bool:
        penalty = self._decoding.length_penalty
        best: dict[str, float] = {}
        for ended in self.ended[place[0]][place[1]]:
            best[ended.surface] = max(rank(ended, penalty), best.get(ended.surface, -np.inf))
        if len(best) >= self._decoding.patience * self._width:
            return True
        if len(best) < self._width:
            return False
        longest = self._items[place[0]].bounds.most + 1
        ahead = max(
            (rows.search[row] + step.search[row, token] for row, token in on), default=-np.inf
        )
        return bool(ahead / longest**penalty <= sorted(best.values())[-self._width])


def _grouped(rows: Rows) -> list[tuple[int, list[tuple[int, list[int]]]]]:
    """Return, for each item and each of its groups in turn, the rows."""
    found: dict[int, dict[int, list[int]]] = {}
    for row, (item, group) in enumerate(zip(rows.item.tolist(), rows.member.tolist(), strict=True)):
        found.setdefault(item, {}).setdefault(group, []).append(row)
    return [(item, sorted(groups.items())) for item, groups in found.items()]
