"""ParaTag's generation score, the BARTScore kind: how probable each text is, given the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paraphrast.metrics.base import Batch, Card, Place, choice
from paraphrast.metrics.likelihood import COUNTS, Likelihood, Pair, Reader, SubwordCount, Sum
from paraphrast.metrics.references import COMBINE, best
from paraphrast.models.encoder.pair_windows import meetings
from paraphrast.models.generator.long_texts import sentences
from paraphrast.signature import Value
from paraphrast.text.column import Column
from paraphrast.types import Floats

_NORMS = ("mean", "sum")
_UNDEFINED = (float("nan"),) * 4


@dataclass(frozen=True, slots=True)
class _Plan:
    """The pieces of a candidate and of a reference, and which of them meet."""

    candidate: tuple[str, ...]
    reference: tuple[str, ...]
    met: tuple[tuple[int, int], ...]
    limited: bool

    @property
    def windowed(self) -> bool:
        return len(self.candidate) + len(self.reference) > 2

    def needed_pairs(self) -> list[Pair]:
        """Return the pairs whose probability is needed, both ways round."""
        there = [(self.reference[j], self.candidate[i]) for i, j in self.met]
        return there + [(target, source) for source, target in there]

    def sums(self, known: dict[Pair, Sum]) -> tuple[Sum, Sum]:
        """Return the candidate's log-probability and sub-words, and the reference's.

        Each piece is as probable as the piece of the other text makes it that explains it best.
        """
        there: dict[int, Sum] = {}
        back: dict[int, Sum] = {}
        for i, j in self.met:
            one, other = self.candidate[i], self.reference[j]
            there[i] = max(known[other, one], there.get(i, (-np.inf, 0)))
            back[j] = max(known[one, other], back.get(j, (-np.inf, 0)))
        return _total(there.values()), _total(back.values())


@dataclass(frozen=True, kw_only=True)
class GenerationScore(Likelihood):
    """How probable a generator finds candidate and reference, each given the other."""

    combine: str = "best"
    norm: str = "mean"
    name: ClassVar[str] = "generation_score"
    unit: ClassVar[str] = "pairs"
    card: ClassVar[Card] = Card(
        title="Generation score",
        summary="How probable a paraphrase generator finds the candidate given the reference (P) "
        "and the reference given the candidate (R): the mean log-probability in nats per sub-word. "
        "0 is certain, −1 about one in 2.7 for each sub-word, −2.3 one in ten. Only for the same "
        "weights are values comparable. norm=sum adds the sub-words up instead of averaging them, "
        "so that longer texts score lower: the G of the Prism paper. Prism itself takes means, "
        "as norm=mean does, from a multilingual translation model.",
        formula="P = mean over the candidate's sub-words, its end included, of log p(sub-word | "
        "those before it, reference), the model being told how much of the reference the candidate "
        "copies if it was taught to listen; R with the two exchanged; F = (P + R) / 2, which is "
        "the score; in pairs longer than the model reads, each sentence given that sentence of the "
        "other text which makes it most probable",
        paper="Wang et al. 2022, ParaTag: A Dataset of Paraphrase Tagging for Fine-Grained Labels, "
        "NLG Evaluation, and Data Augmentation, §5.2; Yuan et al. 2021, BARTScore: Evaluating "
        "Generated Text as Text Generation; Thompson and Post 2020, Automatic Machine Translation "
        "Evaluation in Many Languages via Zero-Shot Paraphrasing (Prism)",
        range=(float("-inf"), 0),
        better="higher",
        empty="two empty texts score 0, and no model is asked; of an empty text against another "
        "the model is asked, and the end is its only sub-word, so that with norm=sum, which "
        "favours short texts, it may beat all others; undefined where the weights know no word of "
        "a text",
        parts={
            "P": "the candidate given the reference",
            "R": "the reference given the candidate",
            "F": "(P + R) / 2",
        },
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("combine", self.combine, COMBINE)
        choice("norm", self.norm, _NORMS)

    def prepare(self, place: Place) -> None:
        """Refuse a model that takes no source, too."""
        self.load(place).encode(["a"])

    def describe(self) -> dict[str, Value]:
        return {**super().describe(), "refs": self.combine, "norm": self.norm}

    def stats(self, batch: Batch) -> Floats:
        """Return points and then counts for the notes."""
        reader = Reader(self.load(batch.place))
        candidates, references = batch.candidates.texts, batch.refs.texts
        owners = batch.refs.owners.tolist()
        pairs = [(candidates[o], text) for o, text in zip(owners, references, strict=True)]
        subword_counts = reader.subword_counts([*candidates, *references])
        plans: dict[Pair, _Plan | None] = {}
        for owner, pair in zip(owners, pairs, strict=True):
            if pair not in plans:
                plans[pair] = _plan(reader, pair, subword_counts, batch.start + owner + 1)
        sums = reader.sums(one for plan in plans.values() if plan for one in plan.needed_pairs())
        values = np.array([self._values(pair, plans[pair], sums, subword_counts) for pair in pairs])
        counts = self.text_counts(subword_counts)
        seen = np.array([(1, *_windows(plans[p]), *counts[p[1]]) for p in pairs], dtype=np.float64)
        seen = np.add.reduceat(seen, batch.refs.offsets[:-1], axis=0)
        seen[:, 3:] += np.array([counts[text] for text in candidates])
        return np.hstack([_combined(values, batch.refs, self.combine), seen])

    def _values(
        self,
        pair: Pair,
        plan: _Plan | None,
        sums: dict[Pair, Sum],
        subwords: dict[str, SubwordCount],
    ) -> tuple[float, ...]:
        """Return score and parts of a pair; NaN where they are undefined."""
        if any(subwords[text].unknown for text in pair):
            return _UNDEFINED
        if plan is None:
            return (0.0,) * 4
        p, r = (
            total if self.norm == "sum" else total / tokens for total, tokens in plan.sums(sums)
        )
        f = (p + r) / 2
        return f, p, r, f

    def value(self, points: Floats) -> Floats:
        return super().value(points[:, :-COUNTS])


def _plan(
    reader: Reader, pair: Pair, subwords: dict[str, SubwordCount], segment: int
) -> _Plan | None:
    """Return what is to be read of a pair: nothing of two empty texts or of an unknown one.

    If one of the two is too long, both are read sentence by sentence.
    """
    views = [subwords[text] for text in pair]
    if any(one.unknown for one in views) or not any(one.subwords for one in views):
        return None
    if all(map(reader.fits, pair)):
        return _Plan((pair[0],), (pair[1],), ((0, 0),), limited=False)
    mine, theirs = (
        reader.checked(sentences(text, reader.fits) or [""], reader.fits, segment) for text in pair
    )
    met, limited = meetings(len(mine), len(theirs))
    return _Plan(tuple(mine), tuple(theirs), tuple(met), limited)


def _windows(plan: _Plan | None) -> tuple[bool, bool]:
    return (plan.windowed, plan.limited) if plan else (False, False)


def _total(sums: Iterable[Sum]) -> Sum:
    found = list(sums)
    return sum(total for total, _ in found), sum(tokens for _, tokens in found)


def _combined(values: Floats, references: Column, how: str) -> Floats:
    """Reduce rows per reference to [weight, *values] per segment: best first column, or the mean.

    Undefined references are left out; a segment that has no other gets weight 0.
    """
    starts: NDArray[np.int64] = references.offsets[:-1]
    defined = ~np.isnan(values[:, 0])
    count = np.add.reduceat(defined.astype(np.float64), starts)[:, None]
    if how == "best":
        found = values[best(np.where(defined, values[:, 0], -np.inf), references)]
    else:
        sums = np.add.reduceat(np.where(defined[:, None], values, 0.0), starts, axis=0)
        found = sums / np.maximum(count, 1.0)
    return np.hstack([(count > 0).astype(np.float64), np.where(count > 0, found, 0.0)])
