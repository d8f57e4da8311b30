"""The parts that the decoders' graphs share: grouped rows, attention over slots, tracing.

Rows that continue one source form a group and look at one store of keys and values, so what they
have in common is read once, and choosing other rows moves no memory. `models.slots` keeps the
store; a graph sees

- `states` [rows, tokens, width], the rows ordered by group, the same number in each;
- `distance` [groups, rows of a group × tokens, slots + rows of a group × tokens], how many tokens
  back what a slot holds lies from the token that looks, −1 where it may not look; the new tokens
  themselves come after the slots;
- `position` [rows, tokens], from 0;
- `wanted`, places in rows × tokens whose logits are asked for;
- `past_key_i` and `past_value_i` [groups, heads, slots, size] of each layer.

It gives `logits` [wanted, vocabulary], and `key_i` and `value_i` of the new tokens.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from paraphrast.errors import ModelError
from paraphrast.train.onnx_graph import OPSET

HIDDEN = -1e9  # added to what may not be looked at; its weight is exactly 0 after the softmax


class Attention(nn.Module):
    """One head's queries may share keys with other heads (grouped queries), as in Llama."""

    def __init__(self, heads: int, shared: int, size: int) -> None:
        super().__init__()
        self.heads, self.shared, self.size = heads, shared, size

    def split(self, states: Tensor, heads: int) -> Tensor:
        """[groups, tokens, heads × size] to [groups, heads, tokens, size]."""
        return states.reshape(states.shape[0], -1, heads, self.size).transpose(1, 2)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, past: tuple[Tensor, Tensor], bias: Tensor
    ) -> Tensor:
        """Look at the slots and at the new tokens without joining the two in memory."""
        groups, _, tokens, size = query.shape
        query = query.reshape(groups, self.shared, -1, size)
        scores = torch.cat([query @ past[0].transpose(2, 3), query @ key.transpose(2, 3)], dim=-1)
        scores = scores.reshape(groups, self.heads, tokens, -1) + bias
        weights = torch.softmax(scores, dim=-1).reshape(groups, self.shared, query.shape[2], -1)
        slots = past[0].shape[2]
        found = weights[..., :slots] @ past[1] + weights[..., slots:] @ value
        return self.joined(found.reshape(groups, self.heads, tokens, size))

    def joined(self, found: Tensor) -> Tensor:
        return found.transpose(1, 2).reshape(found.shape[0], -1, self.heads * self.size)


def visible(distance: Tensor) -> Tensor:
    """Return what to add to the scores where distances count for nothing else."""
    return ((distance < 0) * HIDDEN)[:, None]


class RootNorm(nn.Module):
    """Root mean square norm, in the order of operations that onnxruntime fuses."""

    def __init__(self, norm: Any) -> None:
        super().__init__()
        self.weight, self.tiny = frozen(norm.weight), norm.variance_epsilon

    def forward(self, x: Tensor) -> Tensor:
        return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + self.tiny) * self.weight


def matrix(*layers: Any) -> nn.Parameter:
    """Return the weights of linear layers side by side, to be multiplied from the right."""
    for layer in layers:
        if layer.bias is not None:
            raise ModelError("a projection has a bias, which the export of this kind leaves out")
    return frozen(torch.cat([layer.weight.T for layer in layers], dim=1))


def frozen(weights: Tensor) -> nn.Parameter:
    """Return a copy of weights that is laid out as it will be in the file."""
    return nn.Parameter(weights.detach().float().contiguous().clone(), requires_grad=False)


def trace_graph(
    module: nn.Module,
    given: Mapping[str, Tensor],
    path: Path,
    outputs: Mapping[str, Sequence[int]],
    free: Mapping[str, Sequence[int]],
) -> None:
    """Write a module as an ONNX graph; `free` and `outputs` give the axes that may vary."""
    axes = {
        name: {axis: f"{name}_{axis}" for axis in places}
        for name, places in (free | outputs).items()  # type: ignore[operator]
    }
    with warnings.catch_warnings(), torch.no_grad():
        # The tracer warns of branches on shapes; the comparison at other shapes guards them.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            tuple(given.values()),
            str(path),
            input_names=list(given),
            output_names=list(outputs),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,  # the other exporter needs one more package and specialises shapes
        )
