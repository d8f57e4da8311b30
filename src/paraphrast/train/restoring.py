"""Weights from disk into a run: a checkpoint of its own, or the best of another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from paraphrast.errors import ModelError
from paraphrast.train import checkpoint
from paraphrast.train.optimiser import Average, names_in_order


def take_up(folder: Path, network: nn.Module, optimiser: Any, average: Average | None) -> None:
    """Put weights, moments and averages of a checkpoint back where they were."""
    _, saved = checkpoint.load(folder)
    _fill(network, _under(saved, "model."), folder)
    checkpoint.restore_optimiser(optimiser, names_in_order(network, optimiser), saved)
    if average:
        _restore_average(average, _under(saved, "average."), folder)


def start_from(network: nn.Module, run: Path) -> None:
    """Begin with the best weights of another run of the same network."""
    folder = run / "best"
    _fill(network, checkpoint.load(folder)[1], folder)


@torch.no_grad()
def mean_of(network: nn.Module, runs: Sequence[Path]) -> None:
    """Fill a network with the mean of the best weights of runs, each of which must fit it."""
    mean: dict[str, Tensor] = {}
    for run in runs:
        _, weights = checkpoint.load(run / "best")
        _fill(network, weights, run / "best")
        for name, weight in weights.items():
            share = weight.double() / len(runs)
            mean[name] = mean[name] + share if name in mean else share
    now = network.state_dict()
    network.load_state_dict({name: weight.to(now[name].dtype) for name, weight in mean.items()})


def _fill(network: nn.Module, weights: dict[str, Tensor], folder: Path) -> None:
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise ModelError(f"{folder} does not fit the recipe's network: {reason}") from error


@torch.no_grad()
def _restore_average(average: Average, weights: dict[str, Tensor], folder: Path) -> None:
    if weights.keys() != average.weights.keys():
        raise ModelError(f"{folder} does not hold the averages of the recipe's network")
    for name, weight in weights.items():
        average.weights[name].copy_(weight)


def _under(saved: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): value for name, value in saved.items() if name.startswith(prefix)
    }
