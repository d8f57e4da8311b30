"""Which values of a file's scores are better: what a signature says, or the user."""

from __future__ import annotations

from paraphrast.meta.alignment import Scores
from paraphrast.metrics.catalogue import METRICS, metric_class
from paraphrast.types import Direction


def score_direction(scores: Scores, notes: list[str]) -> Direction:
    """Return the direction of scores: their signature's, else the user's; a name says nothing.

    A name that is known for lower values gets a note instead.
    """
    signed = _better(scores.signature.partition("|")[0])
    if signed in ("near 1", "lower"):
        return signed
    if scores.sign < 0:
        return "lower"
    if not scores.signature and _better(scores.metric.lower()) == "lower":
        notes.append(
            f"{scores.metric}: no signature says that lower is better, so higher was taken to be; "
            f"if lower is, say --lower {scores.metric}"
        )
    return "higher"


def _better(name: str) -> Direction:
    return metric_class(name).card.better if name in METRICS.table else "higher"
