"""What the judge says of pairs, for every page and every answer: the one place that asks it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from paraphrast.jobs.judge import judge
from paraphrast.meaning.judge import judge_signature
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.store import find
from paraphrast.web.api.answers import PairTags


class VerdictReason(BaseModel):
    """Words of a, those that stand in their place in b, and what is wrong with them."""

    kind: Annotated[str, Field(description="number, name, negation, missing, added or changed")]
    a: str
    b: str
    weight: Annotated[float, Field(description="Probability that the other text lacks them.")]
    words_a: Annotated[list[int], Field(description="Places among the words of a.")]
    words_b: list[int]


class EntailmentChances(BaseModel):
    """What follows from what, as probabilities."""

    forward: Annotated[float, Field(description="That b follows from a.")]
    backward: Annotated[float, Field(description="That a follows from b.")]


class VerdictAnswer(BaseModel):
    """How two texts relate; the values are those of `paraphrast.judge(a, b).to_dict()`."""

    a: str
    b: str
    relation: Annotated[
        str, Field(description="same, a_entails_b, b_entails_a, contradiction or different")
    ]
    same: bool
    confidence: Annotated[float, Field(description="That the answer of `same` is right.")]
    entailment: EntailmentChances
    contradiction: float | None = None
    score: float
    percentile: float
    rated_on: str
    reasons: list[VerdictReason]
    tags: PairTags
    windows: int
    signature: str
    notes: list[str]


class JudgeAnswer(BaseModel):
    """The verdicts in the order of the request."""

    verdicts: list[VerdictAnswer]
    signature: str


def judged_pairs(
    pairs: Sequence[tuple[str, str]], *, model: str, threads: int | None, device: str
) -> list[dict[str, Any]]:
    """Judge pairs, and return each verdict as plain values."""
    a, b = [list(side) for side in zip(*pairs, strict=True)]
    found = judge(a, b, model=model, threads=threads, device=device)
    return [verdict.to_dict() for verdict in found]


def verdict_signature(model: str) -> str:
    """Return the signature of the verdicts of a model."""
    return judge_signature(EncoderCard.read(find(model).resolve()))
