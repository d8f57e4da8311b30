"""Long texts: cut at sentences, decoded part by part, put together again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.generation.candidates import Candidate
from paraphrast.models.generator.language_model import LanguageModel
from paraphrast.models.generator.long_texts import sentences

WHOLE = 128  # sub-words up to which a text of several sentences is decoded in one piece


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text, what stands between the one before and it, and its share of the length."""

    text: str
    before: str
    share: float


def part(text: str, model: LanguageModel) -> list[Part]:
    """Cut a text into parts that the model can read and write; none if it is empty.

    Up to WHOLE sub-words it stays whole; a longer one is cut at sentences, and a sentence that is
    still too long at a pause or between words near its middle, again and again.
    """
    text = text.strip()
    if not text:
        return []
    room = min(model.max_source, model.max_target)
    if _length(text, model) <= min(room, WHOLE):
        return [Part(text, "", 1.0)]
    pieces = sentences(text, lambda piece: _length(piece, model) <= room)
    lengths = [_length(piece, model) for piece in pieces]
    return _placed(text, pieces, [length / sum(lengths) for length in lengths])


def _length(text: str, model: LanguageModel) -> int:
    return len(model.encode([text])[0])


def _placed(text: str, pieces: Sequence[str], shares: Sequence[float]) -> list[Part]:
    parts = []
    end = 0
    for piece, share in zip(pieces, shares, strict=True):
        start = text.index(piece, end)
        parts.append(Part(piece, text[end:start], share))
        end = start + len(piece)
    return parts


def joined(parts: Sequence[Part], chosen: Sequence[Candidate]) -> Candidate:
    """Put one candidate of each part together; log-probabilities add up, scores are averaged."""
    if len(chosen) == 1:
        return chosen[0]
    texts = [each.before + piece.text for each, piece in zip(parts, chosen, strict=True)]
    return Candidate(
        text="".join(texts).strip(),
        logprob=sum(piece.logprob for piece in chosen),
        tokens=sum(piece.tokens for piece in chosen),
        ids=tuple(token for piece in chosen for token in piece.ids),
        finished=all(piece.finished for piece in chosen),
        score=sum(piece.score for piece in chosen) / len(chosen),
        missing=tuple(dict.fromkeys(name for piece in chosen for name in piece.missing)),
    )
