"""Is it a paraphrase? A metric and a threshold, which is chosen on training pairs, answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import InputError
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.pair_scores import score_lists
from paraphrast.stats.cuts import best_cut
from paraphrast.train.data.examples import Example
from paraphrast.train.data.readers import read
from paraphrast.types import Floats

Pairs = Sequence[Example]
Answers = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Identified:
    """What a metric reaches on the test pairs with the threshold of the training pairs."""

    metric: str
    threshold: float
    accuracy: float
    f1: float  # of "is a paraphrase"
    pairs: int


def identify(metrics: Sequence[str], train: Path, test: Path) -> list[Identified]:
    """Judge metrics by labelled pairs; training pairs with a text of the test set are left out."""
    judged = read("pairs", test)
    seen = {text for row in judged for text in (row.a.text, row.b.text)}
    known = [row for row in read("pairs", train) if not {row.a.text, row.b.text} & seen]
    return [decided(name, metric_values(name), known, judged) for name in metrics]


def decided(
    name: str, values: Callable[[Pairs], Floats], known: Pairs, judged: Pairs
) -> Identified:
    """Choose the threshold on the known pairs and apply it to the judged ones."""
    cut = best_cut(values(known), labels(known))
    guess, gold = values(judged) > cut, labels(judged)
    accuracy, f1 = agreement(guess, gold)
    return Identified(name, float(cut), accuracy, f1, len(judged))


def agreement(guess: Answers, gold: Answers) -> tuple[float, float]:
    """Return accuracy and F1."""
    f1 = 2 * (guess & gold).sum() / max(guess.sum() + gold.sum(), 1)
    return float((guess == gold).mean()), float(f1)


def labels(rows: Pairs) -> Answers:
    """Return which pairs are paraphrases; a pair without a label is an InputError."""
    if any(row.same is None for row in rows):
        raise InputError("a pair has no label")
    return np.array([row.same == 1 for row in rows])


def metric_values(metric: str) -> Callable[[Pairs], Floats]:
    """Return the function that scores the second text of each pair against the first."""

    def values(rows: Pairs) -> Floats:
        second, first = [[row.b.text] for row in rows], [row.a.text for row in rows]
        report = score_lists([make_metric(metric)], second, first)
        sign = -1 if report.scores[0].better == "lower" else 1
        return sign * np.array(report.values_of(0))

    return values
