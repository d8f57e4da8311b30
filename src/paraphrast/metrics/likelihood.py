"""What metrics that ask a language model how probable texts are share, and the plainest of them.

A generator that is told how much to copy (models/lm_text.Frame) is told what is true of each pair.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from paraphrast.errors import InputError, ParaphrastError
from paraphrast.metrics.base import Batch, Card, MeanMetric, Place
from paraphrast.metrics.weights import letter_counts, signable, windows_note
from paraphrast.models.generator.generator_card import GeneratorCard
from paraphrast.models.generator.long_texts import Fits, packed
from paraphrast.models.generator.text_likelihood import token_logprobs
from paraphrast.models.scripts import language_note
from paraphrast.models.store import checked_name, find
from paraphrast.signature import Value
from paraphrast.types import Floats

if TYPE_CHECKING:
    from paraphrast.models.generator.language_model import LanguageModel

Pair = tuple[str, str]  # a source, and the target whose probability is asked for
Sum = tuple[float, int]  # of log-probabilities, and over how many sub-words

# texts or pairs, windowed, limited; letters, foreign letters, sub-words, known ones, texts that
# have none of these
COUNTS = 8
_MANY = 0.5  # share of unknown sub-words above which a note is due


@dataclass(frozen=True, slots=True)
class _Facts:
    """What signature and notes need of a model, once it was loaded."""

    name: str
    fingerprint: str
    dtype: str
    reads: int
    writes: int


_LOADED: dict[str, _Facts] = {}  # by the name asked for; a model of transformers has no card


@dataclass(frozen=True, slots=True)
class SubwordCount:
    """How many sub-words a text has, and how many of them the model knows."""

    subwords: int
    known: int

    @property
    def unknown(self) -> bool:
        """Tell whether it has some and the weights know none of them."""
        return bool(self.subwords) and not self.known


class Reader:
    """A language model, and what a batch asks of it: each distinct pair once."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._known = np.array([any(map(str.isalnum, piece)) for piece in model.pieces()])

    def subword_counts(self, texts: Iterable[str]) -> dict[str, SubwordCount]:
        """Look at each distinct text."""
        distinct = list(dict.fromkeys(texts))
        ids = [found[:-1] for found in self._model.targets(distinct)]
        return {
            text: SubwordCount(len(one), int(self._known[one].sum()))
            for text, one in zip(distinct, ids, strict=True)
        }

    def sums(self, pairs: Iterable[Pair]) -> dict[Pair, Sum]:
        """Return the log-probability of each target, and how many sub-words have it."""
        distinct = list(dict.fromkeys(pairs))
        sources, targets = [one for one, _ in distinct], [one for _, one in distinct]
        found = token_logprobs(self._model, sources, targets)
        return {
            pair: (float(one.sum(dtype=np.float64)), len(one))
            for pair, one in zip(distinct, found, strict=True)
        }

    def fits_decoder(self, text: str) -> bool:
        """Tell whether the model can write a text at once."""
        return len(self._model.targets([text])[0]) <= self._model.max_target

    def fits(self, text: str) -> bool:
        """Tell whether the model can read and write a text at once."""
        return len(self._model.encode([text])[0]) <= self._model.max_source and self.fits_decoder(
            text
        )

    def checked(self, pieces: list[str], fits: Fits, segment: int) -> list[str]:
        """Return the pieces; a model that is too small for a single character is refused."""
        for piece in pieces:
            if not fits(piece):
                raise InputError(
                    f"segment {segment}: the model {self._model.name!r} reads "
                    f"{self._model.max_source} sub-words and writes {self._model.max_target}, "
                    f"fewer than {piece!r} has; take another model"
                )
        return pieces


@dataclass(frozen=True, kw_only=True)
class Likelihood(MeanMetric):
    """What the metrics of a language model share: the weights and the notes.

    A text of which the weights know no word is undefined: all such texts are alike to the model.
    """

    model: str = "paraphraser"
    runs_model: ClassVar[bool] = True
    unit: ClassVar[str]  # what is counted in notes

    def __post_init__(self) -> None:
        checked_name(self.model, "generator")

    def prepare(self, place: Place) -> None:
        self.load(place)

    def describe(self) -> dict[str, Value]:
        """Name the weights by what they are; without them there is no hash."""
        name = checked_name(self.model, "generator")
        if card := self._card():
            weights = f"{card.name}-{card.version}"
            return _named(card.model, weights, card.fingerprint, card.dtype)
        if facts := _LOADED.get(name):
            return _named(facts.name, "transformers", facts.fingerprint, facts.dtype)
        return {"model": signable(name), "weights": "missing"}

    def notes(self, points: Floats) -> list[str]:
        counts = points[:, -COUNTS:].sum(axis=0).astype(int).tolist()
        read, windowed, limited, total, foreign, subwords, known, unknown = counts
        facts = _LOADED[checked_name(self.model, "generator")]
        found = []
        if windowed:
            found.append(windows_note(windowed, read, self.unit, self.limit(facts)))
        if limited:
            found.append(
                f"{limited} of {read} pairs had so many windows that each was compared only with "
                "those nearest to its place in the other text"
            )
        if unknown:
            holding = "1 text holds" if unknown == 1 else f"{unknown} texts hold"
            found.append(f"{holding} no word that the weights of {facts.name!r} know")
        if subwords - known > _MANY * subwords:
            found.append(
                f"{(subwords - known) / subwords:.0%} of the sub-words are unknown to the weights "
                f"of {facts.name!r}; the values may mean little"
            )
        card = self._card()
        warning = language_note(total, foreign, card) if card else None
        return [*found, warning] if warning else found

    def limit(self, facts: _Facts) -> int:
        """Return how many sub-words a text may have to be read at once."""
        return min(facts.reads, facts.writes)

    def _card(self) -> GeneratorCard | None:
        try:
            return GeneratorCard.read(find(self.model, kind="generator", download=False))
        except ParaphrastError:
            return None

    def load(self, place: Place) -> LanguageModel:
        """Load the model, and note what signature and notes need of it."""
        from paraphrast.models.generator.generator_loading import load_generator

        model = load_generator(self.model, threads=place.threads, device=place.device)
        facts = (model.name, model.fingerprint, model.dtype, model.max_source, model.max_target)
        _LOADED[checked_name(self.model, "generator")] = _Facts(*facts)
        return model

    def text_counts(self, subword_counts: dict[str, SubwordCount]) -> dict[str, Floats]:
        """Count, for the notes, what can be counted of each text by itself."""
        card = self._card()
        letters = (
            letter_counts(subword_counts, card.languages)
            if card
            else dict.fromkeys(subword_counts, (0, 0))
        )
        return {
            text: np.array([*letters[text], one.subwords, one.known, one.unknown], dtype=np.float64)
            for text, one in subword_counts.items()
        }


@dataclass(frozen=True, kw_only=True)
class Perplexity(Likelihood):
    """How fluent a text is by itself.

    Points are `[weight, log-probability, sub-words]`: the corpus value weighs every sub-word the
    same, so it is not the mean of the segments. The weight only marks where it is defined.
    """

    name: ClassVar[str] = "perplexity"
    needs: ClassVar[frozenset[str]] = frozenset()
    unit: ClassVar[str] = "texts"
    card: ClassVar[Card] = Card(
        title="Perplexity",
        summary="How fluent the candidate is by itself: between how many equally probable "
        "sub-words the model would have to choose, at each place, to be as uncertain as it is; 1 "
        "is certain. Only for the same weights are values comparable. A seq2seq model gets an "
        "empty source.",
        formula="exp(−Σ log p(sub-word | those before it) / number of sub-words), the end of a "
        "text included; the corpus value takes both sums over all texts; a text longer than the "
        "model writes is read in windows of whole sentences",
        paper="Jelinek et al. 1977, Perplexity: A Measure of the Difficulty of Speech Recognition "
        "Tasks",
        range=(1, float("inf")),
        better="lower",
        empty="undefined for an empty text, and for one of which the weights know no word; such "
        "segments are counted and left out",
        digits=2,
    )

    def stats(self, batch: Batch) -> Floats:
        reader = Reader(self.load(batch.place))
        texts = batch.candidates.texts
        subword_counts = reader.subword_counts(texts)
        counts = self.text_counts(subword_counts)
        pieces: dict[str, list[str]] = {}
        for row, text in enumerate(texts, batch.start + 1):
            if text not in pieces:
                pieces[text] = self._pieces(reader, text, row) if subword_counts[text].known else []
        sums = reader.sums(("", piece) for many in pieces.values() for piece in many)
        found = {
            text: np.sum([sums["", piece] for piece in many], axis=0) if many else np.zeros(2)
            for text, many in pieces.items()
        }
        return np.array(
            [[bool(pieces[t]), *found[t], 1, len(pieces[t]) > 1, 0, *counts[t]] for t in texts],
            dtype=np.float64,
        )

    def _pieces(self, reader: Reader, text: str, segment: int) -> list[str]:
        if reader.fits_decoder(text):
            return [text]
        return reader.checked(packed(text, reader.fits_decoder), reader.fits_decoder, segment)

    def value(self, points: Floats) -> Floats:
        logprob, tokens = points[:, 1:2], points[:, 2:3]
        undefined = np.full_like(logprob, np.nan)
        return np.exp(-np.divide(logprob, tokens, out=undefined, where=tokens > 0))

    def limit(self, facts: _Facts) -> int:
        return facts.writes


def _named(model: str, weights: str, fingerprint: str, dtype: str) -> dict[str, Value]:
    return {"model": signable(model), "weights": weights, "hash": fingerprint, "dtype": dtype}
