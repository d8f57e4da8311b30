"""Greedy decoding and sampling: every row chooses its next sub-word for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from paraphrast.generation.decoding import samplers
from paraphrast.generation.decoding.decoding_options import Decoding
from paraphrast.generation.decoding.running_rows import Ended, Ints, Item, Logs, Rows, Step
from paraphrast.generation.decoding.samplers import Shortlist
from paraphrast.generation.decoding.seeds import uniforms

_Truncate = Callable[[Logs], Shortlist]


class Draws:
    """Rows that are drawn, each from its own stream of random numbers.

    With groups, draws k, k + 1, … of one set choose in turn: each finds the sub-words that the
    set's earlier draws took at this step less likely, by `diversity` nats apiece. A draw thus
    depends on earlier ones only, and not on how many are wanted.
    """

    def __init__(
        self, decoding: Decoding, items: Sequence[Item], *, end: int, attempt: int
    ) -> None:
        self._decoding = decoding
        self._items = items
        self._end = end
        self._truncate = _truncation(decoding)
        self.ended: list[dict[int, list[Ended]]] = [{} for _ in items]
        self._uniform = {
            (number, draw): uniforms(decoding.seed, item.text, draw, attempt, item.bounds.most + 1)
            for number, item in enumerate(items)
            for draw in item.draws
            if decoding.method != "greedy"
        }

    def first(self) -> Rows:
        """Return one row for every draw."""
        pairs = [(number, draw) for number, item in enumerate(self._items) for draw in item.draws]
        return Rows.first([number for number, _ in pairs], [draw for _, draw in pairs])

    def choose(self, rows: Rows, step: Step) -> tuple[Ints, Ints]:
        """Return the rows that go on and their next sub-words; put the others away."""
        tokens = self._pick(rows, step.search)
        on = []
        for row, token in enumerate(tokens.tolist()):
            item, draw = int(rows.item[row]), int(rows.member[row])
            if token == self._end:
                self.ended[item][draw] = [rows.end(row, step, self._end)]
            elif token < 0:
                self.ended[item][draw] = []
            elif rows.age >= self._items[item].bounds.most:
                self.ended[item][draw] = [rows.cut(row)]
            else:
                on.append(row)
        parents = np.array(on, np.int64)
        return parents, tokens[parents]

    def _pick(self, rows: Rows, logs: Logs) -> Ints:
        parts = self._decoding.parts
        if parts == 1:
            return self._take(rows, np.arange(len(rows)), logs)
        tokens = np.full(len(rows), -1, np.int64)
        taken: dict[tuple[int, int], list[int]] = {}
        for turn in range(parts):
            some = np.flatnonzero(rows.member % parts == turn)
            if not len(some):
                continue
            dearer = logs[some]
            keys = [(int(rows.item[row]), int(rows.member[row]) // parts) for row in some]
            for place, key in enumerate(keys):
                for token in taken.get(key, ()):
                    dearer[place, token] -= np.float32(self._decoding.diversity)
            tokens[some] = self._take(rows, some, dearer)
            for key, token in zip(keys, tokens[some].tolist(), strict=True):
                if token >= 0 and token != self._end:
                    taken.setdefault(key, []).append(token)
        return tokens

    def _take(self, rows: Rows, some: Ints, logs: Logs) -> Ints:
        if self._decoding.method == "greedy":
            best = logs.argmax(axis=1)
            return np.where(np.isfinite(logs[np.arange(len(some)), best]), best, -1)
        uniform = np.array(
            [self._uniform[int(rows.item[row]), int(rows.member[row])][rows.age] for row in some]
        )
        if self._decoding.temperature != 1:
            logs = logs / np.float32(self._decoding.temperature)
        return samplers.draw(self._truncate(samplers.log_softmax(logs)), uniform)


def _truncation(decoding: Decoding) -> _Truncate:
    given = decoding
    if given.method == "top-k":
        return lambda logs: samplers.top_k(logs, given.top_k)
    if given.method == "top-p":
        return lambda logs: samplers.top_p(logs, given.top_p)
    if given.method == "typical":
        return lambda logs: samplers.typical(logs, given.typical)
    return samplers.everything
