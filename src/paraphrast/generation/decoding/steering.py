"""From what the model thinks likely to what may be chosen: penalties, favours and bans.

Soft changes (repetition penalty, reversal) are renormalised. Bans and the cost of length are not:
a beam that may not end, or not say a word, pays for its way around it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from paraphrast.generation.decoding.constraints import Favoured, Forbidden
from paraphrast.generation.decoding.decoding_options import Decoding
from paraphrast.generation.decoding.lengths import HASTE, HASTEN_FROM, SHORTEN_COST, UNMARKED_COST
from paraphrast.generation.decoding.reversal import Reversal
from paraphrast.generation.decoding.running_rows import Ints, Item, Logs, Rows, Step
from paraphrast.generation.decoding.samplers import (
    log_totals,
    penalise_recent,
    renormalise,
    repeated,
    reweigh,
)

CLOSING = frozenset((".", "!", "?", "。", "！", "？"))  # marks at the end of a sentence
_QUOTES = " \n\t\"'”’»)"  # what may stand after them
_BANNED = np.float32(-np.inf)


class Steering:
    """Applies the options to each step of one batch.

    `favoured` is given, per item, while kept strings are boosted by the factor `boost`; what closes
    a sentence or the text before they are all there is lowered by its square.
    """

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
        favoured: Sequence[Favoured] | None = None,
        boost: float = 1.0,
    ) -> None:
        self._decoding = decoding
        self._items = items
        self._end = end
        self._silent = silent
        self._closing = closing
        self._forbidden = forbidden
        self._reversals = reversals
        self._favoured = favoured
        self._boost = math.log(boost)
        self._least = np.array([item.bounds.least for item in items], np.int64)
        marks = (item.text.rstrip(_QUOTES)[-1:] in CLOSING for item in items)
        self._marked: NDArray[np.bool_] = np.fromiter(marks, bool, len(items))
        self._free = np.array([item.bounds.free for item in items], np.int64)

    def look(self, logits: Logs, rows: Rows) -> Step:
        """Return the log-probabilities before and after steering."""
        totals = log_totals(logits)
        scores = logits - totals
        self._soften(scores, rows)
        search = scores
        if self._favoured is not None:
            search = self._lift(scores, rows, self._favoured)
        if self._decoding.shorten is not None:
            search = self._hasten(search, rows)
        for values in (scores,) if search is scores else (scores, search):
            self._charge(values, rows)
            self._ban(values, rows)
        return Step(logits, totals, scores, search)

    def _soften(self, logs: Logs, rows: Rows) -> None:
        given = self._decoding
        if given.repetition_penalty > 1 and rows.age:
            window = given.repetition_window
            penalise_recent(logs, rows.written, given.repetition_penalty, window)
        if given.reverse:
            totals = np.ones(len(rows))
            for row, item in enumerate(rows.item):
                turn = self._reversals[item].turn(rows.written[row].tolist())
                totals[row] += reweigh(logs, row, turn.ids, given.reverse * turn.shares)
                totals[row] += reweigh(logs, row, self._closing, -given.reverse * turn.closing)
            renormalise(logs, totals)

    def _lift(self, logs: Logs, rows: Rows, favoured: Sequence[Favoured]) -> Logs:
        lifted = logs.copy()
        totals = np.ones(len(rows))
        for row, item in enumerate(rows.item):
            ids = favoured[item].following(rows.surfaces[row])
            if len(ids):
                closing = self._closing[~np.isin(self._closing, ids)]
                totals[row] += reweigh(lifted, row, ids, self._boost)
                totals[row] += reweigh(lifted, row, closing, -2 * self._boost)
        renormalise(lifted, totals)
        return lifted

    def _hasten(self, logs: Logs, rows: Rows) -> Logs:
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

    def _lacks_mark(self, rows: Rows) -> NDArray[np.bool_]:
        """Tell which rows have not yet got the mark that their source has at its end."""
        closed = [surface.rstrip(_QUOTES)[-1:] in CLOSING for surface in rows.surfaces]
        lacks: NDArray[np.bool_] = self._marked[rows.item] & ~np.array(closed, bool)
        return lacks

    def _charge(self, logs: Logs, rows: Rows) -> None:
        """Make every sub-word beyond the free ones dearer; an end costs nothing after its mark."""
        if self._decoding.shorten is None:
            return
        dear = np.flatnonzero(rows.age >= self._free[rows.item])
        ending = logs[dear, self._end]
        logs[dear] -= np.float32(SHORTEN_COST)
        logs[dear, self._end] = ending
        logs[self._lacks_mark(rows), self._end] -= np.float32(UNMARKED_COST)

    def _ban(self, logs: Logs, rows: Rows) -> None:
        logs[:, self._silent] = _BANNED
        logs[rows.age < self._least[rows.item], self._end] = _BANNED
        if self._decoding.no_repeat:
            logs[repeated(rows.written, self._decoding.no_repeat)] = _BANNED
        if self._decoding.forbid:
            for row, surface in enumerate(rows.surfaces):
                for ids in self._forbidden.banned(surface):
                    logs[row, ids] = _BANNED
