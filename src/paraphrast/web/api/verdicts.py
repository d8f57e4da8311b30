"""What the judge says of pairs, for every page and every answer: the one place that asks it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from paraphrast.jobs.explain import explain
from paraphrast.web.api.answers import WordTags


class VerdictReason(BaseModel):
    """Why two texts do not say the same."""

    kind: str
    words: list[str]


class VerdictAnswer(BaseModel):
    """How two texts relate."""

    relation: Annotated[
        str, Field(description="same, a_entails_b, b_entails_a, contradiction or different")
    ]
    same: bool
    confidence: float
    forward: Annotated[float, Field(description="Probability that b follows from a.")]
    backward: Annotated[float, Field(description="Probability that a follows from b.")]
    contradiction: float | None = None
    score: float
    percentile: float
    words_a: WordTags
    words_b: WordTags
    reasons: list[VerdictReason] = Field(default_factory=list)


class JudgeAnswer(BaseModel):
    """The verdicts in the order of the request."""

    verdicts: list[VerdictAnswer]
    signature: str


def judged_pairs(
    pairs: Sequence[tuple[str, str]], *, model: str, threads: int | None, device: str
) -> list[dict[str, Any]]:
    """Judge pairs, and return each verdict as plain values."""
    return [
        _verdict(one) for one in explain(list(pairs), model=model, threads=threads, device=device)
    ]


def _verdict(found: Any) -> dict[str, Any]:
    forward, backward = found.entailed, found.entailing
    cut = found.entailed_threshold
    relation = {
        (True, True): "same",
        (True, False): "a_entails_b",
        (False, True): "b_entails_a",
        (False, False): "different",
    }[forward > cut, backward > cut]
    tags = found.tags.to_dict()
    return {
        "relation": relation,
        "same": relation == "same",
        "confidence": min(forward, backward),
        "forward": forward,
        "backward": backward,
        "contradiction": None,
        "score": found.score,
        "percentile": found.percentile,
        "words_a": tags["a"],
        "words_b": tags["b"],
        "reasons": [],
    }
