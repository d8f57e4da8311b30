"""AdamW in four groups, the rate as a function of the step, and averaged weights."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from paraphrast.train.recipe import OptimiserPart

HEADS = ("score", "relations", "same", "tags", "masked", "masked_bias")


def make_optimiser(network: nn.Module, part: OptimiserPart) -> torch.optim.AdamW:
    """No weight decay on biases and norms; heads may have a rate of their own."""
    groups: dict[tuple[bool, bool], dict[str, Any]] = {
        (head, flat): {"params": [], "rate": _rate(part, head), "weight_decay": _decay(part, flat)}
        for head in (False, True)
        for flat in (False, True)
    }
    for name, weight in trained(network).items():
        groups[name.split(".")[0] in HEADS, weight.ndim < 2]["params"].append(weight)
    full = [group for group in groups.values() if group["params"]]
    return torch.optim.AdamW(full, lr=part.rate, fused=True)


def _rate(part: OptimiserPart, head: bool) -> float:
    return part.head_rate if head and part.head_rate is not None else part.rate


def _decay(part: OptimiserPart, flat: bool) -> float:
    return 0.0 if flat else part.weight_decay


def trained(network: nn.Module) -> dict[str, Tensor]:
    """Return the weights that are not frozen, by name."""
    return {name: weight for name, weight in network.named_parameters() if weight.requires_grad}


def names_in_order(network: nn.Module, optimiser: torch.optim.Optimizer) -> list[str]:
    """Name the parameters in the order in which the optimiser numbers its state."""
    name = {id(weight): name for name, weight in network.named_parameters()}
    return [name[id(weight)] for group in optimiser.param_groups for weight in group["params"]]


def set_rate(optimiser: torch.optim.Optimizer, part: OptimiserPart, step: int, steps: int) -> float:
    """Warm up linearly, then decay linearly to the final rate; return the factor."""
    warm = max(1, round(part.warmup * steps))
    left = (steps - step) / max(1, steps - warm)
    factor = min((step + 1) / warm, part.final_rate + (1 - part.final_rate) * left)
    for group in optimiser.param_groups:
        group["lr"] = group["rate"] * factor
    return factor


class Average:
    """An exponential average of the trained weights, which generalises better than the last."""

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.decay = decay
        self.weights = {name: w.detach().clone() for name, w in trained(network).items()}

    @torch.no_grad()
    def update(self, network: nn.Module, step: int) -> None:
        """The decay grows with the steps, so that the start is forgotten."""
        decay = min(self.decay, (step + 1) / (step + 10))
        ours, theirs = self.weights, trained(network)
        torch._foreach_lerp_(list(ours.values()), [theirs[name] for name in ours], 1 - decay)

    @torch.no_grad()
    def swap(self, network: nn.Module) -> None:
        """Exchange the network's weights with the averaged ones; call again to go back."""
        for name, weight in trained(network).items():
            kept = weight.detach().clone()
            weight.copy_(self.weights[name])
            self.weights[name].copy_(kept)
