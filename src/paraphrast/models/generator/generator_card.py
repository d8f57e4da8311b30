"""The card of a generator: its kind, its special ids, the shape of its decoder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from paraphrast.errors import ModelError
from paraphrast.models.card_entries import Entries
from paraphrast.models.generator.language_model import CAUSAL, SEQ2SEQ
from paraphrast.models.generator.subword_text import Frame
from paraphrast.models.weights_card import (
    TOKENISER,
    WeightsCard,
    open_card,
    shared_entries,
    short_hash,
)

KIND = "paraphrast generator"
EMBEDDINGS, ENCODER, DECODER = "embeddings.onnx", "encoder.onnx", "decoder.onnx"
FILES = {
    SEQ2SEQ: (EMBEDDINGS, ENCODER, DECODER, TOKENISER),
    CAUSAL: (EMBEDDINGS, DECODER, TOKENISER),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorCard(WeightsCard):
    """`max_tokens` are those of a source; `start` begins what a seq2seq decoder writes.

    `codes` and `copied`: see Frame.
    """

    architecture: str
    vocabulary: int
    end: int
    start: int | None
    separator: int | None
    prefix: str
    codes: tuple[int, ...]
    copied: float
    max_target: int
    layers: int
    heads: int  # that have keys of their own
    size: int

    @classmethod
    def read(cls, directory: Path) -> GeneratorCard:
        """Read the card of a generator directory; whatever is wrong with it is a ModelError."""
        card = open_card(directory, KIND, "a generator")
        kind = card.text("architecture")
        if kind not in FILES:
            raise ModelError(
                f"{card.path}: the architecture must be {' or '.join(FILES)}; got {kind!r}"
            )
        words = card.whole("vocabulary", 2)
        decoder = card.inner("decoder")
        return cls(
            **shared_entries(directory, card, needed=FILES[kind]),
            architecture=kind,
            vocabulary=words,
            end=_token(card, "end", words),
            start=_token(card, "start", words) if kind == SEQ2SEQ else None,
            separator=_token(card, "separator", words) if "separator" in card.entries else None,
            prefix=card.text("prefix") if "prefix" in card.entries else "",
            codes=_codes(card, words),
            copied=card.number("copied") if "codes" in card.entries else 0.0,
            max_target=card.whole("max_target", 1),
            layers=decoder.whole("layers", 1),
            heads=decoder.whole("heads", 1),
            size=decoder.whole("size", 1),
        )

    @property
    def fingerprint(self) -> str:
        """A short hash of all that results depend on."""
        ids = (self.end, self.start, self.separator, self.prefix, self.codes, self.copied)
        return short_hash(dict(self.files), self.max_tokens, self.max_target, *ids)

    @property
    def frame(self) -> Frame:
        special = (self.end, self.separator, self.prefix, self.codes, self.copied)
        return Frame(self.architecture, *special)


def _token(card: Entries, key: str, words: int) -> int:
    found = card.whole(key, 0)
    if found >= words:
        raise ModelError(f"{card.path}: {key!r} is {found}, but there are {words} sub-words")
    return found


def _codes(card: Entries, words: int) -> tuple[int, ...]:
    found = card.numbers("codes") if "codes" in card.entries else ()
    if any(code != int(code) or not 0 <= code < words for code in found):
        raise ModelError(f"{card.path}: 'codes' must be ids, of which there are {words}")
    return tuple(map(int, found))
