"""A source cut into overlapping chunks of whole sentences, and which of them to read."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from paraphrast.text.content import is_content
from paraphrast.text.sentences import split_sentences
from paraphrast.text.words import WordText

WORDS, REACH = 100, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunking:
    """How a source is cut: chunks of at most `words` words that overlap by about half.

    A sentence is read against the `reach` chunks with which it shares the most.
    """

    words: int = WORDS
    reach: int = REACH


@dataclass(frozen=True, slots=True)
class CutSource:
    """The chunks of a source, the content words of each, and the sentences the source holds."""

    chunks: tuple[str, ...]
    bags: tuple[frozenset[str], ...]
    spread: Counter[str]  # in how many chunks a word is
    sentences: frozenset[str]

    @classmethod
    def of(cls, text: str, words: int) -> CutSource:
        """Cut a source into chunks of at most `words` words."""
        found = chunks(text, words)
        bags = tuple(map(_content, found))
        spread = Counter(word for bag in bags for word in bag)
        held = frozenset(map(folded, split_sentences(text)))
        return cls(tuple(found), bags, spread, held)

    def holds(self, sentence: str) -> bool:
        """Tell whether a sentence stands in the source word for word."""
        return folded(sentence) in self.sentences

    def nearest(self, sentence: str, reach: int) -> list[str]:
        """Return the chunks that share the most content words with a sentence, in their order.

        A word weighs the less the more chunks have it; of equals the first is taken.
        """
        if len(self.chunks) <= reach:
            return list(self.chunks)
        own = sorted(_content(sentence))  # a sum in one order, whatever the hashes of words are
        shared = [sum(1 / self.spread[word] for word in own if word in bag) for bag in self.bags]
        best = sorted(range(len(shared)), key=lambda place: -shared[place])[:reach]
        return [self.chunks[place] for place in sorted(best)]


def folded(text: str) -> str:
    """Return a text by which two spellings of one are told to be equal: spaces, composition."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def chunks(text: str, words: int) -> list[str]:
    """Cut a text into overlapping chunks of whole sentences, of at most `words` words.

    A chunk begins at the sentence in the middle of the one before it. A sentence that is longer
    than a chunk is cut into pieces, which count as sentences.
    """
    sentences = [piece for one in split_sentences(text) for piece in _pieces(one, words)]
    counts = [len(WordText.of(one)) for one in sentences]
    found, start = [], 0
    while start < len(sentences):
        end, total = start, 0
        while end < len(sentences) and (end == start or total + counts[end] <= words):
            total += counts[end]
            end += 1
        found.append(" ".join(sentences[start:end]))
        if end == len(sentences):
            break
        start = max(start + 1, _middle(counts, start, end))
    return found


def _middle(counts: Sequence[int], start: int, end: int) -> int:
    """Return the sentence before which half of the words of a chunk stand."""
    half, seen = sum(counts[start:end]) / 2, 0
    for place in range(start, end):
        seen += counts[place]
        if seen > half:
            return place
    return end


def _pieces(sentence: str, words: int) -> list[str]:
    text = WordText.of(sentence)
    if not len(text):
        return []
    if len(text) <= words:
        return [sentence.strip()]
    bounds = [*range(0, len(text), words), len(text)]
    return [text.part(first, last).text for first, last in pairwise(bounds)]


def _content(text: str) -> frozenset[str]:
    """Return the words that say something; a character of a script without spaces is a word."""
    return frozenset(word.casefold() for word in WordText.of(text).words if is_content(word))
