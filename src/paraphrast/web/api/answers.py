"""What the API answers; the values are those of the results' `to_dict`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

Signature = Annotated[str, Field(description="What makes two answers comparable.")]


class WordTags(BaseModel):
    """The words of a text: tag 1 where the other text does not say the word."""

    words: list[str]
    tags: list[int]
    probabilities: Annotated[list[float], Field(description="Of being said by the other text.")]
    spans: Annotated[list[tuple[int, int]], Field(description="Places in the text, in characters.")]


class PairTags(BaseModel):
    """Both texts of a pair."""

    a: WordTags
    b: WordTags


class TagAnswer(BaseModel):
    """The pairs in the order of the request."""

    pairs: list[PairTags]
    signature: Signature


class MetricScore(BaseModel):
    """One metric's value over all segments."""

    metric: str
    score: float | None
    ci: list[float] | None
    parts: dict[str, float | None]
    better: str
    signature: Signature


class SystemScores(BaseModel):
    """The scores of one system."""

    segments: int
    scores: list[MetricScore]
    notes: list[str]
    intervals: str | None = None
    values: Annotated[
        dict[str, list[float | None]] | None,
        Field(description="Of each segment, by metric; with segments=true."),
    ] = None


class PairedTestResult(BaseModel):
    """A system against another one on one metric."""

    system: str
    baseline: str
    metric: str
    difference: float | None
    p: float | None
    p_holm: float | None
    significant: bool


class CompareAnswer(BaseModel):
    """Each system's scores, and the paired tests between them."""

    systems: dict[str, SystemScores]
    notes: list[str] = Field(default_factory=list)
    test: str | None = None
    tests: list[PairedTestResult] = Field(default_factory=list)


class GeneratedText(BaseModel):
    """A paraphrase, its figures, and why it was kept."""

    text: str
    logprob: float | None
    scores: dict[str, float | None]
    why: str
    differences: PairTags | None = None


class RefusedText(BaseModel):
    """A candidate that is no output."""

    text: str
    reason: str


class GeneratedChoice(BaseModel):
    """What was written for one text, best first."""

    source: str
    candidates: list[GeneratedText]
    rejected: list[RefusedText] | None = None
    note: str | None = None


class GenerateAnswer(BaseModel):
    """The choices in the order of the request."""

    choices: list[GeneratedChoice]
    signature: Signature


class MetricCard(BaseModel):
    """What a metric declares about itself."""

    name: str
    title: str
    summary: str
    formula: str
    paper: str
    needs: str
    range: str
    better: str
    empty: str
    signature: Signature
    options: dict[str, Any]
    parts: dict[str, str]


class MetricsAnswer(BaseModel):
    """All metrics."""

    metrics: list[MetricCard]
    version: str


class HealthAnswer(BaseModel):
    """The process lives."""

    status: str
    version: str


class ReadyAnswer(BaseModel):
    """Whether requests are answered at once, and the state of each installed model."""

    ready: bool
    models: dict[str, str]
    waiting: int
    messages: dict[str, str] = Field(default_factory=dict)


def finite_values(value: Any) -> Any:
    """Return plain values in which what is no finite number is null, which JSON can hold."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): finite_values(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite_values(each) for each in value]
    return value
