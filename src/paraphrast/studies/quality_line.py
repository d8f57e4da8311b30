"""One figure of the quality table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One figure of one system on one task, with its 95 % interval where one was drawn."""

    task: str
    figure: str
    system: str
    value: float
    interval: tuple[float, float] | None = None

    def __str__(self) -> str:
        """Return the value with its interval."""
        if self.interval is None:
            return f"{self.value:.3f}"
        low, high = self.interval
        return f"{self.value:.3f} ({low:.3f} to {high:.3f})"
