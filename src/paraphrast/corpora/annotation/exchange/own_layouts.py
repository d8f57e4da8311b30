"""Outcomes in the layouts that the rest of Paraphrast reads.

labels   text1, text2, label, label1, label2 …: `corpus evaluate` (κ with --other-label)
pairs    text1, text2, label 1 or 0: `train`'s reader "pairs"
tags     tokens1, tokens2, tags1, tags2: `tag --gold`, `train`'s reader "tags"
ratings  a row a rating: `meta` (item, system, dimension, value, rater), and `train`'s reader
         "ratings" (reference, hypothesis, human: the rater's z-score)
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from typing import Any

from paraphrast.corpora.annotation.judging.outcomes import ItemOutcome
from paraphrast.corpora.pair_labels import NEGATIVE, POSITIVE

Rows = Iterator[dict[str, Any]]


def label_rows(outcomes: Iterable[ItemOutcome]) -> Rows:
    """Yield every pair of work with its label, None while it has none, and those of each person."""
    work = [one for one in outcomes if one.record.pair.purpose == "work"]
    most = max((len(one.states) for one in work), default=0)
    for outcome in work:
        pair, given = outcome.record.pair, list(outcome.by_annotator.values())
        row: dict[str, Any] = {"id": pair.id, "text1": pair.text1.text, "text2": pair.text2.text}
        row["label"] = outcome.answer and outcome.answer.label
        for number in range(most):
            row[f"label{number + 1}"] = given[number].label if number < len(given) else None
        yield row


def pair_rows(outcomes: Iterable[ItemOutcome]) -> Rows:
    """Yield pairs that are labelled positive (1) or negative (0); the others do not belong here."""
    for row in label_rows(outcomes):
        if row["label"] in (POSITIVE, NEGATIVE):
            kept = {key: row[key] for key in ("id", "text1", "text2")}
            yield kept | {"label": int(row["label"] == POSITIVE)}


def tag_layout_rows(outcomes: Iterable[ItemOutcome]) -> Rows:
    """Yield pairs whose spans are known, as words and tags."""
    for outcome in outcomes:
        pair, answer = outcome.record.pair, outcome.answer
        if answer is not None and pair.purpose == "work":
            tags1, tags2 = answer.tags(pair)
            yield {
                "id": pair.id,
                "tokens1": pair.text1.words,
                "tokens2": pair.text2.words,
                "tags1": tags1,
                "tags2": tags2,
            }


def rating_rows(outcomes: Iterable[ItemOutcome]) -> Rows:
    """Yield each rating, with its z-score among those of its rater."""
    rated = [
        (outcome.record.pair, name, answer.rating)
        for outcome in outcomes
        if outcome.record.pair.purpose == "work"
        for name, answer in outcome.by_annotator.items()
        if answer.rating is not None
    ]
    by_rater: dict[str, list[float]] = {}
    for _, name, rating in rated:
        by_rater.setdefault(name, []).append(rating)
    for pair, name, rating in rated:
        values = by_rater[name]
        spread = statistics.pstdev(values)
        yield {
            "item": pair.id,
            "system": "text2",
            "dimension": "adequacy",
            "value": rating,
            "rater": name,
            "reference": pair.text1.text,
            "hypothesis": pair.text2.text,
            "human": (rating - statistics.fmean(values)) / spread if spread else 0.0,
        }
