"""How rare a sub-word is: inverse document frequencies of a corpus, counted in one pass."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paraphrast.types import Floats

if TYPE_CHECKING:
    from paraphrast.metrics.base import Metric
    from paraphrast.models.embedder.text_embedder import Embedder

Ints = NDArray[np.int64]
_SHORT = 12


@dataclass(frozen=True, slots=True)
class Idf:
    """idf(t) = ln((N + 1) / (n(t) + 1)): N texts, of which n(t) hold the sub-word t.

    So a sub-word that every text holds weighs nothing, and one that none holds ln(N + 1). Two are
    equal if their counts are.
    """

    digest: str  # twelve hexadecimal digits that stand for the counts
    documents: int = field(compare=False)
    counts: Ints = field(compare=False, repr=False)  # by the number of the sub-word

    @classmethod
    def of(cls, documents: int, counts: Ints) -> Idf:
        """Take the counts of so many texts; sub-words that are in none do not matter."""
        held = np.flatnonzero(counts)
        listed = np.concatenate([[documents], held, counts[held]]).astype("<i8")
        return cls(hashlib.sha256(listed.tobytes()).hexdigest()[:_SHORT], documents, counts)

    def weights(self, ids: Ints) -> Floats:
        """Return the weight of each sub-word."""
        known = ids < len(self.counts)
        held = np.where(known, self.counts[np.where(known, ids, 0)], 0)
        found: Floats = math.log(self.documents + 1) - np.log(held + 1.0)
        return found


class Counting:
    """Counts in how many texts each sub-word stands; the texts themselves are not kept."""

    def __init__(self, embedder: Embedder, finish: Callable[[Idf], Metric]) -> None:
        self._embedder, self._finish = embedder, finish
        self._documents = 0
        self._counts: Ints = np.zeros(1, dtype=np.int64)

    def add(self, texts: Sequence[str]) -> None:
        """Count more texts; one that was counted before counts again, and an empty one too."""
        self._documents += len(texts)
        found = [np.unique(ids) for ids in self._embedder.subwords(texts)]
        if found:
            more = np.bincount(np.concatenate(found), minlength=len(self._counts))
            more[: len(self._counts)] += self._counts
            self._counts = more

    def done(self) -> Metric:
        """Return the metric with the weights that these texts give."""
        return self._finish(Idf.of(self._documents, self._counts))
