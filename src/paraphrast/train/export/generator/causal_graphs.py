"""The decoders of GPT-2 and Llama as modules to trace, with the weights of transformers' models."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from paraphrast.train.export.generator.slot_attention import (
    Attention,
    RootNorm,
    Rows,
    frozen,
    matrix,
    visible,
)


class _Gpt2Linear(nn.Module):
    """A layer of GPT-2, whose weights are the other way round than a linear one's."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.weight, self.bias = frozen(layer.weight), frozen(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias


class _Gpt2Layer(nn.Module):
    def __init__(self, block: Any) -> None:
        super().__init__()
        own, feed = block.attn, block.mlp
        self.attention = Attention(own.num_heads, own.num_heads, own.head_dim)
        self.scaling, self.act = own.scaling, feed.act
        self.norms = nn.ModuleList([block.ln_1, block.ln_2])
        self.into, self.out = _Gpt2Linear(own.c_attn), _Gpt2Linear(own.c_proj)
        self.inner, self.outer = _Gpt2Linear(feed.c_fc), _Gpt2Linear(feed.c_proj)

    def forward(
        self, x: Tensor, past: tuple[Tensor, ...], bias: Tensor, rows: Rows
    ) -> tuple[Tensor, Tensor, Tensor]:
        query, key, value = self.attention.split(self.into(self.norms[0](x)), rows)
        x = x + self.out(self.attention((query * self.scaling, key, value), past, bias, rows))
        x = x + self.outer(self.act(self.inner(self.norms[1](x))))
        return x, key, value


class Gpt2Graph(nn.Module):
    """New tokens of grouped rows to their logits and their keys and values."""

    def __init__(self, model: Any, kept: Tensor) -> None:
        super().__init__()
        stack = model.transformer
        self.layers = nn.ModuleList(_Gpt2Layer(block) for block in stack.h)
        self.places, self.norm = frozen(stack.wpe.weight), stack.ln_f
        self.head = frozen(model.lm_head.weight[kept].T)

    def forward(
        self, states: Tensor, distance: Tensor, wanted: Tensor, position: Tensor, *caches: Tensor
    ) -> tuple[Tensor, ...]:
        rows, width = (distance.shape[0], distance.shape[1]), states.shape[-1]
        x = (states + self.places[position]).reshape(*rows, width)
        bias = visible(distance)
        new_keys = []
        for number, layer in enumerate(self.layers):
            x, key, value = layer(x, caches[2 * number : 2 * number + 2], bias, rows)
            new_keys += [key, value]
        return self.norm(x.reshape(-1, width)[wanted]) @ self.head, *new_keys


class _LlamaLayer(nn.Module):
    def __init__(self, block: Any, config: Any) -> None:
        super().__init__()
        own, feed = block.self_attn, block.mlp
        self.attention = Attention(
            config.num_attention_heads, config.num_key_value_heads, own.head_dim
        )
        self.scaling, self.act = own.scaling, feed.act_fn
        self.norms = nn.ModuleList(
            [RootNorm(block.input_layernorm), RootNorm(block.post_attention_layernorm)]
        )
        self.into, self.out = matrix(own.q_proj, own.k_proj, own.v_proj), matrix(own.o_proj)
        self.inner = matrix(feed.gate_proj, feed.up_proj)
        self.outer = matrix(feed.down_proj)

    def forward(
        self,
        x: Tensor,
        past: tuple[Tensor, ...],
        bias: Tensor,
        turn: tuple[Tensor, Tensor],
        rows: Rows,
    ) -> tuple[Tensor, Tensor, Tensor]:
        part = self.attention
        heads = part.heads + 2 * part.shared
        each = (self.norms[0](x) @ self.into).reshape(*rows, heads, part.size).transpose(1, 2)
        query, key, value = each.split([part.heads, part.shared, part.shared], dim=1)
        key = _turned(key, turn)
        new = (_turned(query, turn) * self.scaling, key, value)
        x = x + part(new, past, bias, rows) @ self.out
        gate, linear = (self.norms[1](x) @ self.inner).split(self.inner.shape[1] // 2, dim=-1)
        return x + (self.act(gate) * linear) @ self.outer, key, value


class LlamaGraph(nn.Module):
    """New tokens of grouped rows to their logits and their keys and values."""

    def __init__(self, model: Any, kept: Tensor) -> None:
        super().__init__()
        stack = model.model
        self.layers = nn.ModuleList(_LlamaLayer(block, model.config) for block in stack.layers)
        self.norm, self.head = RootNorm(stack.norm), frozen(model.lm_head.weight[kept].T)
        self.frequency = frozen(stack.rotary_emb.inv_freq)
        self.factor = float(stack.rotary_emb.attention_scaling)

    def forward(
        self, states: Tensor, distance: Tensor, wanted: Tensor, position: Tensor, *caches: Tensor
    ) -> tuple[Tensor, ...]:
        rows, width = (distance.shape[0], distance.shape[1]), states.shape[-1]
        x = states.reshape(*rows, width)
        angle = position.reshape(rows[0], 1, rows[1], 1) * self.frequency
        angle = torch.cat([angle, angle], dim=-1)
        turn = (angle.cos() * self.factor, angle.sin() * self.factor)
        bias = visible(distance)
        new_keys = []
        for number, layer in enumerate(self.layers):
            x, key, value = layer(x, caches[2 * number : 2 * number + 2], bias, turn, rows)
            new_keys += [key, value]
        return self.norm(x.reshape(-1, width)[wanted]) @ self.head, *new_keys


def _turned(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Turn pairs of channels by the angle of their position."""
    half = x.shape[-1] // 2
    return x * turn[0] + torch.cat([-x[..., half:], x[..., :half]], dim=-1) * turn[1]
