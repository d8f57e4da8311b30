"""Which sentences of a text its source does not support, and on which words that turns."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from paraphrast import _version, signature
from paraphrast.meaning.source_chunks import Chunking
from paraphrast.meaning.support import SentenceSupport, supports
from paraphrast.meaning.tagged_pair import TaggedText, tagged_pair
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.render.pages.support_page import support_fragment
from paraphrast.render.terminal.marked_text import runs
from paraphrast.render.terminal.support_text import support_text
from paraphrast.text.words import WordText

_PLACES = 6  # a model's last digits depend on the machine; nobody reads them


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of a text, held against the chunk of the source that supports it best.

    `probability` is that of following from the chunk; from .5 on the sentence is `supported`. Of
    one that is not, `tags` marks the words that the chunk does not say; of others it is None.
    """

    text: str
    probability: float
    supported: bool
    chunk: str
    tags: TaggedText | None = None

    @property
    def words(self) -> list[str]:
        """The stretches of words that the source does not say; none where it supports all."""
        if self.tags is None:
            return []
        return [self.tags.text[start:end] for start, end in runs(self.tags)] or _least(self.tags)

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "probability": self.probability,
            "supported": self.supported,
            "words": self.words,
            "chunk": self.chunk,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportReport:
    """Every claim of a text, with what its source says to it.

    `score` is the mean probability, as the metric `faithfulness` has it; a text without a sentence
    claims nothing and has 1. As a condition a report is true if all claims are supported.
    """

    source: str
    text: str
    claims: tuple[Claim, ...]
    score: float
    least: float
    signature: str

    @property
    def unsupported(self) -> tuple[Claim, ...]:
        """The claims that do not follow from the source, in the order of the text."""
        return tuple(claim for claim in self.claims if not claim.supported)

    def __bool__(self) -> bool:
        return not self.unsupported

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the source as plain values."""
        return {
            "text": self.text,
            "score": self.score,
            "least": self.least,
            "supported": bool(self),
            "claims": [claim.to_dict() for claim in self.claims],
            "signature": self.signature,
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    def __str__(self) -> str:
        return support_text(self)

    def _repr_html_(self) -> str:
        return support_fragment(self)


def support_reports(
    encoder: EditEncoder,
    pairs: Sequence[tuple[str, str]],
    *,
    chunking: Chunking | None = None,
    advance: Callable[[int], None] | None = None,
) -> list[SupportReport]:
    """Return a report for each pair of (source, text)."""
    chosen = chunking or Chunking()
    found = supports(encoder, pairs, chunking=chosen, advance=advance)
    lacking = list(dict.fromkeys(one for many in found for one in many if not one.supported))
    tags = dict(zip(lacking, _tags(encoder, lacking), strict=True))
    name = support_signature(encoder.card, chosen)
    return [
        _report(pair, [_claim(one, tags.get(one)) for one in many], name)
        for pair, many in zip(pairs, found, strict=True)
    ]


def support_signature(card: EncoderCard, chunking: Chunking) -> str:
    """Return what a report depends on, to the letter."""
    fields: dict[str, signature.Value] = {
        "model": card.model,
        "weights": f"{card.name}-{card.version}",
        "hash": card.fingerprint,
        "dtype": card.dtype,
        "tag": card.thresholds.tag,
        "chunk": chunking.words,
        "reach": chunking.reach,
    }
    return signature.signature("support", fields, _version.VERSION)


def _tags(encoder: EditEncoder, lacking: Sequence[SentenceSupport]) -> list[TaggedText]:
    """Tag the words of sentences against their chunks; an empty chunk says none of them."""
    sides = [(WordText.of(one.chunk), WordText.of(one.text)) for one in lacking]
    cut = encoder.card.thresholds.tag
    readings = encoder.read(sides)
    return [
        tagged_pair(side, reading, threshold=cut).b
        for side, reading in zip(sides, readings, strict=True)
    ]


def _claim(one: SentenceSupport, tags: TaggedText | None) -> Claim:
    return Claim(one.text, round(one.probability, _PLACES), one.supported, one.chunk, tags)


def _report(pair: tuple[str, str], claims: Sequence[Claim], name: str) -> SupportReport:
    every = [claim.probability for claim in claims] or [1.0]
    return SupportReport(
        source=pair[0],
        text=pair[1],
        claims=tuple(claims),
        score=round(sum(every) / len(every), _PLACES),
        least=min(every),
        signature=name,
    )


def _least(text: TaggedText) -> list[str]:
    """Return the word that the other text is least likely to say, where none is tagged."""
    chances = [
        (chance, place)
        for place, (word, chance) in enumerate(zip(text.words, text.probabilities, strict=True))
        if any(map(str.isalnum, word))
    ]
    return [text.words[min(chances)[1]]] if chances else []
