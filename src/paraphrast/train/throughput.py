"""How fast a run trains: its losses and tokens per second, against a measured peak."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from paraphrast.train import log
from paraphrast.train.checkpoint import Progress

_SIZE = 1536
_LOOKED_UP = ("embedding", "embed_tokens", "shared", "relative_attention_bias")


def flops_per_token(network: nn.Module) -> float:
    """2 per weight and token forward, 2 backward for the input, 2 for a weight that is trained.

    Weights that are looked up, not multiplied (embeddings), cost nothing; attention's products of
    states with states are left out, so the figure is a lower bound.
    """
    cost = 0.0
    for name, weight in network.named_parameters():
        looked_up = any(word in name for word in _LOOKED_UP)
        if weight.ndim == 2 and not looked_up and name.startswith("backbone"):
            cost += (6.0 if weight.requires_grad else 2.0) * weight.numel()
    return cost


def peak_flops(device: torch.device | str = "cpu") -> float:
    """Time products of large matrices where the run computes, with the threads torch uses."""
    square = torch.ones(_SIZE, _SIZE, device=device)
    best = 0.0
    for _ in range(5):
        start = time.perf_counter()
        float(torch.mm(square, square)[0, 0])  # waits for the device
        best = max(best, 2 * _SIZE**3 / (time.perf_counter() - start))
    return best


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
