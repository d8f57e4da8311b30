"""How candidates are put in order: by a metric, a sum of metrics, expected risk or probability.

The word overlaps of equation 5 stand here too; novelty and the distance within a set use them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from paraphrast.errors import ConfigError
from paraphrast.generation.candidates import Candidate
from paraphrast.metrics.base import SOURCE, Metric, Place
from paraphrast.metrics.pair_scores import SegmentTexts, score_pairs
from paraphrast.metrics.references import paired_matches
from paraphrast.metrics.rouge import f_rows, lcs_counts
from paraphrast.metrics.run import labels
from paraphrast.text.column import Column, Vocabularies
from paraphrast.text.tokenise import Tokeniser
from paraphrast.types import Direction, Floats

_PAIRS = 1 << 16  # pairs of candidates held together
_BLOCK = 1 << 14  # pairs compared together
_WORDS = Tokeniser("unicode")  # that of rouge_p


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Of each pair of a candidate and its source: figures, and lengths in words."""

    rouge1: Floats  # recall of the source
    rouge_l: Floats  # F
    words: Floats
    source_words: Floats


def overlaps(candidates: Sequence[str], sources: Sequence[str]) -> Overlaps:
    """Compare texts pair by pair; a text without a word shares nothing."""
    blocks = [
        _overlaps(candidates[at : at + _BLOCK], sources[at : at + _BLOCK])
        for at in range(0, len(candidates), _BLOCK)
    ]
    columns = np.concatenate([np.zeros((4, 0)), *blocks], axis=1)
    return Overlaps(*columns)


def _overlaps(candidates: Sequence[str], sources: Sequence[str]) -> Floats:
    lexicon = Vocabularies()
    left, right = Column(list(candidates), lexicon), Column(list(sources), lexicon)
    rouge_l = f_rows(*lcs_counts(left, right, _WORDS))[:, 0]
    mine, theirs = left.encoded(_WORDS), right.encoded(_WORDS)
    recall = paired_matches(mine, theirs, 1)[:, 0] / np.maximum(theirs.lengths, 1)
    return np.stack([recall, rouge_l, mine.lengths, theirs.lengths])


@dataclass(frozen=True, kw_only=True)
class Harmonic:
    """R1·(1 − RL)·w / (R1 + (1 − RL)·w), times a penalty for candidates longer than the source.

    R1 is the ROUGE-1 recall of the source, RL the ROUGE-L F with it; a higher w prefers adequacy to
    novelty. The penalty has the form of BLEU's, the other way round as in ROUGE-P, since a recall
    can be raised by saying more: exp(1 − |candidate| / |source|) where the candidate has more
    words. RL must lie within `lower` and `upper`.
    """

    w: float = 3.0
    lower: float = 0.0
    upper: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.w < math.inf:
            raise ConfigError(f"harmonic: w={self.w:g} is wrong: it must be a number above 0")
        if not 0 <= self.lower <= self.upper <= 1:
            raise ConfigError(
                f"harmonic: lower={self.lower:g} and upper={self.upper:g} are wrong: they bound "
                "ROUGE-L, so 0 <= lower <= upper <= 1"
            )

    @property
    def boundless(self) -> bool:
        """Whether any ROUGE-L will do."""
        return self.lower <= 0 and self.upper >= 1

    def score(self, found: Overlaps) -> tuple[Floats, Floats]:
        """Return equation 5 with the penalty, and the penalty; 0 for a candidate without words."""
        novelty = (1 - found.rouge_l) * self.w
        below = found.rouge1 + novelty
        mean = np.divide(found.rouge1 * novelty, below, out=np.zeros_like(below), where=below > 0)
        penalty = length_penalty(found)
        return mean * penalty, penalty


def length_penalty(found: Overlaps) -> Floats:
    """Return the penalty of each candidate for words beyond the number of its source's."""
    ratio = found.words / np.maximum(found.source_words, 1)
    penalty: Floats = np.minimum(1.0, np.exp(1 - ratio))
    return penalty


@dataclass(frozen=True, slots=True)
class DrawnCandidate:
    """A candidate to be rated; `drawn` counts every text drawn from its source, itself too.

    `quality` is the judge's mean score of both directions, None where there is no judge.
    """

    source: str
    candidate: Candidate
    drawn: Mapping[str, int] = field(default_factory=dict)
    quality: float | None = None

    @property
    def text(self) -> str:
        return self.candidate.text


@dataclass(frozen=True, slots=True)
class Rated:
    """A key for each row, the higher the better, NaN where it is undefined; and named figures."""

    key: Floats
    figures: Mapping[str, Floats]


class Ranking(ABC):
    """Rates candidates, those of many sources together."""

    @property
    def bounds(self) -> Harmonic | None:
        """Bounds of ROUGE-L with the source, outside of which a candidate is refused."""
        return None

    @property
    def judged(self) -> bool:
        """Whether the judge is asked for the quality of candidates."""
        return False

    @property
    def metric(self) -> Metric | None:
        """The metric whose values it ranks by, if it does."""
        return None

    def prepare(self, place: Place) -> None:  # noqa: B027  (most have nothing to load)
        """Load what is slow to load or may be missing."""

    @abstractmethod
    def rate(self, rows: Sequence[DrawnCandidate], place: Place) -> Rated:
        """Rate at least one candidate."""


@dataclass(frozen=True)
class ByLikelihood(Ranking):
    """The log-probability divided by the number of sub-words, the end counted as one."""

    def rate(self, rows: Sequence[DrawnCandidate], place: Place) -> Rated:
        drawn = [row.candidate for row in rows]
        mean = np.array([one.logprob / max(one.tokens + one.finished, 1) for one in drawn])
        return Rated(mean, {"mean_logprob": mean})


@dataclass(frozen=True)
class ByQuality(Ranking):
    """What the judge of the floor thinks people would say; 0 for all where there is no judge."""

    @property
    def judged(self) -> bool:
        return True

    def rate(self, rows: Sequence[DrawnCandidate], place: Place) -> Rated:
        return Rated(np.array([row.quality or 0.0 for row in rows]), {})


@dataclass(frozen=True)
class ByHarmonic(Ranking):
    """Equation 5 of the ROUGE-P paper."""

    harmonic: Harmonic

    @property
    def bounds(self) -> Harmonic | None:
        return None if self.harmonic.boundless else self.harmonic

    def rate(self, rows: Sequence[DrawnCandidate], place: Place) -> Rated:
        found = overlaps([row.text for row in rows], [row.source for row in rows])
        score, penalty = self.harmonic.score(found)
        figures = {"rouge1": found.rouge1, "rougeL": found.rouge_l, "length": penalty}
        return Rated(score, {"harmonic": score, **figures})


@dataclass(frozen=True)
class Term:
    """A metric, or one of its parts, with its weight in a sum."""

    metric: Metric
    part: str = ""
    weight: float = 1.0

    def column(self, label: str) -> str:
        return f"{label}.{self.part}" if self.part else label


@dataclass(frozen=True)
class ByMetric(Ranking):
    """One metric of the candidate; the source serves as the reference too."""

    term: Term
    name: str | None = None  # of the figure, if not that of the metric

    def prepare(self, place: Place) -> None:
        self.term.metric.prepare(place)

    def rate(self, rows: Sequence[DrawnCandidate], place: Place) -> Rated:
        column = self.term.column(self.term.metric.name)
        values = score_pairs([self.term.metric], _with_source(rows), place)[column]
        key = ascending(values, self.term.metric.card.better)
        return Rated(key, {self.name or column: values})


@dataclass(frozen=True)
class BySum(Ranking):
    """A weighted sum as it is written: metrics of which less is better want negative weights.

    The metrics of `terms` are taken together, as they share work; `others` are rankings of their
    own, equation 5 say, with their weights.
    """

    terms: tuple[Term, ...]
    others: tuple[tuple[float, Ranking], ...] = ()

    @property
    def bounds(self) -> Harmonic | None:
        return next((ranking.bounds for _, ranking in self.others if ranking.bounds), None)

    @property
    def judged(self) -> bool:
        return any(ranking.judged for _, ranking in self.others)

    def prepare(self, place: Place) -> None:
        for term in self.terms:
            term.metric.prepare(place)
        for _, ranking in self.others:
            ranking.prepare(place)

    def rate(self, rows: Sequence[DrawnCandidate], place: Place) -> Rated:
        parts: list[Floats] = []
        figures: dict[str, Floats] = {}
        for weight, ranking in self.others:
            rated = ranking.rate(rows, place)
            lower = ranking.metric is not None and ranking.metric.card.better == "lower"
            parts.append(weight * (-rated.key if lower else rated.key))  # as it is written
            figures |= rated.figures
        if self.terms:
            metrics = list(dict.fromkeys(term.metric for term in self.terms))
            named = dict(zip(metrics, labels(metrics), strict=True))
            table = score_pairs(metrics, _with_source(rows), place)
            for term in self.terms:
                column = term.column(named[term.metric])
                parts.append(term.weight * table[column])
                figures[column] = table[column]
        total: Floats = np.sum(parts, axis=0)
        return Rated(total, {"sum": total, **figures})


@dataclass(frozen=True)
class ByRisk(Ranking):
    """Minimum Bayes risk: the mean of a metric with every other draw as the reference.

    All draws of the source have a say, those that were rejected too, and a text as often as it was
    drawn. The mean of a candidate with itself counts only where it was drawn again. With one draw
    the mean is undefined.
    """

    term: Term
    name: str = "mbr"  # of the figure

    @property
    def metric(self) -> Metric | None:
        return self.term.metric

    def prepare(self, place: Place) -> None:
        self.term.metric.prepare(place)

    def rate(self, rows: Sequence[DrawnCandidate], place: Place) -> Rated:
        means = np.concatenate([self._means(block, place) for block in _blocks(rows)])
        return Rated(ascending(means, self.term.metric.card.better), {self.name: means})

    def _means(self, rows: Sequence[DrawnCandidate], place: Place) -> Floats:
        told = SOURCE in self.term.metric.required()
        voters = [_others(row) for row in rows]
        pairs = [
            SegmentTexts(row.text, other, row.source if told else "")
            for row, others in zip(rows, voters, strict=True)
            for other in others
        ]
        means = np.full(len(rows), np.nan)
        if not pairs:
            return means
        column = self.term.column(self.term.metric.name)
        values = score_pairs([self.term.metric], pairs, place)[column]
        at = 0
        for number, others in enumerate(voters):
            if others:
                mine = values[at : at + len(others)]
                means[number] = np.average(mine, weights=list(others.values()))
            at += len(others)
        return means


def ascending(values: Floats, better: Direction) -> Floats:
    """Turn values of which less, or what is nearest to 1, is better so that more is."""
    if better == "higher":
        return values
    return -values if better == "lower" else -np.abs(values - 1)


def _with_source(rows: Sequence[DrawnCandidate]) -> list[SegmentTexts]:
    return [SegmentTexts(row.text, row.source, row.source) for row in rows]


def _others(row: DrawnCandidate) -> dict[str, int]:
    """Count the draws of the source without one of the row's own text."""
    left = Counter(row.drawn)
    left[row.text] -= 1
    return {text: count for text, count in left.items() if count > 0}


def _blocks(rows: Sequence[DrawnCandidate]) -> Iterator[Sequence[DrawnCandidate]]:
    """Cut rows so that the pairs of each block fit into memory."""
    first, held = 0, 0
    for place, row in enumerate(rows):
        if place > first and held + len(row.drawn) > _PAIRS:
            yield rows[first:place]
            first, held = place, 0
        held += len(row.drawn)
    yield rows[first:]
