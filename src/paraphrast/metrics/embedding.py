"""Metrics that compare texts by their embeddings: what they share, and the plainest of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ConfigError, ParaphrastError
from paraphrast.metrics.base import (
    Batch,
    Card,
    MeanMetric,
    Place,
    Survey,
    choice,
)
from paraphrast.metrics.idf import Counting, Idf
from paraphrast.metrics.references import COMBINE
from paraphrast.metrics.weights import letter_counts, named_weights, signable, windows_note
from paraphrast.models.embedder.embedder_card import EmbedderCard
from paraphrast.models.scripts import language_note
from paraphrast.models.store import checked_name, find
from paraphrast.signature import Value
from paraphrast.types import Floats

if TYPE_CHECKING:
    from paraphrast.models.embedder.text_embedder import Embedder, Tokens

Vectors = NDArray[np.float32] | NDArray[np.float64]
# texts, windowed, letters, foreign letters, sub-words, known ones; then texts: without a known one,
# weightless, with characters and no sub-word
_COUNTS = 9
_CHARACTERS = 1 << 18  # of the texts whose states are held at once
_REMEMBERED = 1 << 19  # of texts whose states the embedder remembers until they are asked for
_STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_NO_FILES = ("", "true", "false", "yes", "no", *_STDIN)  # said of idf, none of them names a file
_MANY = 0.5  # share of unknown sub-words above which a note is due


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What a metric needs of one text: vectors with weights that add up to one, and counts."""

    vectors: Vectors
    weights: Floats
    subwords: int
    known: int
    windows: int

    @property
    def empty(self) -> bool:
        """Tell whether the text has no sub-word at all."""
        return not self.subwords

    @property
    def unknown(self) -> bool:
        """Tell whether it has some and the weights know none of them."""
        return bool(self.subwords) and not self.known

    @property
    def weightless(self) -> bool:
        """Tell whether it has known ones and idf weighs all of them zero."""
        return bool(self.known) and not self.weights.any()


@dataclass(frozen=True, kw_only=True)
class Embedding(MeanMetric):
    """What the metrics of the embedder share: weights, layer, references, notes.

    A comparison with a text of which the weights know no word, emoji or another script, is
    undefined: no number would mean anything. With several references those are left out.
    """

    model: str = "minilm"
    layer: int | None = None
    combine: str = "best"
    runs_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked_name(self.model, "embedder")
        choice("combine", self.combine, COMBINE)

    def prepare(self, place: Place) -> None:
        self.chosen_layer(self._embedder(place).card)

    def default_layer(self, card: EmbedderCard) -> int:
        """Return the layer that is read if none is asked for."""
        return card.layer

    def chosen_layer(self, card: EmbedderCard) -> int:
        """Return the layer that is read; one that is not there is a ConfigError."""
        return card.chosen(self.layer, self.default_layer(card))

    def describe(self) -> dict[str, Value]:
        """Name weights and layer by what they are: the default layer is given by its number."""
        try:
            layer = self.chosen_layer(self._card())
        except ParaphrastError:
            layer = -1 if self.layer is None else self.layer
        shown: Value = "default" if layer == -1 else layer
        return {**named_weights(self.model, self._card), "layer": shown, "refs": self.combine}

    def ahead(self, batches: Sequence[Batch]) -> None:
        """Read the texts of several systems in one go, if memory can hold their states."""
        columns = [column for one in batches for column in (one.candidates, one.refs)]
        texts = list(dict.fromkeys(text for column in columns for text in column.texts))
        if len(batches) > 1 and sum(map(len, texts)) <= _REMEMBERED:
            embedder = self._embedder(batches[0].place)
            embedder.tokens(texts, layer=self.chosen_layer(embedder.card))

    def stats(self, batch: Batch) -> Floats:
        """Return points and then counts for the notes."""
        embedder = self._embedder(batch.place)
        return np.concatenate([self._rows(embedder, batch, *span) for span in _spans(batch)])

    def _rows(self, embedder: Embedder, batch: Batch, first: int, last: int) -> Floats:
        offsets = batch.refs.offsets[first : last + 1]
        candidates = batch.candidates.texts[first:last]
        references = batch.refs.texts[offsets[0] : offsets[-1]]
        views = self._views(embedder, list(dict.fromkeys([*candidates, *references])))
        owners = np.repeat(np.arange(last - first), np.diff(offsets)).tolist()
        pairs = [(candidates[o], r) for o, r in zip(owners, references, strict=True)]
        values = np.array([self._pair(views[a], views[b]) for a, b in pairs])
        values = self.scaled(values, embedder.card)
        counts = _counts(views, embedder.card.languages)
        seen = np.array([counts[text] for text in candidates])
        starts = offsets[:-1] - offsets[0]
        seen += np.add.reduceat(np.array([counts[text] for text in references]), starts, axis=0)
        return np.hstack([combined(values, starts, self.combine), seen])

    def _views(self, embedder: Embedder, texts: list[str]) -> dict[str, View]:
        layer = self.chosen_layer(embedder.card)
        found = embedder.tokens(texts, layer=layer)
        return {text: self.view(tokens) for text, tokens in zip(texts, found, strict=True)}

    def _pair(self, candidate: View, reference: View) -> tuple[float, ...]:
        """Return score and parts of a pair; NaN if the comparison is undefined."""
        both = (candidate, reference)
        if any(view.unknown or view.weightless for view in both):
            return (float("nan"),) * (1 + len(self.parts()))
        if candidate.empty or reference.empty:
            return self.emptiness(candidate.empty and reference.empty)
        return self.compare(candidate, reference)

    @abstractmethod
    def view(self, tokens: Tokens) -> View:
        """Return what is needed of a text."""

    @abstractmethod
    def compare(self, candidate: View, reference: View) -> tuple[float, ...]:
        """Return score and parts for two texts that both have words."""

    @abstractmethod
    def emptiness(self, both: bool) -> tuple[float, ...]:
        """Return score and parts where one text has no word, or both."""

    def scaled(self, values: Floats, card: EmbedderCard) -> Floats:
        """Return the values of all pairs on the scale asked for."""
        return values

    def value(self, points: Floats) -> Floats:
        return super().value(points[:, :-_COUNTS])

    def notes(self, points: Floats) -> list[str]:
        counts = points[:, -_COUNTS:].sum(axis=0).astype(int).tolist()
        texts, windowed, total, foreign, subwords, known, unknown, weightless, unseen = counts
        card = self._card()
        found = [windows_note(windowed, texts, "texts", card.max_tokens)] if windowed else []
        if unknown:
            found.append(f"{_holding(unknown)} no word that the weights of {card.model!r} know")
        if unseen:
            found.append(f"{_holding(unseen)} characters, but no sub-word: scored as empty")
        if weightless:
            found.append(f"{_holding(weightless)} only sub-words that idf weighs 0")
        if subwords - known > _MANY * subwords:
            found.append(
                f"{(subwords - known) / subwords:.0%} of the sub-words are unknown to the weights "
                f"of {card.model!r}; the values may mean little"
            )
        warning = language_note(total, foreign, card)
        return [*found, warning] if warning else found

    def _card(self) -> EmbedderCard:
        return EmbedderCard.read(find(self.model, kind="embedder", download=False))

    def _embedder(self, place: Place) -> Embedder:
        from paraphrast.models.embedder.text_embedder import Embedder

        return Embedder.load(
            self.model, threads=place.threads, device=place.device, cache=place.cache
        )


@dataclass(frozen=True, kw_only=True)
class Weighted(Embedding):
    """Metrics that may weigh sub-words by how rare they are.

    `idf` is None (all weigh the same), "references" (of the corpus that is scored), or a file with
    a text in each row.
    """

    idf: str | Idf | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.idf, str | Idf | None) or str(self.idf).lower() in _NO_FILES:
            raise ConfigError(
                f"idf must be none, references (those of this corpus) or a file; got {self.idf!r}"
                + (", and standard input is for what is scored" if self.idf in _STDIN else "")
            )

    def corpus(self) -> str | None:
        return self.idf if isinstance(self.idf, str) else None

    def survey(self, place: Place) -> Survey:
        return Counting(self._embedder(place), lambda idf: replace(self, idf=idf))

    def describe(self) -> dict[str, Value]:
        """Name the idf by its counts, once they are known."""
        given = self.idf.digest if isinstance(self.idf, Idf) else signable(self.idf or "none")
        return {**super().describe(), "idf": given}

    def importance(self, tokens: Tokens) -> Floats:
        """Return the weight of each sub-word; special ones have none."""
        if isinstance(self.idf, Idf):
            return np.where(tokens.special, 0.0, self.idf.weights(tokens.ids))
        if self.idf is not None:
            raise ConfigError(f"{self.name}: the corpus for idf was not counted before scoring")
        return np.where(tokens.special, 0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class EmbeddingCosine(Embedding):
    """The cosine of the mean states of two texts."""

    name: ClassVar[str] = "embedding_cosine"
    card: ClassVar[Card] = Card(
        title="Cosine of sentence embeddings",
        summary="How near the candidate's meaning lies to the reference's: the cosine of their "
        "sentence embeddings. Word order and negation count for little.",
        formula="cos(mean of the candidate's states, mean of the reference's), over all sub-words "
        "with the special ones; last layer unless `layer` names another",
        paper="Reimers and Gurevych 2019, Sentence-BERT: Sentence Embeddings using Siamese "
        "BERT-Networks",
        range=(-1, 1),
        better="higher",
        empty="an empty text against another scores 0, two empty texts 1; undefined where the "
        "weights know no word of a text",
        usual="0 to 1",
    )

    def default_layer(self, card: EmbedderCard) -> int:
        return card.layers

    def view(self, tokens: Tokens) -> View:
        mean = tokens.states.mean(axis=0, keepdims=True)
        return view_of(tokens, unit(mean), np.ones(1))

    def compare(self, candidate: View, reference: View) -> tuple[float, ...]:
        cosine = float(candidate.vectors[0] @ reference.vectors[0])
        return (min(1.0, max(-1.0, cosine)),)

    def emptiness(self, both: bool) -> tuple[float, ...]:
        return (float(both),)


def view_of(tokens: Tokens, vectors: Vectors, weights: Floats) -> View:
    """Return a view with the weights made to add up to one; none can be if all are zero."""
    total = weights.sum()
    scaled = weights / total if total > 0 else weights
    return View(vectors, scaled, len(tokens), tokens.known, tokens.windows)


def unit(vectors: Vectors) -> Vectors:
    """Return the vectors at length one; a zero one stays."""
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    found: Vectors = vectors / np.maximum(norms, 1e-30)
    return found


def combined(values: Floats, starts: NDArray[np.int64], how: str) -> Floats:
    """Reduce rows per reference to [weight, *values] per segment.

    `best` takes the best of each column on its own, as bert-score does. Undefined references are
    left out; a segment that has no other gets weight 0.
    """
    defined = ~np.isnan(values[:, :1])
    count = np.add.reduceat(defined.astype(np.float64), starts, axis=0)
    if how == "best":
        found = np.maximum.reduceat(np.where(defined, values, -np.inf), starts, axis=0)
    else:
        found = np.add.reduceat(np.where(defined, values, 0.0), starts, axis=0)
        found = found / np.maximum(count, 1.0)
    return np.hstack([(count > 0).astype(np.float64), np.where(count > 0, found, 0.0)])


def _spans(batch: Batch) -> Iterator[tuple[int, int]]:
    """Cut a batch into segments `first` to `last` whose states fit into memory together."""
    sizes = np.array([len(text) for text in batch.refs.texts])
    sums = np.add.reduceat(sizes, batch.refs.offsets[:-1])
    first, held = 0, 0
    for place, text in enumerate(batch.candidates.texts):
        size = len(text) + int(sums[place])
        if place > first and held + size > _CHARACTERS:
            yield first, place
            first, held = place, 0
        held += size
    yield first, len(batch)


def _counts(views: dict[str, View], languages: Sequence[str]) -> dict[str, list[float]]:
    letters = letter_counts(views, languages)
    return {
        text: [
            *(1.0, view.windows > 1, *letters[text], view.subwords, view.known),
            *(view.unknown, view.weightless, view.empty and bool(text.strip())),
        ]
        for text, view in views.items()
    }


def _holding(count: int) -> str:
    return "1 text holds" if count == 1 else f"{count} texts hold"
