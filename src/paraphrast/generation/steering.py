"""From what the model thinks likely to what may be chosen: penalties, favours and bans.

Soft changes (repetition penalty, reversal) are renormalised. Bans and the cost of length are not:
a beam that may not end, or not say a word, pays for its way around it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from paraphrast.generation.constraints import Favoured, Forbidden
from paraphrast.generation.lengths import SHORTEN_COST
from paraphrast.generation.options import Decoding
from paraphrast.generation.reversal import favours
from paraphrast.generation.rows import Ints, Item, Logs, Rows, Step
from paraphrast.generation.samplers import (
    log_totals,
    penalise_recent,
    renormalise,
    repeated,
    reweigh,
)

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
        favoured: Sequence[Favoured] | None = None,
        boost: float = 1.0,
    ) -> None:
        self._decoding = decoding
        self._items = items
        self._end = end
        self._silent = silent
        self._closing = closing
        self._forbidden = forbidden
        self._favoured = favoured
        self._boost = math.log(boost)
        self._least = np.array([item.bounds.least for item in items], np.int64)
        self._free = np.array([item.bounds.free for item in items], np.int64)

    def look(self, logits: Logs, rows: Rows) -> Step:
        """Return the log-probabilities before and after steering."""
        totals = log_totals(logits)
        scores = logits - totals
        self._soften(scores, rows)
        search = scores
        if self._favoured is not None:
            search = self._lift(scores, rows, self._favoured)
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
                written = rows.written[row].tolist()
                ids, favour = favours(self._items[item].source, written, given.reverse)
                totals[row] += reweigh(logs, row, ids, favour)
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

    def _charge(self, logs: Logs, rows: Rows) -> None:
        """Make every sub-word beyond the free ones dearer; the end costs nothing."""
        dear = np.flatnonzero(rows.age >= self._free[rows.item])
        if self._decoding.shorten is not None and len(dear):
            ending = logs[dear, self._end]
            logs[dear] -= np.float32(SHORTEN_COST)
            logs[dear, self._end] = ending

    def _ban(self, logs: Logs, rows: Rows) -> None:
        logs[:, self._silent] = _BANNED
        logs[rows.age < self._least[rows.item], self._end] = _BANNED
        if self._decoding.no_repeat:
            logs[repeated(rows.written, self._decoding.no_repeat)] = _BANNED
        if self._decoding.forbid:
            for row, surface in enumerate(rows.surfaces):
                for ids in self._forbidden.banned(surface):
                    logs[row, ids] = _BANNED
