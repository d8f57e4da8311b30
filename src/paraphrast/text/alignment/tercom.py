"""Tercom: the normalisation and the edits of the translation edit rate.

Snover et al. 2006, *A Study of Translation Edit Rate with Targeted Human Annotation*, section 3,
in the reading of sacrebleu 2.6: the same numbers, its limits included. The tests compare the two.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from rapidfuzz.distance import LCSseq, Levenshtein

from paraphrast.text.alignment.editbeam import Alignment, BeamMatrix, EditMatrix, beam_is_idle
from paraphrast.text.alignment.long_pairs import LongPair

_LONGEST_SHIFT = 10
_FARTHEST_SHIFT = 50
_MOST_CHECKED = 1000
_MOST_CELLS = 1 << 33  # 92,682 words by as many: half a minute, and a table of 1 GB
_FEW_EDITS = 64  # more than a beam is idle for

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SYMBOL = re.compile(r"[!-&(-+/:-@\[-`{-~]")
# These two swallow the neighbour: of a run of stops, not every one is set apart.
_STOP_AFTER_OTHER = re.compile(r"([^0-9])([.,])")
_STOP_BEFORE_OTHER = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"(?<=[0-9])-")
_ASIAN_STOPS = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\u30fb\uff61-\uff65"
    "\uff01\uff02\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f"
)
# Kana are not in it: the patterns that should split them never match a padded sentence.
_IDEOGRAPHS = "\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
_ASIAN_STOP = re.compile(f"[{_ASIAN_STOPS}]")
_ASIAN_SYMBOL = re.compile(f"[{_IDEOGRAPHS}{_ASIAN_STOPS}]")
_DROP_STOPS = str.maketrans("", "", '.,?:;!"()')

# (-length, start, target): the order in which tercom prefers shifts of equal gain. Two shifts
# that agree on all three give the same words, so its last tie-break, on the words, decides nothing.
_Move = tuple[int, int, int]
# Ranks before every move, so that a move has to gain something to be preferred to it.
_STAY: _Move = (-_LONGEST_SHIFT - 1, 0, 0)


def normalise(
    text: str,
    *,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> str:
    """The text with one space between tokens, as sacrebleu's `TercomTokenizer` gives it.

    `asian_support` counts only beside `normalized` (characters are set apart) or `no_punct`
    (their punctuation goes too).
    """
    if not case_sensitive:
        text = text.lower()
    if normalized:
        text = _set_apart(text)
        if asian_support:
            text = _ASIAN_SYMBOL.sub(r" \g<0> ", text)
    if no_punct:
        text = text.translate(_DROP_STOPS)
        if asian_support:
            text = _ASIAN_STOP.sub("", text)
    return " ".join(text.split())


def _set_apart(text: str) -> str:
    text = text.replace("\n-", "").replace("\n", " ")
    for entity, symbol in _ENTITIES:
        text = text.replace(entity, symbol)
    text = _SYMBOL.sub(r" \g<0> ", f" {text} ").replace("'s ", " 's ")
    text = _STOP_AFTER_OTHER.sub(r"\1 \2 ", text)
    text = _STOP_BEFORE_OTHER.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(" - ", text)


def edits(candidate: Sequence[Hashable], reference: Sequence[Hashable]) -> int:
    """The number of shifts plus the edit distance that they leave.

    Tokens are only ever compared for equality, so words and word ids give the same number. An
    empty side costs the other's length.
    """
    if not candidate or not reference:
        return len(candidate) + len(reference)
    words, target = _letters(candidate, reference)
    if len(words) * len(target) > _MOST_CELLS:
        return _long_edits(words, target)
    distance = Levenshtein.distance(words, target)
    # Shifts keep the words, so no distance can fall below what the bag of words demands.
    floor = max(len(words), len(target)) - _overlap(words, target)
    if not beam_is_idle(len(words), len(target), distance):
        beam = BeamMatrix(target, len(words))
        return _BeamShifter(beam, floor).run(words, beam.distance(words))
    if distance - floor <= 1:
        return distance  # as `run` would, without its preparations
    return _Shifter(EditMatrix(target), floor).run(words, distance)


def _long_edits(words: str, target: str) -> int:
    """Return the edits of a pair that is too long for a search, where no shift can gain."""
    distance = Levenshtein.distance(words, target, score_cutoff=_FEW_EDITS)
    shared = (Counter(words) & Counter(target)).total()
    floor = max(len(words), len(target)) - shared
    if distance - floor > 1 or not beam_is_idle(len(words), len(target), distance):
        raise LongPair(len(words), len(target))
    return distance


def _letters(*sides: Sequence[Hashable]) -> Iterator[str]:
    """Each distinct token as one character: the form in which rapidfuzz is fastest."""
    ids: dict[Hashable, str] = {}
    for side in sides:
        for token in side:
            if token not in ids:
                ids[token] = chr(len(ids))
        yield "".join([ids[token] for token in side])


def _overlap(one: str, other: str) -> int:
    """How many words the bags share: sorted, that is the longest common subsequence."""
    return LCSseq.similarity("".join(sorted(one)), "".join(sorted(other)))


class _Shifter:
    """Greedy search for shifts where the beam is idle, so that every distance is Levenshtein's."""

    def __init__(self, matrix: EditMatrix, floor: int) -> None:
        self.matrix = matrix
        self.target = matrix.reference
        self.floor = floor
        self.places: dict[str, list[int]] = {}
        for place, word in enumerate(self.target):
            self.places.setdefault(word, []).append(place)

    def run(self, words: str, distance: int) -> int:
        """The edits of `words`, which are `distance` away before any shift."""
        shifts = kept = 0
        room = _MOST_CHECKED
        # A shift costs one, so a gain of one can be left undone without changing the sum.
        while distance - self.floor > 1:
            moves = self.moves(words, self.matrix.align(words, kept), room)
            room -= len(moves)
            # At the limit tercom drops the shift it was about to choose: nothing to evaluate.
            if room <= 0:
                break
            closer, move = self.best(words, distance, set(moves))
            if move == _STAY:
                break
            words, distance, shifts = _moved(words, move), closer, shifts + 1
            kept = min(move[1:])
        return shifts + distance

    def moves(self, words: str, alignment: Alignment, room: int) -> list[_Move]:
        """Every shift tercom would try, repeats included; cut off once there are `room`."""
        found: list[_Move] = []
        consumed, candidate_gap, reference_gap = alignment
        runs: dict[int, int] = {}
        for start in range(len(words) - 1, -1, -1):
            # How many words agree from here and from each place on, one more than a step later.
            runs = {r: runs.get(r + 1, 0) + 1 for r in self.places.get(words[start], ())}
            gap = candidate_gap[start]
            for place, run in runs.items():
                if gap >= run or abs(place - start) > _FARTHEST_SHIFT:
                    continue
                # Both sides must hold an error, and the block must not hold its own target.
                shortest = max(gap, reference_gap[place]) + 1
                inside = consumed[place + 1] - 1 - start
                longest = min(run, _LONGEST_SHIFT, inside if inside >= 0 else run)
                for length in range(shortest, longest + 1):
                    goals = set(consumed[place : place + length + 1])
                    found += [(-length, start, goal) for goal in goals]
                if len(found) >= room:
                    return found
        return found

    def best(self, words: str, distance: int, moves: set[_Move]) -> tuple[int, _Move]:
        """The move that tercom ranks first, `_STAY` if none gains, after the distance it leaves."""
        best, chosen = distance, _STAY
        for move in sorted(moves):
            # Moving a block is worth at most its deletion and its insertion elsewhere.
            if best <= max(self.floor, distance + 2 * move[0]):
                break
            closer = Levenshtein.distance(_moved(words, move), self.target, score_cutoff=best - 1)
            if closer < best:
                best, chosen = closer, move
        return best, chosen


class _BeamShifter(_Shifter):
    """The same search where the beam may lengthen distances."""

    matrix: BeamMatrix

    def best(self, words: str, distance: int, moves: set[_Move]) -> tuple[int, _Move]:
        # The beam never shortens, so the cheap distances say in which order to look, and when
        # to stop.
        bounds = sorted(
            (Levenshtein.distance(_moved(words, m), self.target, score_cutoff=distance), m)
            for m in moves
        )
        best = (distance, _STAY)
        for bound, move in bounds:
            if (bound, move) > best:
                break
            best = min(best, (self._distance(words, move, bound), move))
        return best

    def _distance(self, words: str, move: _Move, bound: int) -> int:
        if beam_is_idle(len(words), len(self.target), bound):
            return bound
        _, start, goal = move
        changed = _end(move) if goal >= start else start - move[0]
        return self.matrix.distance(_moved(words, move), min(start, goal), changed)


def _end(move: _Move) -> int:
    """Where a block that moves right ends: a goal within the block counts from the block's end."""
    length, start, goal = -move[0], move[1], move[2]
    return goal if goal > start + length else goal + length


def _moved(words: str, move: _Move) -> str:
    start, goal = move[1], move[2]
    stop = start - move[0]
    block = words[start:stop]
    if goal < start:
        return words[:goal] + block + words[goal:start] + words[stop:]
    end = _end(move)
    return words[:start] + words[stop:end] + block + words[end:]
