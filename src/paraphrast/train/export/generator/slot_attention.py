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

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from paraphrast.errors import ModelError
from paraphrast.train.export.onnx_graph import write_onnx

Rows = tuple[int, int]  # groups, and new tokens of a group

HIDDEN = -1e9  # added to what may not be looked at; its weight is exactly 0 after the softmax


class Attention(nn.Module):
    """One head's queries may share keys with other heads (grouped queries), as in Llama.

    Shapes are given rather than asked of each tensor: a graph computes what it is asked again.
    """

    def __init__(self, heads: int, shared: int, size: int) -> None:
        super().__init__()
        self.heads, self.shared, self.size = heads, shared, size

    def split(self, states: Tensor, rows: Rows) -> tuple[Tensor, ...]:
        """[groups, tokens, parts × heads × size] to parts of [groups, heads, tokens, size]."""
        parts = states.shape[-1] // (self.heads * self.size)
        each = states.reshape(*rows, parts, self.heads, self.size).permute(2, 0, 3, 1, 4)
        return each.unbind(0)

    def forward(
        self,
        new: tuple[Tensor, ...],
        past: tuple[Tensor, ...],
        bias: Tensor,
        rows: Rows,
    ) -> Tensor:
        """Look at the slots and at the new tokens without joining the two in memory."""
        query, key, value = new
        if self.shared != self.heads:
            query = query.reshape(rows[0], self.shared, -1, self.size)
        scores = torch.cat([query @ past[0].transpose(2, 3), query @ key.transpose(2, 3)], dim=-1)
        if self.shared == self.heads:
            weights = torch.softmax(scores + bias, dim=-1)
        else:
            heads = scores.reshape(rows[0], self.heads, rows[1], -1) + bias
            weights = torch.softmax(heads, dim=-1).reshape_as(scores)
        slots = past[0].shape[2]
        return self.joined(weights[..., :slots] @ past[1] + weights[..., slots:] @ value, rows)

    def joined(self, found: Tensor, rows: Rows) -> Tensor:
        if self.shared != self.heads:
            found = found.reshape(rows[0], self.heads, rows[1], self.size)
        return found.transpose(1, 2).reshape(*rows, self.heads * self.size)


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
    example: Mapping[str, Tensor],
    path: Path,
    outputs: Mapping[str, Sequence[int]],
    free: Mapping[str, Sequence[int]],
) -> None:
    """Write a module as an ONNX graph; `free` and `outputs` give the axes that may vary."""
    axes = {
        name: {axis: f"{name}_{axis}" for axis in places}
        for name, places in (free | outputs).items()  # type: ignore[operator]
    }
    write_onnx(module, example, path, list(outputs), axes)
