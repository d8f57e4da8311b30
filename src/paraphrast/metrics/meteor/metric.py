"""METEOR 1.5 as a metric."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from typing import ClassVar

import numpy as np

from paraphrast.metrics.base import Batch, Card, Metric
from paraphrast.metrics.meteor import statistics
from paraphrast.signature import Value
from paraphrast.text.alignment.long_pairs import LongPair
from paraphrast.types import Floats


@dataclass(frozen=True, kw_only=True)
class Meteor(Metric):
    """METEOR 1.5 for English, equal to its jar's `-l en -norm`."""

    name: ClassVar[str] = "meteor"
    card: ClassVar[Card] = Card(
        title="METEOR 1.5",
        summary="Alignment of words by exact form, stem, synonym and paraphrase, with function "
        "words weighted down and scattered matches penalised. English only.",
        formula="(1 − γ · (chunks / matches)^β) · P · R / (α · P + (1 − α) · R), "
        "α = .85, β = .20, γ = .60, δ = .75; matcher weights 1, .6, .8, .6; best reference",
        paper="Denkowski and Lavie 2014, Meteor Universal: Language Specific Translation "
        "Evaluation for Any Target Language",
        range=(0, 1),
        better="higher",
        empty="an empty candidate or reference scores 0",
        parts={
            "precision": "weighted precision",
            "recall": "weighted recall",
            "f_mean": "parameterised harmonic mean",
            "penalty": "fragmentation penalty",
        },
    )

    def describe(self) -> dict[str, Value]:
        modules = "exact+stem+synonym+paraphrase"
        return {"lang": "en", "norm": True, "modules": modules, "data": _data_version()}

    def stats(self, batch: Batch) -> Floats:
        references = batch.refs
        rows = []
        bounds = pairwise(references.offsets.tolist())
        for text, (start, stop) in zip(batch.candidates.texts, bounds, strict=True):
            try:
                rows.append(statistics.segment_statistics(text, references.texts[start:stop]))
            except LongPair as error:
                raise error.at(start) from None
        return np.array(rows, dtype=np.float64)

    def value(self, points: Floats) -> Floats:
        return statistics.score(points)


def _data_version() -> str:
    """Return the version of the package the tables come from."""
    try:
        return f"pycocoevalcap{version('pycocoevalcap')}"
    except PackageNotFoundError:
        return "missing"
