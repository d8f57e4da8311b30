"""Does a text say what another, longer one says? Sentence by sentence, against pieces of it.

The source is cut into overlapping chunks of whole sentences. Each sentence of the other text is
read against the chunks that share the most words with it, and is supported as far as it follows
from the one that supports it best. A sentence that stands in the source word for word needs no
reading: it is supported. What holds neither a letter nor a digit claims nothing and is no sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from paraphrast.meaning.assessment import probability
from paraphrast.meaning.source_chunks import REACH, WORDS, Chunking, CutSource
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.text.sentences import split_sentences

__all__ = ["REACH", "WORDS", "Chunking", "SentenceSupport", "claims", "supports"]

Advance = Callable[[int], None]
Question = tuple[str, str]  # a chunk, and the sentence that may follow from it

EVEN = 0.5  # a sentence is supported from here on
_READINGS = 2048  # held at a time: enough to find pairs of like length


@dataclass(frozen=True, slots=True)
class SentenceSupport:
    """A sentence, the probability that it follows from the source, and the chunk that says so.

    The chunk is the sentence itself where the source holds it word for word, and "" where the
    source is empty.
    """

    text: str
    probability: float
    chunk: str

    @property
    def supported(self) -> bool:
        """Whether the sentence follows from the source more probably than not."""
        return self.probability >= EVEN


def claims(text: str) -> list[str]:
    """Return the sentences of a text that hold a letter or a digit."""
    return [one for one in split_sentences(text) if any(map(str.isalnum, one))]


def supports(
    encoder: EditEncoder,
    pairs: Sequence[tuple[str, str]],
    *,
    chunking: Chunking | None = None,
    advance: Advance | None = None,
) -> list[list[SentenceSupport]]:
    """Return for each pair of (source, text) the support of every sentence of the text.

    A text without a sentence gives an empty list. `advance` is told the number of pairs that are
    done. Memory holds the chunks of one block of pairs and some 2,000 readings, however many
    pairs there are.
    """
    chosen = chunking or Chunking()
    found: list[list[SentenceSupport]] = []
    for block in _blocks(pairs, chosen):
        found += _block_supports(encoder, block)
        if advance:
            advance(len(block))
    return found


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence, the chunks it is to be read against, and whether it needs no reading."""

    text: str
    chunks: tuple[str, ...]
    held: bool

    def support(self, said: dict[Question, float]) -> SentenceSupport:
        if self.held:
            return SentenceSupport(self.text, 1.0, self.text)
        best = max(self.chunks, key=lambda chunk: said[chunk, self.text], default="")
        return SentenceSupport(self.text, said.get((best, self.text), 0.0), best)


def _blocks(
    pairs: Sequence[tuple[str, str]], chunking: Chunking
) -> Iterator[list[list[_Sentence]]]:
    """Yield the claims of one pair after another, in blocks of few readings."""
    block: list[list[_Sentence]] = []
    known: dict[str, CutSource] = {}
    readings = 0
    for source, text in pairs:
        if source not in known:
            known[source] = CutSource.of(source, chunking.words)
        block.append([_claim(known[source], one, chunking.reach) for one in claims(text)])
        readings += sum(len(claim.chunks) for claim in block[-1]) + 1
        if readings >= _READINGS:
            yield block
            block, known, readings = [], {}, 0
    if block:
        yield block


def _claim(source: CutSource, sentence: str, reach: int) -> _Sentence:
    held = source.holds(sentence)
    return _Sentence(sentence, () if held else tuple(source.nearest(sentence, reach)), held)


def _block_supports(
    encoder: EditEncoder, block: Sequence[Sequence[_Sentence]]
) -> list[list[SentenceSupport]]:
    every = ((chunk, claim.text) for mine in block for claim in mine for chunk in claim.chunks)
    asked = list(dict.fromkeys(every))
    scale = encoder.card.certainty.scale
    said: dict[Question, float] = {}
    for start in range(0, len(asked), _READINGS):
        some = asked[start : start + _READINGS]
        for question, one in zip(some, encoder.summaries(some), strict=True):
            said[question] = probability(scale * one.relations.forward)
    return [[claim.support(said) for claim in mine] for mine in block]
