"""The one decoding loop, what it changes of the model's opinion, and the batches it runs on.

Of a model's log-probabilities, soft changes (repetition penalty, reversal) are renormalised. Bans
and the cost of length are not: a beam that may not end, or not say a word, pays for its way around.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from paraphrast.generation.decoding.banks import Banks
from paraphrast.generation.decoding.constraints import Forbidden
from paraphrast.generation.decoding.decoding_options import Decoding
from paraphrast.generation.decoding.requirements import CLOSING, QUOTES
from paraphrast.generation.decoding.reversal import Reversal
from paraphrast.generation.decoding.samplers import (
    Ints,
    Logs,
    log_totals,
    penalise_recent,
    renormalise,
    repeated,
    reweigh,
)
from paraphrast.generation.decoding.searches import (
    BeamSearch,
    Ended,
    Item,
    RunningRows,
    Sampling,
    SearchMethod,
    StepScores,
    beams_of,
)
from paraphrast.models.generator.language_model import LanguageModel

MOST_ROWS = 256  # rows of logits held at once
MOST_CELLS = 16_384  # rows × sub-words whose keys and values are held at once
SHORTEN_COST = 6.0  # nats that a beam pays for each sub-word beyond the share `shorten`
UNMARKED_COST = 12.0  # and for an end without the mark that closes the source
HASTE = 8.0  # nats by which the search favours a close where the share is used up,
HASTEN_FROM = 0.5  # growing from this part of it on
_BANNED = np.float32(-np.inf)


def run(
    model: LanguageModel,
    items: Sequence[Item],
    decoding: Decoding,
    steering: Steering,
    pieces: Sequence[str],
    *,
    attempt: int = 0,
    banks: Sequence[Banks | None] = (),
) -> list[dict[int, list[Ended]]]:
    """Decode one batch: per item and draw (or group of beams), the texts that ended.

    Every source is read once. RunningRows that have ended leave the batch.
    """
    search: SearchMethod = (
        BeamSearch(decoding, items, end=model.end, banks=banks)
        if decoding.uses_beams
        else Sampling(decoding, items, end=model.end, attempt=attempt)
    )
    state, logits = model.start([item.prompt for item in items])
    rows = search.first()
    if not _is_all(rows.item, len(items)):
        state, logits = model.reorder(state, rows.item), logits[rows.item]
    while True:
        step = steering.step_scores(logits, rows)
        parents, tokens = search.choose(rows, step)
        if not len(parents):
            return search.ended
        if not _is_all(parents, len(rows)):
            state = model.reorder(state, parents)
        rows = rows.follow(parents, tokens, step, pieces)
        logits = model.step(state, tokens)


def _is_all(parents: Ints, count: int) -> bool:
    return len(parents) == count and bool((parents == np.arange(count)).all())


class Steering:
    """Applies the options to each step of one batch."""

    def __init__(
        self,
        decoding: Decoding,
        items: Sequence[Item],
        *,
        end: int,
        silent: Ints,
        closing: Ints,
        forbidden: Forbidden,
        reversals: Sequence[Reversal] = (),
    ) -> None:
        self._decoding = decoding
        self._items = items
        self._end = end
        self._silent = silent
        self._closing = closing
        self._forbidden = forbidden
        self._reversals = reversals
        self._least = np.array([item.bounds.least for item in items], np.int64)
        marks = (item.text.rstrip(QUOTES)[-1:] in CLOSING for item in items)
        self._marked: NDArray[np.bool_] = np.fromiter(marks, bool, len(items))
        self._free = np.array([item.bounds.free for item in items], np.int64)

    def step_scores(self, logits: Logs, rows: RunningRows) -> StepScores:
        """Return the log-probabilities before and after steering."""
        totals = log_totals(logits)
        scores = logits - totals
        self._soften(scores, rows)
        search = scores
        if self._decoding.shorten is not None:
            search = self._hasten(search, rows)
        for values in (scores,) if search is scores else (scores, search):
            self._charge(values, rows)
            self._ban(values, rows)
        return StepScores(logits, totals, scores, search)

    def _soften(self, logs: Logs, rows: RunningRows) -> None:
        given = self._decoding
        if given.repetition_penalty > 1 and rows.age:
            window = given.repetition_window
            penalise_recent(logs, rows.tokens, given.repetition_penalty, window)
        if given.reverse:
            totals = np.ones(len(rows))
            for row, item in enumerate(rows.item):
                favour = self._reversals[item].weights(rows.tokens[row].tolist())
                totals[row] += reweigh(logs, row, favour.ids, given.reverse * favour.shares)
                totals[row] += reweigh(logs, row, self._closing, -given.reverse * favour.closing)
            renormalise(logs, totals)

    def _hasten(self, logs: Logs, rows: RunningRows) -> Logs:
        """Make a close likelier as the free sub-words are used up: short texts must be found.

        What closes is a mark where the source has one at its end, and the end elsewhere.
        """
        hastened = logs.copy()
        used = rows.age / self._free[rows.item]
        gain = HASTE * np.clip((used - HASTEN_FROM) / (1 - HASTEN_FROM), 0, 2).astype(np.float32)
        lacks = self._lacks_mark(rows)
        marks = self._closing[self._closing != self._end]
        hastened[:, marks] += np.where(lacks, gain, 0)[:, None]
        hastened[:, self._end] += np.where(self._marked[rows.item], 0, gain)
        return hastened

    def _lacks_mark(self, rows: RunningRows) -> NDArray[np.bool_]:
        """Tell which rows have not yet got the mark that their source has at its end."""
        closed = [surface.rstrip(QUOTES)[-1:] in CLOSING for surface in rows.surfaces]
        lacks: NDArray[np.bool_] = self._marked[rows.item] & ~np.array(closed, bool)
        return lacks

    def _charge(self, logs: Logs, rows: RunningRows) -> None:
        """Make every sub-word beyond the free ones dearer; an end costs nothing after its mark."""
        if self._decoding.shorten is None:
            return
        dear = np.flatnonzero(rows.age >= self._free[rows.item])
        ending = logs[dear, self._end]
        logs[dear] -= np.float32(SHORTEN_COST)
        logs[dear, self._end] = ending
        logs[self._lacks_mark(rows), self._end] -= np.float32(UNMARKED_COST)

    def _ban(self, logs: Logs, rows: RunningRows) -> None:
        logs[:, self._silent] = _BANNED
        logs[rows.age < self._least[rows.item], self._end] = _BANNED
        if self._decoding.no_repeat:
            logs[repeated(rows.tokens, self._decoding.no_repeat)] = _BANNED
        if self._decoding.forbid:
            for row, surface in enumerate(rows.surfaces):
                for ids in self._forbidden.banned(surface):
                    logs[row, ids] = _BANNED


def batches(
    items: Sequence[Item], decoding: Decoding, banks: Callable[[Item], Banks | None]
) -> Iterator[list[tuple[int, Item]]]:
    """Yield items of like length together, numbered, within the bounds on rows and cells."""
    groups = decoding.group_count
    parts = list(_parted(items, decoding.group_count))
    parts.sort(key=lambda each: (len(each[1].prompt), each[1].bounds.most, each[0]))
    batch: list[tuple[int, Item]] = []
    rows = 0
    for number, item in parts:
        width = len(item.draws)
        if decoding.uses_beams:
            width = groups * beams_of(decoding.beams // groups, banks(item))
        length = len(item.prompt) + max([item.bounds.most, *(i.bounds.most for _, i in batch)])
        full = rows + width > MOST_ROWS or (rows + width) * length > MOST_CELLS
        if batch and full:
            yield batch
            batch, rows = [], 0
        batch.append((number, item))
        rows += width
    if batch:
        yield batch


def _parted(items: Sequence[Item], sets: int) -> Iterator[tuple[int, Item]]:
    """Part the draws of an item that would fill more than a batch; sets of draws stay whole."""
    for number, item in enumerate(items):
        if len(item.draws) <= MOST_ROWS:
            yield number, item
            continue
        size = max(1, MOST_ROWS // sets) * sets
        blocks: dict[int, list[int]] = {}
        for draw in item.draws:
            blocks.setdefault(draw // size, []).append(draw)
        for draws in blocks.values():
            yield number, replace(item, draws=tuple(draws))
