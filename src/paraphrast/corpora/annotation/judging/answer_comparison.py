"""Two answers to one pair side by side: labels, words, spans, ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem, Ranges
from paraphrast.corpora.annotation.project_settings import ProjectSettings
from paraphrast.meaning.tag_evaluation import TagCounts, count_tags


@dataclass(frozen=True, slots=True)
class AnswerComparison:
    """How two answers differ; the first is held to be right where counts need that.

    F1 is the same whichever is. `spans` counts spans that are alike to the word, as seqeval does,
    which ParaTag uses (§4.2). `gap` is the distance of two ratings.
    """

    same_label: bool
    words: TagCounts
    spans: TagCounts
    gap: float

    @property
    def word_f1(self) -> float:
        """F1 of the words that are marked; 1 where neither marks any."""
        return f1(self.words)

    @property
    def span_f1(self) -> float:
        """F1 of spans that are alike; 1 where neither marks any."""
        return f1(self.spans)


def f1(counts: TagCounts) -> float:
    """Return F1; 1 where there is nothing to find and nothing was found."""
    return counts.f1 if counts.right + counts.wrong + counts.missed else 1.0


def accuracy(counts: TagCounts) -> float | None:
    """Return the share of words that both mark or both leave; None without words."""
    return 1 - (counts.wrong + counts.missed) / counts.words if counts.words else None


def compare_answers(pair: PairItem, right: PairAnswer, other: PairAnswer) -> AnswerComparison:
    """Compare two answers to a pair."""
    words = TagCounts()
    for gold, tags in zip(right.tags(pair), other.tags(pair), strict=True):
        words += count_tags(tags, gold)
    spans = _spans(right.spans1, other.spans1) + _spans(right.spans2, other.spans2)
    gap = abs((right.rating or 0.0) - (other.rating or 0.0))
    return AnswerComparison(right.label == other.label, words, spans, gap)


def disagreement(pair: PairItem, answers: Sequence[PairAnswer], settings: ProjectSettings) -> float:
    """Return from 0 to 1 how far answers differ: the mean over their pairs and over their parts.

    The parts are those of the task: unlike labels, 1 − F1 of words, the gap of ratings as a share
    of the scale.
    """
    found = []
    for one, other in combinations(answers, 2):
        seen = compare_answers(pair, one, other)
        parts = [float(not seen.same_label)] if settings.takes_label else []
        parts += [1 - seen.word_f1] if settings.takes_spans else []
        parts += [seen.gap / (settings.highest - settings.lowest)] if settings.takes_rating else []
        found.append(sum(parts) / len(parts))
    return sum(found) / len(found) if found else 0.0


def is_close(pair: PairItem, answers: Sequence[PairAnswer], settings: ProjectSettings) -> bool:
    """Tell whether no adjudicator is needed: equal labels, spans and ratings close enough."""
    for one, other in combinations(answers, 2):
        seen = compare_answers(pair, one, other)
        if not seen.same_label or seen.gap > settings.rating_apart:
            return False
        if seen.span_f1 < settings.adjudicate_below:
            return False
    return True


def _spans(right: Ranges, other: Ranges) -> TagCounts:
    alike = len({*right} & {*other})
    return TagCounts(right=alike, wrong=len(other) - alike, missed=len(right) - alike)
