"""What the log says of the training: mean losses, tokens per second, share of the peak."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from paraphrast.train import log
from paraphrast.train.checkpoint import Progress


class Meter:
    """Means of the losses since the last line of the log, and the speed of the steps alone.

    The sums live in `progress`, so that a resumed run writes the lines of an undisturbed one.
    `cost` is the floating-point operations a token takes, and `measure` finds how many a second can
    hold: at the beginning, and again if more were done, for the machine was busy then.
    `run` is None in processes that write no log.
    """

    def __init__(
        self, run: Path | None, progress: Progress, *, cost: float, measure: Callable[[], float]
    ) -> None:
        self._run, self._progress = run, progress
        self._cost, self._measure, self._peak = cost, measure, measure()
        self._tokens, self._seconds = 0, 0.0

    def count(self, losses: dict[str, float], tokens: int, seconds: float, rate: float) -> str:
        """Add a step; every tenth writes a line of the log. Returns words for the progress bar."""
        progress = self._progress
        for name, value in losses.items():
            progress.unlogged[name] = progress.unlogged.get(name, 0.0) + value
        progress.unlogged_steps += 1
        self._tokens += tokens
        self._seconds += seconds
        speed = self._tokens / max(self._seconds, 1e-9)
        loss = sum(progress.unlogged.values()) / progress.unlogged_steps
        if progress.step % log.EVERY == 0:
            self._write(speed, rate)
        return f"loss {loss:.4f} · {speed:,.0f} tokens/s"

    def _write(self, speed: float, rate: float) -> None:
        progress = self._progress
        means = {name: value / progress.unlogged_steps for name, value in progress.unlogged.items()}
        if self._run is not None:
            entry = {"kind": "training", "step": progress.step, "loss": sum(means.values())}
            shares = {"tokens_per_second": speed, "peak_share": self._share(speed * self._cost)}
            log.append(self._run, {**entry, **means, "rate": rate, **shares})
        progress.unlogged, progress.unlogged_steps = {}, 0
        self._tokens, self._seconds = 0, 0.0

    def _share(self, done: float) -> float:
        if done > self._peak:
            self._peak = max(self._measure(), done)
        return done / self._peak
