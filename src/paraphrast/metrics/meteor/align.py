"""METEOR's aligner: a beam search, left to right over the reference, for the best set of matches.

Denkowski and Lavie (2011), section 2.1, rank alignments by words covered, then by fewer chunks,
then by the smaller sum of distances between matched words. The jar departs from the paper in three
ways that are kept because they decide many scores (the first, those of a fifth of MRPC):

* a match counts ``floor(length * weight)`` words on either side, weight 1 for exact matches and
  0.5 for all others, so that one stemmed word or one synonym covers nothing;
* where a position has several matches, the distance of each is added to the alternatives that
  come after it instead of to its own;
* matches that overlap no other are taken, never left out in favour of fewer chunks.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import itemgetter
from typing import TypeAlias

from paraphrast.metrics.meteor.match import Match, Module

BEAM = 40

# A partial alignment: (cost, candidate words in use as bits, next free reference position, end of
# the last match in the candidate if it reaches up to here or else -1, matches as a linked list).
# Tuples and one integer cost, because this loop is where METEOR spends its time.
_Links: TypeAlias = "tuple[Match, _Links] | None"
_Path: TypeAlias = tuple[int, int, int, int, _Links]
# What a match does to a path: (cost, bits, next position, start, end in the candidate, distance,
# match).
_Step: TypeAlias = tuple[int, int, int, int, int, int, Match]

_GAP = -1
_CHUNK = 1 << 48
_COVERED = 1 << 80


def align(found: list[list[Match]]) -> list[Match]:
    """Choose among the matches found at each reference position; ordered by position."""
    steps = [[_step(match) for match in matches] for matches in found]
    certain = _certain(found)
    paths: list[_Path] = [(0, 0, 0, _GAP, None)]
    for position, options in enumerate(steps):
        kept = _best(paths)
        sure = certain[position]
        paths = _take(kept, options[0]) if sure else _expand(kept, position, options)
    closed = [_close(path) for path in _best(paths)]
    return _matches(_best(closed)[0])


def chunks(matches: Iterable[Match]) -> int:
    """Count the runs of matches that are adjacent and in the same order on both sides."""
    count = 0
    expected = (-1, -1)
    for match in matches:
        count += (match.start, match.candidate_start) != expected
        expected = (match.start + match.length, match.candidate_start + match.candidate_length)
    return count


def _bits(start: int, length: int) -> int:
    return ((1 << length) - 1) << start


def _step(match: Match) -> _Step:
    module, start, length, candidate_start, candidate_length = match
    divisor = 1 if module is Module.EXACT else 2
    covered = length // divisor + candidate_length // divisor
    return (
        -covered * _COVERED,
        _bits(candidate_start, candidate_length),
        start + length,
        candidate_start,
        candidate_start + candidate_length,
        abs(start - candidate_start),
        match,
    )


def _certain(found: list[list[Match]]) -> list[bool]:
    """Tell for each position whether one match starts there that overlaps no other match."""
    once = twice = candidate_once = candidate_twice = 0
    for _, start, length, candidate_start, candidate_length in chain.from_iterable(found):
        bits = _bits(start, length)
        twice |= once & bits
        once |= bits
        bits = _bits(candidate_start, candidate_length)
        candidate_twice |= candidate_once & bits
        candidate_once |= bits
    return [
        len(matches) == 1
        and not _bits(matches[0].start, matches[0].length) & twice
        and not _bits(matches[0].candidate_start, matches[0].candidate_length) & candidate_twice
        for matches in found
    ]


def _best(paths: list[_Path]) -> list[_Path]:
    """Return the paths the beam keeps, the cheapest first, equal ones in their order."""
    return sorted(paths, key=itemgetter(0))[:BEAM]


def _take(paths: list[_Path], step: _Step) -> list[_Path]:
    """Add a certain match to each path: no choice made so far can have ruled it out."""
    gain, bits, following, start, end, distance, match = step
    gain += distance
    return [
        (
            cost + gain if last in (_GAP, start) else cost + gain + _CHUNK,
            used | bits,
            following,
            end,
            (match, links),
        )
        for cost, used, _, last, links in paths
    ]


def _expand(paths: list[_Path], position: int, options: list[_Step]) -> list[_Path]:
    """Extend each path by each match it still has room for, and by leaving the word unmatched."""
    extended: list[_Path] = []
    for path in paths:
        cost, used, free, last, links = path
        if free > position:
            extended.append(path)
            continue
        for gain, bits, following, start, end, distance, match in options:
            if used & bits:
                continue
            new_cost = cost + gain if last in (_GAP, start) else cost + gain + _CHUNK
            extended.append((new_cost, used | bits, following, end, (match, links)))
            cost += distance
        if last != _GAP:
            cost += _CHUNK
        extended.append((cost, used, position + 1, _GAP, links))
    return extended


def _close(path: _Path) -> _Path:
    """Count the chunk that is open at the end of the reference."""
    cost, used, free, last, links = path
    return (cost if last == _GAP else cost + _CHUNK, used, free, last, links)


def _matches(path: _Path) -> list[Match]:
    chosen: list[Match] = []
    links = path[-1]
    while links is not None:
        match, links = links
        chosen.append(match)
    return chosen[::-1]
