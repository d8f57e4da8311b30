"""Does a text say what another, longer one says? Sentence by sentence, against pieces of it.

The source is cut into overlapping chunks of whole sentences. Each sentence of the other text is
read against the chunks that share the most words with it, and is supported as far as it follows
from the one that supports it best. A sentence that stands in the source word for word needs no
reading: it is supported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from paraphrast.meaning.assessment import probability
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.text.content import is_content
from paraphrast.text.sentences import split_sentences
from paraphrast.text.words import WordText

Advance = Callable[[int], None]

WORDS, REACH = 100, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunking:
    """How a source is cut: chunks of at most `words` words that overlap by about half.

    A sentence is read against the `reach` chunks with which it shares the most.
    """

    words: int = WORDS
    reach: int = REACH


@dataclass(frozen=True, slots=True)
class SentenceSupport:
    """A sentence, the probability that it follows from the source, and the chunk that says so."""

    text: str
    probability: float
    chunk: str


def supports(
    encoder: EditEncoder,
    pairs: Sequence[tuple[str, str]],
    *,
    chunking: Chunking | None = None,
    advance: Advance | None = None,
) -> list[list[SentenceSupport]]:
    """Return for each pair of (source, text) the support of every sentence of the text.

    A text without a sentence gives an empty list.
    """
    chosen = chunking or Chunking()
    sources = {source: _Source.of(source, chosen) for source in {pair[0] for pair in pairs}}
    sentences = [[one for one in split_sentences(text) if one.strip()] for _, text in pairs]
    asked = [
        sources[source].chunks_for(sentence, chosen.reach)
        for (source, _), mine in zip(pairs, sentences, strict=True)
        for sentence in mine
    ]
    every = [sentence for mine in sentences for sentence in mine]
    flat = [
        (chunk, sentence) for some, sentence in zip(asked, every, strict=True) for chunk in some
    ]
    flat = list(dict.fromkeys(flat))
    read = encoder.summaries(flat, advance=advance)
    scale = encoder.card.certainty.scale
    said = {
        pair: probability(scale * one.relations.forward)
        for pair, one in zip(flat, read, strict=True)
    }
    of = iter(asked)
    return [
        [_support(sentence, sources[source], next(of), said) for sentence in mine]
        for (source, _), mine in zip(pairs, sentences, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Source:
    """A source cut into chunks, and the sentences it holds word for word."""

    chunks: tuple[str, ...]
    sentences: frozenset[str]

    @classmethod
    def of(cls, text: str, chunking: Chunking) -> _Source:
        held = frozenset(map(_folded, split_sentences(text)))
        return cls(tuple(chunks(text, chunking.words)), held)

    def chunks_for(self, sentence: str, reach: int) -> list[str]:
        """Return what to read a sentence against: nothing, if it stands there word for word."""
        return [] if _folded(sentence) in self.sentences else nearest(self.chunks, sentence, reach)


def _support(
    sentence: str, source: _Source, asked: Sequence[str], said: dict[tuple[str, str], float]
) -> SentenceSupport:
    if _folded(sentence) in source.sentences:
        return SentenceSupport(sentence, 1.0, sentence)
    best = max(asked, key=lambda chunk: said[chunk, sentence], default="")
    return SentenceSupport(sentence, said.get((best, sentence), 0.0), best)


def _folded(text: str) -> str:
    return " ".join(text.split())


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
    if len(text) <= words:
        return [sentence.strip()] if sentence.strip() else []
    bounds = [*range(0, len(text), words), len(text)]
    return [text.part(first, last).text for first, last in pairwise(bounds)]


def nearest(pieces: Sequence[str], sentence: str, reach: int) -> list[str]:
    """Return the chunks that share the most content words with a sentence, in their order.

    A word weighs the less the more chunks have it.
    """
    if len(pieces) <= reach:
        return list(pieces)
    bags = [_content(piece) for piece in pieces]
    spread = Counter(word for bag in bags for word in bag)
    own = _content(sentence)
    shared = [sum(1 / spread[word] for word in own & bag) for bag in bags]
    best = sorted(range(len(pieces)), key=lambda place: -shared[place])[:reach]
    return [pieces[place] for place in sorted(best)]


def _content(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in WordText.of(text).words if is_content(word))
