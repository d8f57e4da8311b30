"""Pairs longer than the encoder reads at once: overlapping windows, and how they are put together.

Nothing is cut off. A text is cut before words (a word longer than a window, between its
sub-words), and windows of the two texts are read pair by pair:

- a word's logits come from the window where its support is largest: it is paraphrased if any part
  of the other text paraphrases it;
- the score is the mean of two means: over the windows of b, weighted by their words, the best
  score with any window of a; and the same over the windows of a;
- the entailment of b is the weakest, over the windows of b, of the strongest over those of a:
  everything in b must follow from something in a; that of a likewise;
- texts say the same as far as each follows from the other, and contradict each other as far as
  two windows do that are read together because they are the most alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paraphrast.models.encoder.pair_encoding import LOST, EncodedSide
from paraphrast.models.encoder.pair_reading import Reading, Relations
from paraphrast.models.encoder.tag_scores import support
from paraphrast.types import Floats

Ints = NDArray[np.int64]
Span = tuple[int, int]

MOST_MEETINGS = 400  # above this, windows meet only their nearest
NEAREST = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """Some sub-words of a text, and the words that begin there by their place in the text."""

    side: EncodedSide
    words: Ints

    @classmethod
    def of(cls, side: EncodedSide, start: int, end: int) -> Piece:
        inside = np.flatnonzero((side.first >= start) & (side.first < end))
        return cls(EncodedSide(side.ids[start:end], side.first[inside] - start), inside)


@dataclass(frozen=True, slots=True)
class PairWindows:
    """The windows of both texts and which of them meet; a short pair is one window of each."""

    a: list[Piece]
    b: list[Piece]
    meetings: list[tuple[int, int]]
    limited: bool


class WindowReading(NamedTuple):
    """What the encoder says of one window of a and one of b."""

    score: float
    relations: Relations
    tags_a: Floats
    tags_b: Floats


def cut_pair(a: EncodedSide, b: EncodedSide, budget: int, window: int) -> PairWindows:
    """Cut a pair of more than `budget` sub-words into windows that fit together into `window`.

    A text that fits into half of a window stays whole, and the other gets what is left.
    """
    half = window // 2
    if len(a) + len(b) <= budget:
        sizes = len(a), len(b)
    elif len(a) <= half:
        sizes = len(a), window - len(a)
    elif len(b) <= half:
        sizes = window - len(b), len(b)
    else:
        sizes = half, half
    pieces = [
        [Piece.of(side, *span) for span in cuts(side, size)]
        for side, size in zip((a, b), sizes, strict=True)
    ]
    met, limited = meetings(len(pieces[0]), len(pieces[1]))
    return PairWindows(pieces[0], pieces[1], met, limited)


def cuts(side: EncodedSide, size: int) -> list[Span]:
    """Cover a text with spans of at most `size` sub-words that overlap by up to a quarter.

    The last span is as long as the others. A span begins and ends where words begin, unless a
    word is so long that it would leave less than half a window.
    """
    length, begin = len(side), 0
    if length <= size:
        return [(0, length)]
    starts = np.unique(side.first[side.first != LOST])
    spans = []
    while length - begin > size:
        end = _last(starts, begin + size // 2, begin + size)
        spans.append((begin, end))
        begin = _first(starts, min(end - size // 4, length - size), end)
    return [*spans, (begin, length)]


def _last(starts: Ints, low: int, high: int) -> int:
    """Return the last start in (low, high], or high where there is none."""
    place = int(np.searchsorted(starts, high, side="right")) - 1
    return int(starts[place]) if place >= 0 and starts[place] > low else high


def _first(starts: Ints, low: int, high: int) -> int:
    """Return the first start in [low, high], or low where there is none."""
    place = int(np.searchsorted(starts, low))
    return int(starts[place]) if place < len(starts) and starts[place] <= high else low


def meetings(many_a: int, many_b: int) -> tuple[list[tuple[int, int]], bool]:
    """Return which windows are read together, and whether that is less than all combinations.

    Beyond 400 combinations each window meets the three of the other text that lie nearest to its
    own relative place, so the work grows with the length of the texts and not with its square.
    """
    if min(many_a, many_b) == 1 or many_a * many_b <= MOST_MEETINGS:
        return list(product(range(many_a), range(many_b))), False
    met = {(int(i), j) for j in range(many_b) for i in _nearest(j, many_b, many_a)}
    met |= {(i, int(j)) for i in range(many_a) for j in _nearest(i, many_a, many_b)}
    return sorted(met), True


def _nearest(place: int, many: int, others: int) -> range:
    centre = (place + 0.5) / many * others - 0.5
    first = round(centre) - NEAREST // 2
    first = min(max(first, 0), max(others - NEAREST, 0))
    return range(first, min(first + NEAREST, others))


def combine(cut: PairWindows, readings: list[WindowReading], words_a: int, words_b: int) -> Reading:
    """Put the windows of a pair together."""
    score, relations = _numbers(cut, readings)
    pieces_a = [(cut.a[i].words, reading.tags_a) for (i, _), reading in _zip(cut, readings)]
    pieces_b = [(cut.b[j].words, reading.tags_b) for (_, j), reading in _zip(cut, readings)]
    return Reading(
        score,
        relations,
        _strongest(pieces_a, words_a),
        _strongest(pieces_b, words_b),
        len(readings),
        cut.limited,
    )


def _zip(
    cut: PairWindows, readings: list[WindowReading]
) -> list[tuple[tuple[int, int], WindowReading]]:
    return list(zip(cut.meetings, readings, strict=True))


def _numbers(cut: PairWindows, readings: list[WindowReading]) -> tuple[float, Relations]:
    if len(readings) == 1:
        return readings[0].score, readings[0].relations
    score, forward, backward, contradiction = (
        _table(cut, readings, values)
        for values in (
            [one.score for one in readings],
            [one.relations.forward for one in readings],
            [one.relations.backward for one in readings],
            [one.relations.contradiction for one in readings],
        )
    )
    x = np.average(score.max(axis=0), weights=_weights(cut.b))
    y = np.average(score.max(axis=1), weights=_weights(cut.a))
    there, back = float(forward.max(axis=0).min()), float(backward.max(axis=1).min())
    partners = [(int(i), j) for j, i in enumerate(score.argmax(axis=0))]
    against = max(float(contradiction[met]) for met in partners)
    same = float(np.minimum(there, back))  # NaN where the encoder does not know both
    return float(x + y) / 2, Relations(there, back, against, same)


def _table(cut: PairWindows, readings: list[WindowReading], values: list[float]) -> Floats:
    """Put values in their places: a row for each window of a; −∞ for those that never met."""
    table = np.full((len(cut.a), len(cut.b)), -np.inf)
    for ((i, j), _), value in zip(_zip(cut, readings), values, strict=True):
        table[i, j] = value
    return table


def _weights(pieces: list[Piece]) -> Ints:
    """Count words; the inside of a very long word counts as one."""
    return np.array([max(len(piece.words), 1) for piece in pieces])


def _strongest(pieces: list[tuple[Ints, Floats]], words: int) -> Floats:
    logits, best = np.zeros((words, 2)), np.full(words, -np.inf)
    for places, tags in pieces:
        found = support(tags)
        better = found > best[places]
        logits[places[better]] = tags[better]
        best[places[better]] = found[better]
    return logits
