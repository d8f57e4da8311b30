"""Samplers as small functions of log-probabilities [rows, vocabulary]; each row minds itself.

A truncation returns a shortlist: the sub-words that may still be drawn, best first, with the
log-probabilities they had. `draw` renormalises over the shortlist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from paraphrast.types import Floats

Logs = NDArray[np.float32]
Ints = NDArray[np.int64]

_LOOKED_AT = (128, 2048)  # sub-words, before all are sorted
_ROWS = 8  # whose exponentials are taken together
_LITTLE = 1e-3  # a sum of probabilities too small to be found by subtraction


@dataclass(frozen=True, slots=True)
class Shortlist:
    """Sub-words [rows, width] and their log-probabilities; −inf where a row has fewer."""

    ids: Ints
    logs: Logs


def log_totals(logits: Logs) -> Logs:
    """Return the logarithm of each row's sum of exponentials, [rows, 1]; 0 where all are −inf."""
    top = logits.max(axis=1, keepdims=True)
    top = np.where(np.isfinite(top), top, np.float32(0))
    total = np.empty_like(top)
    room = np.empty_like(logits[:_ROWS])
    for start in range(0, len(logits), _ROWS):  # few enough rows to stay in the cache
        part = slice(start, start + _ROWS)
        lower = np.subtract(logits[part], top[part], out=room[: len(logits[part])])
        np.exp(lower, out=lower).sum(axis=1, keepdims=True, out=total[part])
    return np.log(np.where(total > 0, total, np.float32(1))) + top


def log_softmax(logits: Logs) -> Logs:
    """Return log-probabilities; a row without any possible sub-word stays at −inf."""
    return logits - log_totals(logits)


def renormalise(logs: Logs, totals: Floats) -> None:
    """Divide, in place, by what the probabilities of each row have come to add up to.

    Adding up what changed spares a pass over the vocabulary. Where next to nothing is left,
    rounding would show, and the row is added up afresh.
    """
    little = totals < _LITTLE
    logs -= np.log(np.where(little, 1, totals)).astype(np.float32)[:, None]
    if little.any():
        logs[little] = log_softmax(logs[little])


def largest(values: Logs, count: int) -> tuple[Ints, Logs]:
    """Return the ids and values of each row's `count` largest, descending; ties by lower id."""
    rows, width = values.shape
    count = min(count, width)
    if count * 4 >= width:
        ids = np.argsort(-values, axis=1, kind="stable")[:, :count]
        return ids, np.take_along_axis(values, ids, axis=1)
    floor = np.partition(values, width - count, axis=1)[:, width - count, None]
    where, found = np.divmod(np.flatnonzero(values >= floor), width)
    if len(where) > rows * count:  # ties at the floor
        order = np.lexsort((found, -values[where, found], where))
        where, found = where[order], found[order]
        rank = np.arange(len(where)) - np.searchsorted(where, np.arange(rows))[where]
        found = found[rank < count]
    ids = found.reshape(rows, count)
    taken = np.take_along_axis(values, ids, axis=1)
    order = np.argsort(-taken, axis=1, kind="stable")
    return np.take_along_axis(ids, order, axis=1), np.take_along_axis(taken, order, axis=1)


def everything(logs: Logs) -> Shortlist:
    """Leave every sub-word in."""
    return Shortlist(np.broadcast_to(np.arange(logs.shape[1]), logs.shape), logs)


def top_k(logs: Logs, k: int) -> Shortlist:
    """Keep the k likeliest."""
    return Shortlist(*largest(logs, k))


def top_p(logs: Logs, p: float) -> Shortlist:
    """Keep the smallest set whose probability reaches p (Holtzman et al. 2020)."""
    return everything(logs) if p >= 1 else _smallest(logs, logs, p)


def typical(logs: Logs, mass: float) -> Shortlist:
    """Keep the smallest set that reaches `mass`, taken in order of |−log p − entropy|.

    Meister et al. 2023: sub-words whose information is nearest to what is expected come first.
    """
    if mass >= 1:
        return everything(logs)
    information = np.where(np.isfinite(logs), -logs, 0)
    entropy = (np.exp(logs) * information).sum(axis=1, keepdims=True)
    nearness = np.where(np.isfinite(logs), -np.abs(information - entropy), -np.inf)
    return _smallest(nearness.astype(np.float32), logs, mass)


def _smallest(
    order: Logs, logs: Logs, mass: float, looked_at: tuple[int, ...] = _LOOKED_AT
) -> Shortlist:
    """Take sub-words in descending order until their probability reaches `mass`."""
    count = looked_at[0] if looked_at else logs.shape[1]
    ids, _ = largest(order, count)
    taken = np.take_along_axis(logs, ids, axis=1)
    reached = np.exp(taken.astype(np.float64)).cumsum(axis=1)
    keep = np.pad(reached[:, :-1], ((0, 0), (1, 0))) < mass
    width = int(keep.sum(axis=1).max(initial=1))
    taken[~keep] = -np.inf
    flat = np.flatnonzero(reached[:, -1] < mass)
    if not looked_at or not len(flat):
        return Shortlist(ids[:, :width], taken[:, :width])
    more = _smallest(order[flat], logs[flat], mass, looked_at[1:])
    wider = max(width, more.ids.shape[1])
    every = Shortlist(_widened(ids, wider, 0), _widened(taken, wider, -np.inf))
    every.ids[flat] = _widened(more.ids, wider, 0)
    every.logs[flat] = _widened(more.logs, wider, -np.inf)
    return every


def _widened(values: NDArray[Any], width: int, fill: float) -> NDArray[Any]:
    lacking = max(0, width - values.shape[1])
    return np.pad(values[:, :width], ((0, 0), (0, lacking)), constant_values=fill)


def draw(choices: Shortlist, uniform: Floats) -> Ints:
    """Draw one sub-word per row by inverting the cumulative distribution; −1 where none is left."""
    top = choices.logs.max(axis=1, keepdims=True)
    possible = np.isfinite(top[:, 0])
    weights = np.exp(choices.logs - np.where(np.isfinite(top), top, 0))
    total = weights.cumsum(axis=1, dtype=np.float64)
    place = (total > uniform[:, None] * total[:, -1:]).argmax(axis=1)
    ids = choices.ids[np.arange(len(place)), place]
    return np.where(possible, ids, -1)


def penalise_recent(logs: Logs, written: Ints, penalty: float, window: int) -> None:
    """Divide the probability of each sub-word among the last `window` written; renormalise.

    In place. A sub-word written twice pays once.
    """
    recent = np.sort(written[:, -window:], axis=1)
    again = np.pad(recent[:, 1:] == recent[:, :-1], ((0, 0), (1, 0)))
    rows = np.arange(len(written))[:, None]
    before = logs[rows, recent]
    logs[rows, recent] = before - np.float32(np.log(penalty))
    lost = np.where(again, 0, np.exp(before.astype(np.float64))).sum(axis=1) * (1 - 1 / penalty)
    renormalise(logs, 1 - lost)


def reweigh(logs: Logs, row: int, ids: Ints, gain: NDArray[Any] | float) -> float:
    """Add to the log-probabilities of a row's sub-words, in place; return the change of its sum."""
    before = logs[row, ids]
    after = before + np.asarray(gain, np.float32)
    logs[row, ids] = after
    return float(np.exp(after.astype(np.float64)).sum() - np.exp(before.astype(np.float64)).sum())


def repeated(written: Ints, size: int) -> tuple[Ints, Ints]:
    """Return rows and sub-words that would complete an n-gram the row has written before."""
    length = written.shape[1]
    if length < size:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    grams = sliding_window_view(written, size, axis=1)
    tail = written[:, length - size + 1 :]
    seen = (grams[:, :, : size - 1] == tail[:, None, :]).all(axis=2)
    where, start = np.nonzero(seen)
    return where, grams[where, start, size - 1]
