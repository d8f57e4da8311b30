"""Plain values that cross layers: what readers give and workers take; stdlib and numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Direction = Literal["higher", "lower", "near 1"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive segments as plain lists: what readers give and workers take.

    `candidates` and `trees` hold, per system, the texts of each segment: one, or a set.
    """

    start: int
    candidates: dict[str, list[list[str]]]
    references: list[list[str]] | None = None
    sources: list[str] | None = None
    trees: dict[str, list[list[str]]] | None = None

    def __len__(self) -> int:
        return len(next(iter(self.candidates.values())))
