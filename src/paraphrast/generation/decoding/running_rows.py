"""The rows of a running batch: what each has written so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.generation.decoding.lengths import Bounds
from paraphrast.types import Floats

Ints = NDArray[np.int64]
Logs = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Item:
    """A source to be decoded, and the numbers of the draws wanted of it (none for beams)."""

    text: str
    prompt: Ints
    source: Ints
    bounds: Bounds
    kept: tuple[str, ...]
    draws: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """A text that has come to its end, or to the greatest length; `score` is a sum."""

    ids: tuple[int, ...]
    surface: str
    logprob: float
    score: float
    finished: bool


@dataclass(frozen=True, slots=True)
class Step:
    """What may come next: the model's log-probabilities, and those after steering.

    `scores` rank texts; `search` is what is chosen by. They differ while kept strings are boosted.
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
class Rows:
    """Rows of equal age. `member` is a row's draw number, or its group of beams."""

    item: Ints
    member: Ints
    written: Ints
    surfaces: tuple[str, ...]
    logprob: Floats
    score: Floats
    search: Floats

    @classmethod
    def first(cls, item: Sequence[int], member: Sequence[int]) -> Rows:
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
        return int(self.written.shape[1])

    def follow(self, parents: Ints, tokens: Ints, step: Step, pieces: Sequence[str]) -> Rows:
        """Return the rows that go on from `parents` with `tokens`."""
        return Rows(
            self.item[parents],
            self.member[parents],
            np.concatenate([self.written[parents], tokens[:, None]], axis=1),
            tuple(
                self.surfaces[row] + pieces[token]
                for row, token in zip(parents.tolist(), tokens.tolist(), strict=True)
            ),
            self.logprob[parents] + step.logprob(parents, tokens),
            self.score[parents] + step.scores[parents, tokens],
            self.search[parents] + step.search[parents, tokens],
        )

    def end(self, row: int, step: Step, end: int) -> Ended:
        """Return the text of a row that ends here."""
        last = step.logprob(np.array([row]), np.array([end]))[0]
        logprob, score = self.logprob[row] + last, self.score[row] + step.scores[row, end]
        return self._ended(row, float(logprob), float(score), finished=True)

    def cut(self, row: int) -> Ended:
        """Return the text of a row that may not go on."""
        return self._ended(row, float(self.logprob[row]), float(self.score[row]), finished=False)

    def _ended(self, row: int, logprob: float, score: float, *, finished: bool) -> Ended:
        ids = tuple(self.written[row].tolist())
        return Ended(ids, self.surfaces[row].strip(), logprob, score, finished)
