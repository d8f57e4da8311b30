"""BLEU and what is built from it: sentence BLEU, iBLEU, self-BLEU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ConfigError
from paraphrast.metrics.base import (
    REFERENCES,
    SET,
    SOURCE,
    Batch,
    Card,
    MeanMetric,
    Metric,
    choice,
    weighted,
)
from paraphrast.metrics.references import closest_length
from paraphrast.signature import Value
from paraphrast.text.column import Column, Encoded
from paraphrast.text.ngrams import check_orders, clipped_matches, slices, take, totals
from paraphrast.text.tokenise import BLEU_TOKENISERS, Tokeniser, tokeniser_label
from paraphrast.types import Floats

_LOG_ZERO = -9999999999.0  # sacrebleu's logarithm of 0: exp() of it is 0 at any order
_TOKENS = 1 << 20  # tokens of siblings looked at together
_SMOOTHING = {"none": None, "floor": 0.1, "add-k": 1.0, "exp": None}
_PAPER = (
    "Papineni et al. 2002, BLEU: a Method for Automatic Evaluation of Machine Translation; "
    "Post 2018, A Call for Clarity in Reporting BLEU Scores"
)
_EMPTY = "an empty candidate or reference has no n-grams: it adds nothing to the matches"


@dataclass(frozen=True, kw_only=True)
class _Bleu(Metric):
    """Options and formula that every member of the family shares."""

    tokenize: str = "13a"
    lowercase: bool = False
    smooth_method: str = "exp"
    smooth_value: float | None = None
    effective_order: bool = False
    max_ngram_order: int = 4

    def __post_init__(self) -> None:
        choice("tokenize", self.tokenize, BLEU_TOKENISERS)
        choice("smooth_method", self.smooth_method, tuple(_SMOOTHING))
        if self.smooth_value is not None and self.smooth_value < 0:
            raise ConfigError(f"smooth_value must not be negative; got {self.smooth_value}")
        check_orders("max_ngram_order", self.max_ngram_order)

    @property
    def tokeniser(self) -> Tokeniser:
        return Tokeniser(self.tokenize, lowercase=self.lowercase)

    def describe(self) -> dict[str, Value]:
        default = _SMOOTHING[self.smooth_method]
        smooth = self.smooth_method
        if default is not None:
            value = default if self.smooth_value is None else self.smooth_value
            smooth += f"[{float(value)!r}]"
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": self.effective_order,
            "tok": tokeniser_label(self.tokenize),
            "smooth": smooth,
            "order": self.max_ngram_order,
        }

    def parts(self) -> tuple[str, ...]:
        """Name the columns after the score; precisions depend on the order."""
        return tuple(_parts(self.max_ngram_order)) if "bp" in self.card.parts else super().parts()

    def counts(self, candidates: Column, references: Column) -> Floats:
        """Return `[candidate length, reference length, matches 1..N, totals 1..N]` rows."""
        return bleu_counts(
            candidates.encoded(self.tokeniser),
            references.encoded(self.tokeniser),
            references,
            self.max_ngram_order,
        )

    def compute(self, counts: Floats, *, effective: bool) -> Floats:
        """Return columns score, precisions 1..N, brevity penalty, ratio, lengths."""
        return bleu_value(
            counts,
            method=self.smooth_method,
            smooth_value=self.smooth_value,
            effective=effective,
        )

    def value(self, points: Floats) -> Floats:
        return self.compute(points, effective=self.effective_order)

    def segment_value(self, points: Floats) -> Floats:
        return self.compute(points, effective=True)


def bleu_counts(left: Encoded, right: Encoded, references: Column, orders: int) -> Floats:
    """Return BLEU's statistics per segment, clipped over all references of the segment."""
    segments = np.arange(len(references))
    owners = references.owners
    matches = clipped_matches(left, right, segments, owners, len(segments), orders)
    lengths = left.lengths
    closest = closest_length(lengths, right.lengths, references)
    return np.column_stack([lengths, closest, matches, totals(lengths, orders)]).astype(np.float64)


def bleu_value(
    counts: Floats, *, method: str, smooth_value: float | None, effective: bool
) -> Floats:
    """Return score, precisions, brevity penalty, ratio and both lengths for each row of counts.

    Smoothing as Chen and Cherry (2014) number it: floor = 1, add-k = 2, exp = 3 (mteval-v13a).
    """
    orders = (counts.shape[1] - 2) // 2
    length, reference = counts[:, 0], counts[:, 1]
    correct, total = counts[:, 2 : 2 + orders], counts[:, 2 + orders :]
    precisions, used = _precisions(correct, total, method, smooth_value, effective)
    ratio = np.divide(reference, length, out=np.full(len(length), np.inf), where=length > 0)
    penalty = np.where(length < reference, np.exp(1.0 - np.maximum(ratio, 1.0)), 1.0)
    logs = np.where(precisions > 0, np.log(np.where(precisions > 0, precisions, 1.0)), _LOG_ZERO)
    logs[np.arange(orders) >= used[:, None]] = 0.0
    matched = np.any(correct > 0, axis=1, keepdims=True)[:, 0]
    score = np.where(matched, penalty * np.exp(logs.sum(axis=1) / used), 0.0)
    precisions = np.where(matched[:, None], precisions, 0.0)
    inverse = np.divide(length, reference, out=np.zeros(len(length)), where=reference > 0)
    return np.column_stack([score, precisions, penalty, inverse, length, reference])


def _precisions(
    correct: Floats, total: Floats, method: str, smooth_value: float | None, effective: bool
) -> tuple[Floats, Floats]:
    """Return smoothed precisions in percent and the number of orders that count."""
    rows, orders = correct.shape
    smooth = _SMOOTHING[method] if smooth_value is None else smooth_value
    precisions = np.zeros((rows, orders))
    alive = np.ones(rows, dtype=bool)  # False from the first order without any n-gram on
    used = np.full(rows, float(orders))
    halving = np.ones(rows)
    for n in range(orders):
        extra = float(smooth or 0.0) if method == "add-k" and n > 0 else 0.0
        hits, all_ = correct[:, n] + extra, total[:, n] + extra
        alive &= all_ > 0
        if effective:
            used = np.where(alive, n + 1.0, used)
        numerator = hits
        if method == "exp":
            halving = np.where(alive & (hits == 0), halving * 2, halving)
            numerator = np.where(hits == 0, 1.0 / halving, hits)
        elif method == "floor":
            numerator = np.where(hits == 0, float(smooth or 0.0), hits)
        np.divide(100.0 * numerator, all_, out=precisions[:, n], where=alive)
    return precisions, used


def _parts(orders: int = 4) -> dict[str, str]:
    named = {f"precision_{n}": f"clipped {n}-gram precision, percent" for n in range(1, orders + 1)}
    return {
        **named,
        "bp": "brevity penalty",
        "ratio": "candidate length / reference length",
        "sys_len": "candidate tokens",
        "ref_len": "tokens of the closest references",
    }


@dataclass(frozen=True, kw_only=True)
class Bleu(_Bleu):
    """Corpus BLEU, equal to sacrebleu's."""

    name: ClassVar[str] = "bleu"
    card: ClassVar[Card] = Card(
        title="BLEU",
        summary="Clipped n-gram precision with a brevity penalty, over the whole corpus.",
        formula="100 · min(1, exp(1 − r/c)) · exp(mean over n = 1..4 of ln p_n)",
        paper=_PAPER,
        range=(0, 100),
        digits=2,
        better="higher",
        empty=_EMPTY,
        parts=_parts(),
    )

    def stats(self, batch: Batch) -> Floats:
        return self.counts(batch.candidates, batch.refs)


@dataclass(frozen=True, kw_only=True)
class SentenceBleu(MeanMetric, _Bleu):
    """Mean of sacrebleu's sentence BLEU."""

    effective_order: bool = True
    name: ClassVar[str] = "sentence_bleu"
    card: ClassVar[Card] = Card(
        title="Sentence BLEU",
        summary="BLEU of each segment on its own; the corpus value is their mean.",
        formula="mean over segments of BLEU(segment), orders up to the candidate's length",
        paper=_PAPER,
        range=(0, 100),
        digits=2,
        better="higher",
        empty="a segment with an empty candidate or reference scores 0",
        parts=_parts(),
    )

    def stats(self, batch: Batch) -> Floats:
        counts = self.counts(batch.candidates, batch.refs)
        return weighted(self.compute(counts, effective=self.effective_order))


@dataclass(frozen=True, kw_only=True)
class SelfBleuSource(_Bleu):
    """BLEU of the candidates against their own input."""

    name: ClassVar[str] = "self_bleu_source"
    needs: ClassVar[frozenset[str]] = frozenset({SOURCE})
    card: ClassVar[Card] = Card(
        title="Self-BLEU against the source",
        summary="BLEU with the input as the reference: how much of it was copied.",
        formula="BLEU(candidates, sources)",
        paper="called self-BLEU in paraphrase generation; self_bleu_pairwise is the other one",
        range=(0, 100),
        digits=2,
        better="lower",
        empty=_EMPTY,
        parts=_parts(),
    )

    def stats(self, batch: Batch) -> Floats:
        return self.counts(batch.candidates, batch.srcs)


@dataclass(frozen=True, kw_only=True)
class IBleu(_Bleu):
    """BLEU against the references less BLEU against the source."""

    alpha: float = 0.8
    name: ClassVar[str] = "ibleu"
    needs: ClassVar[frozenset[str]] = frozenset({REFERENCES, SOURCE})
    card: ClassVar[Card] = Card(
        title="iBLEU",
        summary="Rewards closeness to the references and punishes copying the source.",
        formula="α · BLEU(candidates, references) − (1 − α) · BLEU(candidates, sources)",
        paper="Sun and Zhou 2012, Joint Learning of a Dual SMT System for Paraphrase Generation",
        range=(-100, 100),
        digits=2,
        better="higher",
        empty=_EMPTY,
        parts={"bleu": "BLEU against the references", "self_bleu": "BLEU against the source"},
    )

    def __post_init__(self) -> None:
        _Bleu.__post_init__(self)
        if not 0 <= self.alpha <= 1:
            raise ConfigError(f"alpha must be between 0 and 1; got {self.alpha}")

    def describe(self) -> dict[str, Value]:
        return {"alpha": float(self.alpha), **_Bleu.describe(self)}

    def stats(self, batch: Batch) -> Floats:
        return np.hstack(
            [
                self.counts(batch.candidates, batch.refs),
                self.counts(batch.candidates, batch.srcs),
            ]
        )

    def compute(self, counts: Floats, *, effective: bool) -> Floats:
        half = counts.shape[1] // 2
        target = _Bleu.compute(self, counts[:, :half], effective=effective)[:, 0]
        copied = _Bleu.compute(self, counts[:, half:], effective=effective)[:, 0]
        score = self.alpha * target - (1 - self.alpha) * copied
        return np.column_stack([score, target, copied])


@dataclass(frozen=True, kw_only=True)
class SelfBleuPairwise(MeanMetric, _Bleu):
    """Mean BLEU of each candidate of a set against its siblings."""

    effective_order: bool = True
    name: ClassVar[str] = "self_bleu_pairwise"
    needs: ClassVar[frozenset[str]] = frozenset({SET})
    card: ClassVar[Card] = Card(
        title="Self-BLEU between candidates",
        summary="How alike the candidates of one segment are: low means a diverse set.",
        formula="mean over segments of the mean over candidates y of BLEU(y, the others)",
        paper="Zhu et al. 2018, Texygen: A Benchmarking Platform for Text Generation Models",
        range=(0, 100),
        digits=2,
        better="lower",
        empty="an empty candidate scores 0 against its siblings; a set of one is not counted",
    )

    def stats(self, batch: Batch) -> Floats:
        column = batch.candidates
        encoded = column.encoded(self.tokeniser)
        sizes = column.counts[column.owners]
        owner = np.flatnonzero(sizes > 1)  # the texts that have siblings
        if len(owner) == 0:
            return np.zeros((len(batch), 2))
        tokens = np.bincount(column.owners, weights=encoded.lengths).astype(np.int64)
        cost = tokens[column.owners[owner]] + sizes[owner]
        scores = np.concatenate(
            [self._against_siblings(column, owner[part]) for part in slices(cost, _TOKENS)]
        )
        segments = column.owners[owner]
        count = np.bincount(segments, minlength=len(batch))
        total = np.bincount(segments, weights=scores, minlength=len(batch))
        return np.column_stack([count > 0, total / np.maximum(count, 1)]).astype(np.float64)

    def _against_siblings(self, column: Column, texts: NDArray[np.int64]) -> Floats:
        """Return the BLEU of each of these texts against the others of its segment."""
        encoded = column.encoded(self.tokeniser)
        segment = column.owners[texts]
        first, last = column.offsets[segment], column.offsets[segment + 1]
        siblings = [
            np.delete(np.arange(a, b), text - a)
            for a, b, text in zip(first, last, texts, strict=True)
        ]
        bounds = np.r_[0, np.cumsum([len(group) for group in siblings])]
        others = Column([""] * int(bounds[-1]), column.lexicon, bounds)
        right = take(encoded, np.concatenate(siblings))
        counts = bleu_counts(take(encoded, texts), right, others, self.max_ngram_order)
        return self.compute(counts, effective=self.effective_order)[:, 0]
