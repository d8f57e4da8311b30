"""The union of the longest common subsequences of sentences, which ROUGE-Lsum counts.

The union needs the matched positions, and two sentences often have several longest common
subsequences, so *which* one is taken changes the score. The choice made here is that of
rouge_score 0.1.2. With t[i][j] the length for the first i reference and j candidate tokens, its
walk back from the end takes every match it meets; elsewhere it drops a candidate token if
t[i][j-1] > t[i-1][j] and a reference token otherwise.

Instead of t, one integer is kept per candidate token j: bit i-1 is *clear* where t[i][j] exceeds
t[i-1][j] (H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004). At a mismatch
t[i][j] = max(t[i-1][j], t[i][j-1]), so a clear bit says t[i][j-1] > t[i-1][j] and a set bit that it
is not: the walk within a column is one jump to the highest bit that is clear or a match.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain

from paraphrast.text.alignment.long_pairs import LongPair

_UNION_CELLS = 1 << 33  # bits of the table of two sentences: 1 GB
_Columns = list[tuple[int, int]]


def union_hits(reference: Sequence[Sequence[int]], candidate: Sequence[Sequence[int]]) -> int:
    """Return the hits of summary-level ROUGE-L for token ids split into sentences.

    C.-Y. Lin, "ROUGE", 2004, section 3.2: a reference token is a hit when the longest common
    subsequence of its sentence with any candidate sentence holds it. As in ROUGE-1.5.5, a token
    earns no more hits than it has occurrences in the candidate. Recall is hits / reference length,
    precision hits / candidate length. The result is 0 when either side is empty.
    """
    left, right = (max(map(len, side), default=0) for side in (candidate, reference))
    if left * right > _UNION_CELLS:
        raise LongPair(left, right)
    counts = Counter(chain.from_iterable(candidate))
    places = _places(reference, counts)
    unions = [0] * len(reference)
    for sentence in candidate:
        for row, columns in _shared_columns(sentence, places).items():
            unions[row] |= _matched(columns, len(reference[row]), len(sentence))
    hits = 0
    for token, masks in places.items():
        found = sum((unions[row] & mask).bit_count() for row, mask in masks.items())
        hits += min(found, counts[token])
    return hits


def _places(
    reference: Sequence[Sequence[int]], wanted: Counter[int]
) -> defaultdict[int, dict[int, int]]:
    """Map each wanted token to the sentences that hold it and its positions there, as bits."""
    places: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for row, sentence in enumerate(reference):
        for position, token in enumerate(sentence):
            if token in wanted:
                masks = places[token]
                masks[row] = masks.get(row, 0) | 1 << position
    return places


def _shared_columns(
    sentence: Sequence[int], places: dict[int, dict[int, int]]
) -> dict[int, _Columns]:
    """Give each reference sentence that shares a token its (candidate position, match bits)."""
    shared: defaultdict[int, _Columns] = defaultdict(list)
    for position, token in enumerate(sentence):
        if token in places:
            for row, mask in places[token].items():
                shared[row].append((position, mask))
    return shared


def _matched(columns: _Columns, width: int, length: int) -> int:
    """Return the reference positions, as bits, of the subsequence that rouge_score would take.

    Candidate tokens without a match are left out of `columns`. They leave the lengths as they are,
    but the walk back through one moves down to a clear bit before it reaches the next match;
    hence the test whether a column is followed by such a gap. `width` and `length` are the numbers
    of tokens in the reference and in the candidate sentence.
    """
    limit = (1 << width) - 1
    state = limit
    states = []
    for _, mask in columns:
        hit = state & mask
        state = (state + hit) | (state - hit)
        states.append(state)
    taken = 0
    following = length
    for (position, mask), state in zip(reversed(columns), reversed(states), strict=True):
        open_bits = ~state if following > position + 1 else ~state | mask
        top = (open_bits & limit).bit_length()
        if not top:
            break
        limit = (1 << top) - 1
        if mask >> (top - 1) & 1:
            limit >>= 1
            taken |= limit + 1
        following = position
    return taken
