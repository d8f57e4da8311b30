"""How much of the machine a run uses: floating-point work against a measured peak."""

from __future__ import annotations

import time

import torch
from torch import nn

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
