"""The rows of a running batch, and the two ways to choose how they go on: sampling and beams."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from paraphrast.generation.decoding import samplers
from paraphrast.generation.decoding.banks import Banks
from paraphrast.generation.decoding.decoding_options import Bounds, Decoding
from paraphrast.generation.decoding.requirements import Requirement
from paraphrast.generation.decoding.samplers import Ints, Logs, Shortlist, largest
from paraphrast.types import Floats

_Truncate = Callable[[Logs], Shortlist]


@dataclass(frozen=True, slots=True)
class Item:
    """A source to be decoded, and the numbers of the draws wanted of it (none for beams).

    `required` is what every text must contain; `protected` is what it has to keep of the source,
    which a search is held to only if it lost some of it when left to itself.
    """

    text: str
    prompt: Ints
    source: Ints
    bounds: Bounds
    required: tuple[Requirement, ...] = ()
    protected: tuple[Requirement, ...] = ()
    draws: tuple[int, ...] = ()

    def lacking(self, text: str) -> tuple[str, ...]:
        """Return the names of what a text has not got."""
        wanted = (*self.required, *self.protected)
        names = (each.name for each in wanted if not each.met_by(text))
        return tuple(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class Ended:
    """A text that has come to its end, or to the greatest length; `score` is a sum."""

    ids: tuple[int, ...]
    surface: str
    logprob: float
    score: float
    finished: bool


@dataclass(frozen=True, slots=True)
class StepScores:
    """What may come next: the model's log-probabilities, and those after steering.

    `scores` rank texts; `search` is what is chosen by. They differ where a close is hastened.
    """

    logits: Logs
    totals: Logs
    scores: Logs
    search: Logs

    def logprob(self, rows: Ints, tokens: Ints) -> Floats:
        """Return the log-probabilities of sub-words under the model's own distribution."""
        logs: Logs = self.logits[rows, tokens] - self.totals[rows, 0]
        return logs.astype(np.float64)


@dataclass(frozen=True, slots=True)
class RunningRows:
    """Rows of equal age. `member` is a row's draw number, or its group of beams."""

    item: Ints
    member: Ints
    tokens: Ints  # that each row has written, [rows, age]
    surfaces: tuple[str, ...]
    logprob: Floats
    score: Floats
    search: Floats

    @classmethod
    def first(cls, item: Sequence[int], member: Sequence[int]) -> RunningRows:
        """Return rows that have written nothing."""
        count = len(item)
        nothing = np.zeros((count, 0), np.int64)
        zeros = [np.zeros(count) for _ in range(3)]
        numbers = (np.array(item, np.int64), np.array(member, np.int64))
        return cls(*numbers, nothing, ("",) * count, *zeros)

    def __len__(self) -> int:
        return len(self.item)

    @property
    def age(self) -> int:
        """The number of sub-words that each row has written."""
        return int(self.tokens.shape[1])

    def follow(
        self, parents: Ints, tokens: Ints, step: StepScores, pieces: Sequence[str]
    ) -> RunningRows:
        """Return the rows that go on from `parents` with `tokens`."""
        return RunningRows(
            self.item[parents],
            self.member[parents],
            np.concatenate([self.tokens[parents], tokens[:, None]], axis=1),
            tuple(
                self.surfaces[row] + pieces[token]
                for row, token in zip(parents.tolist(), tokens.tolist(), strict=True)
            ),
            self.logprob[parents] + step.logprob(parents, tokens),
            self.score[parents] + step.scores[parents, tokens],
            self.search[parents] + step.search[parents, tokens],
        )

    def end(self, row: int, step: StepScores, end: int) -> Ended:
        """Return the text of a row that ends here."""
        last = step.logprob(np.array([row]), np.array([end]))[0]
        logprob, score = self.logprob[row] + last, self.score[row] + step.scores[row, end]
        return self._ended(row, float(logprob), float(score), finished=True)

    def cut(self, row: int) -> Ended:
        """Return the text of a row that may not go on."""
        return self._ended(row, float(self.logprob[row]), float(self.score[row]), finished=False)

    def _ended(self, row: int, logprob: float, score: float, *, finished: bool) -> Ended:
        ids = tuple(self.tokens[row].tolist())
        return Ended(ids, self.surfaces[row].strip(), logprob, score, finished)


class SearchMethod(Protocol):
    """A way of choosing: beams or draws."""

    ended: list[dict[int, list[Ended]]]

    def first(self) -> RunningRows:
        """Return the rows to begin with."""
        ...

    def choose(self, rows: RunningRows, step: StepScores) -> tuple[Ints, Ints]:
        """Return parents and sub-words of the rows that go on."""
        ...


class Sampling:
    """Rows that are drawn, each from its own stream of random numbers.

    With groups, draws k, k + 1, … of one set choose in turn: each finds the sub-words that the
    set's earlier draws took at this step less likely, by `diversity` nats apiece. A draw thus
    depends on earlier ones only, and not on how many are wanted.
    """

    def __init__(
        self, decoding: Decoding, items: Sequence[Item], *, end: int, attempt: int
    ) -> None:
        self._decoding = decoding
        self._groups = decoding.group_count
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

    def first(self) -> RunningRows:
        """Return one row for every draw."""
        pairs = [(number, draw) for number, item in enumerate(self._items) for draw in item.draws]
        return RunningRows.first([number for number, _ in pairs], [draw for _, draw in pairs])

    def choose(self, rows: RunningRows, step: StepScores) -> tuple[Ints, Ints]:
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

    def _pick(self, rows: RunningRows, logs: Logs) -> Ints:
        parts = self._groups
        if parts == 1:
            return self._tokens(rows, np.arange(len(rows)), logs)
        tokens = np.full(len(rows), -1, np.int64)
        earlier: dict[tuple[int, int], list[int]] = {}  # sub-words of a set's earlier draws
        for turn in range(parts):
            some = np.flatnonzero(rows.member % parts == turn)
            if not len(some):
                continue
            dearer = logs[some]
            keys = [(int(rows.item[row]), int(rows.member[row]) // parts) for row in some]
            for place, key in enumerate(keys):
                for token in earlier.get(key, ()):
                    dearer[place, token] -= np.float32(self._decoding.diversity)
            tokens[some] = self._tokens(rows, some, dearer)
            for key, token in zip(keys, tokens[some].tolist(), strict=True):
                if token >= 0 and token != self._end:
                    earlier.setdefault(key, []).append(token)
        return tokens

    def _tokens(self, rows: RunningRows, some: Ints, logs: Logs) -> Ints:
        if self._decoding.method == "greedy":
            best = logs.argmax(axis=1)
            return np.where(np.isfinite(logs[np.arange(len(some)), best]), best, -1)
        age = rows.age
        uniform = np.array(
            [self._uniform[int(rows.item[row]), int(rows.member[row])][age] for row in some]
        )
        if self._decoding.temperature != 1:
            logs = logs / np.float32(self._decoding.temperature)
        return samplers.draw(self._truncate(samplers.log_softmax(logs)), uniform)


def _truncation(decoding: Decoding) -> _Truncate:
    if decoding.method == "top-k":
        return lambda logs: samplers.top_k(logs, decoding.top_k)
    if decoding.method == "top-p":
        return lambda logs: samplers.top_p(logs, decoding.top_p)
    if decoding.method == "typical":
        return lambda logs: samplers.typical(logs, decoding.typical)
    return samplers.everything


def uniforms(seed: int, text: str, draw: int, attempt: int, count: int) -> Floats:
    """Return `count` numbers in [0, 1) for one draw; a longer stream begins with the same ones.

    The stream is made from the seed, the source's text, the number of the draw and the attempt, so
    a draw is the same whatever the batch, the order of the sources and the number of other draws.
    """
    name = f"{seed}\0{draw}\0{attempt}\0{text}"
    key = hashlib.blake2b(name.encode(), digest_size=16).digest()
    words = np.frombuffer(key, dtype="<u8").astype(np.uint64)
    return np.random.Generator(np.random.Philox(key=words)).random(count)


def rank(ended: Ended, penalty: float) -> float:
    """Return the sum of log-probabilities divided by length^penalty; the end counts as one."""
    return float(ended.score / (len(ended.ids) + ended.finished) ** penalty)


class BeamSearch:
    """The likeliest texts of each item.

    At each step the best 2·width continuations of a group's beams are looked at: an end among the
    best `width` is put away, the best `width` others go on. A group is done when patience × width
    distinct texts are put away, or none that goes on can come out ahead of the best `width`.
    Groups (Vijayakumar et al. 2018) choose in turn; a sub-word pays `diversity` for each beam of
    earlier groups of the same item that takes it at this step. That steers the choice at this step
    and is not carried along, so texts of different groups are ranked alike.

    Where an item has `banks`, sub-words that open or continue what is required are looked at too,
    the banks deal out the beams, and only complete texts make a group done. Its
    groups are then as wide as they have banks, at least.
    """

    def __init__(
        self,
        decoding: Decoding,
        items: Sequence[Item],
        *,
        end: int,
        banks: Sequence[Banks | None] = (),
    ) -> None:
        self._decoding = decoding
        self._groups = decoding.group_count
        self._items = items
        self._end = end
        self._enough = decoding.beams // self._groups
        self._banks = banks or [None] * len(items)
        self._width = [beams_of(self._enough, each) for each in self._banks]
        self.ended: list[dict[int, list[Ended]]] = [
            {group: [] for group in range(self._groups)} for _ in items
        ]

    def first(self) -> RunningRows:
        """Return one row for every group: beams of a group part with the first sub-word."""
        parts = range(self._groups)
        numbers = [number for number in range(len(self._items)) for _ in parts]
        return RunningRows.first(numbers, [group for _ in self._items for group in parts])

    def choose(self, rows: RunningRows, step: StepScores) -> tuple[Ints, Ints]:
        """Return the parents and sub-words of the beams that go on, in the order of their rows."""
        looked_at = 2 * max(self._width)
        if self._groups > 1:
            looked_at += self._groups * max(self._width)
        ids, logs = largest(step.search, looked_at)
        totals = rows.search[:, None] + logs
        going: list[tuple[int, int]] = []
        for number, groups in _grouped(rows):
            earlier: Counter[int] = Counter()  # sub-words of this item's earlier groups
            width = self._width[number]
            seen = (2 + (self._groups if self._groups > 1 else 0)) * width
            for group, members in groups:
                found = {
                    (row, token): total
                    for row in members
                    for token, total in zip(
                        ids[row, :seen].tolist(), totals[row, :seen].tolist(), strict=True
                    )
                }
                self._add_forced(number, rows, step, members, found)
                over, on = self._ranked(number, rows, found, earlier)
                on = self._advance(rows, step, (number, group), members, over, on)
                earlier.update(token for _, token in on)
                going += sorted(on)  # by row: a batch whose order stays need not be reordered
        pairs = np.array(going, np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def _add_forced(
        self,
        number: int,
        rows: RunningRows,
        step: StepScores,
        members: Sequence[int],
        found: dict[tuple[int, int], float],
    ) -> None:
        """Add the candidates that bring a text nearer to what it must contain."""
        banks = self._banks[number]
        for row in members if banks else ():
            for token in banks.following(rows.surfaces[row]) if banks else ():
                found.setdefault((row, token), float(rows.search[row] + step.search[row, token]))

    def _ranked(
        self,
        number: int,
        rows: RunningRows,
        found: dict[tuple[int, int], float],
        earlier: Counter[int],
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the rows that end here, and what goes on: pairs of a row and a sub-word."""
        diversity, banks, width = self._decoding.diversity, self._banks[number], self._width[number]
        costs = sorted(
            (-(total - diversity * earlier[token]), row, token)
            for (row, token), total in found.items()
            if total > -np.inf
        )
        ranked = [(row, token) for _, row, token in costs]
        if banks is not None:
            return banks.deal(ranked, rows.surfaces, width=width, end=self._end)
        over = [row for row, token in ranked[:width] if token == self._end]
        return over, [pair for pair in ranked[: 2 * width] if pair[1] != self._end][:width]

    def _advance(
        self,
        rows: RunningRows,
        step: StepScores,
        place: tuple[int, int],
        members: Sequence[int],
        over: Sequence[int],
        on: list[tuple[int, int]],
    ) -> list[tuple[int, int]]:
        """Put away what ends; return what goes on, nothing if the group is done."""
        pool = self.ended[place[0]][place[1]]
        pool += [rows.end(row, step, self._end) for row in over]
        if rows.age >= self._items[place[0]].bounds.most:
            pool += [rows.cut(row) for row in members if row not in over]
            return []
        return [] if self._is_done(rows, step, place, on) else on

    def _is_done(
        self, rows: RunningRows, step: StepScores, place: tuple[int, int], on: list[tuple[int, int]]
    ) -> bool:
        penalty, banks = self._decoding.length_penalty, self._banks[place[0]]
        best: dict[str, float] = {}
        for ended in self.ended[place[0]][place[1]]:
            if banks is None or banks.is_complete(ended.surface):
                best[ended.surface] = max(rank(ended, penalty), best.get(ended.surface, -np.inf))
        if len(best) >= self._decoding.patience * self._enough:
            return True
        if len(best) < self._enough:
            return False
        longest = self._items[place[0]].bounds.most + 1
        ahead = max(
            (rows.search[row] + step.search[row, token] for row, token in on), default=-np.inf
        )
        return bool(ahead / longest**penalty <= sorted(best.values())[-self._enough])


def beams_of(width: int, banks: Banks | None) -> int:
    """Return how many beams a group of `width` has: each bank needs one."""
    return width if banks is None else max(width, banks.width)


def _grouped(rows: RunningRows) -> list[tuple[int, list[tuple[int, list[int]]]]]:
    """Return, for each item and each of its groups in turn, the rows."""
    found: dict[int, dict[int, list[int]]] = {}
    for row, (item, group) in enumerate(zip(rows.item.tolist(), rows.member.tolist(), strict=True)):
        found.setdefault(item, {}).setdefault(group, []).append(row)
    return [(item, sorted(groups.items())) for item, groups in found.items()]
