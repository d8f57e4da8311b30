"""The four matchers: every way in which a stretch of the candidate may match the reference's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain
from typing import NamedTuple

from paraphrast.metrics.meteor.normalise import words
from paraphrast.metrics.meteor.paraphrases import ParaphraseTable, Phrases
from paraphrast.metrics.meteor.resources import Resources
from paraphrast.metrics.meteor.stem import stem
from paraphrast.text.alignment.long_pairs import LongPair

# The search weighs each match on 40 paths: half a million, as two texts of 5,000 words have, take
# a minute. Each path also holds a bit for each word of the candidate.
_MOST_MATCHES = 1 << 19
_MOST_BITS = 1 << 32


class Module(IntEnum):
    """The matchers, in the order of METEOR's weights."""

    EXACT = 0
    STEM = 1
    SYNONYM = 2
    PARAPHRASE = 3


class Match(NamedTuple):
    """A stretch of the reference matched with a stretch of the candidate."""

    module: Module
    start: int
    length: int
    candidate_start: int
    candidate_length: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A normalised text with what the matchers look at."""

    words: Sequence[str]
    stems: Sequence[str]
    synsets: Sequence[frozenset[str]]
    phrases: Phrases
    is_function_word: Sequence[bool]

    @classmethod
    def of(cls, text: str, resources: Resources) -> Sentence:
        """Normalise a text and look up its words."""
        tokens = words(text, resources.prefixes)
        return cls(
            words=tokens,
            stems=[stem(word) for word in tokens],
            synsets=[resources.synonyms.of(word) for word in tokens],
            phrases=resources.paraphrases.phrases(tokens),
            is_function_word=[word in resources.function_words for word in tokens],
        )


def matches(candidate: Sentence, reference: Sentence, table: ParaphraseTable) -> list[list[Match]]:
    """Return, for each reference position, the matches that start there.

    Their order breaks ties in the search, so it is the jar's: by module, then left to right in
    the candidate; paraphrases looked up from the reference before those from the candidate. A
    pair the table lists both ways round appears twice, and takes two places in the beam. A pair
    with too many matches to search is a LongPair, raised before they fill the memory.
    """
    most = min(_MOST_MATCHES, _MOST_BITS // max(1, len(candidate.words)))
    found: list[list[Match]] = [[] for _ in reference.words]
    # The jar tries only exact matches on identical sentences; the beam could miss the diagonal.
    modules = [_exact(candidate, reference)]
    if candidate.words != reference.words:
        modules += [
            _stems(candidate, reference),
            _synonyms(candidate, reference),
            _paraphrases(candidate, reference, table),
        ]
    for count, match in enumerate(chain.from_iterable(modules)):
        if count == most:
            raise LongPair(len(candidate.words), len(reference.words))
        found[match.start].append(match)
    return found


def _places(keys: Sequence[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for position, key in enumerate(keys):
        places.setdefault(key, []).append(position)
    return places


# The jar compares 32-bit hashes of words and stems. Their rare collisions ("no" and "p1" match)
# are not reproduced.
def _exact(candidate: Sentence, reference: Sentence) -> Iterator[Match]:
    places = _places(candidate.words)
    for start, word in enumerate(reference.words):
        for position in places.get(word, ()):
            yield Match(Module.EXACT, start, 1, position, 1)


def _stems(candidate: Sentence, reference: Sentence) -> Iterator[Match]:
    places = _places(candidate.stems)
    for start, key in enumerate(reference.stems):
        for position in places.get(key, ()):
            if candidate.words[position] != reference.words[start]:
                yield Match(Module.STEM, start, 1, position, 1)


def _synonyms(candidate: Sentence, reference: Sentence) -> Iterator[Match]:
    places: dict[str, list[int]] = {}
    for position, synsets in enumerate(candidate.synsets):
        for synset in synsets:
            places.setdefault(synset, []).append(position)
    for start, synsets in enumerate(reference.synsets):
        shared = {position for key in synsets & places.keys() for position in places[key]}
        for position in sorted(shared):
            if candidate.words[position] != reference.words[start]:
                yield Match(Module.SYNONYM, start, 1, position, 1)


def _paraphrases(
    candidate: Sentence, reference: Sentence, table: ParaphraseTable
) -> Iterator[Match]:
    one, two = candidate.phrases, reference.phrases
    for start, length, candidate_start, candidate_length in table.pairs(two, one):
        yield Match(Module.PARAPHRASE, start, length, candidate_start, candidate_length)
    for candidate_start, candidate_length, start, length in table.pairs(one, two):
        yield Match(Module.PARAPHRASE, start, length, candidate_start, candidate_length)
