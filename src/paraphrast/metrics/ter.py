"""Translation edit rate, equal to sacrebleu's port of tercom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paraphrast.metrics.base import Batch, Card, Metric
from paraphrast.text.alignment.long_pairs import LongPair
from paraphrast.text.alignment.tercom import edits, normalise
from paraphrast.types import Floats


@dataclass(frozen=True, kw_only=True)
class Ter(Metric):
    """Edits, with moves of whole phrases at cost one, per reference word."""

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    name: ClassVar[str] = "ter"
    card: ClassVar[Card] = Card(
        title="TER",
        summary="Insertions, deletions, substitutions and phrase shifts per reference word.",
        formula="100 · Σ fewest edits to a reference / Σ mean reference length",
        paper="Snover et al. 2006, A Study of Translation Edit Rate with Targeted Human Annotation",
        range=(0, float("inf")),
        digits=2,
        better="lower",
        empty="an empty candidate costs one edit per reference word; against an empty reference a "
        "non-empty candidate scores 100 and an empty one 0",
        parts={"edits": "fewest edits", "ref_len": "mean reference length in words"},
    )

    def stats(self, batch: Batch) -> Floats:
        references = batch.refs
        candidates = [self._words(text) for text in batch.candidates.texts]
        # sacrebleu normalises references twice, which can split once more ("..5"): so do we
        targets = [self._words(" ".join(self._words(text))) for text in references.texts]
        bounds = references.offsets.tolist()
        rows = np.empty((len(batch), 2))
        for row, candidate in enumerate(candidates):
            mine = targets[bounds[row] : bounds[row + 1]]
            try:
                rows[row, 0] = min(edits(candidate, target) for target in mine)
            except LongPair as error:
                raise error.at(bounds[row]) from None
            rows[row, 1] = sum(map(len, mine)) / len(mine)
        return rows

    def _words(self, text: str) -> list[str]:
        return normalise(
            text.rstrip(),
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        ).split()

    def value(self, points: Floats) -> Floats:
        cost, length = points[:, 0], points[:, 1]
        rate = np.divide(cost, length, out=(cost > 0).astype(np.float64), where=length > 0)
        return np.column_stack([100 * rate, points])
