"""GPT-2's decoder as a module to trace, with the weights of a model of transformers."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from paraphrast.train.export.generator.slot_attention import Attention, Rows, frozen, visible


class _Linear(nn.Module):
    """A layer of GPT-2, whose weights are the other way round than a linear one's."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.weight, self.bias = frozen(layer.weight), frozen(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias


class _Layer(nn.Module):
    def __init__(self, block: Any) -> None:
        super().__init__()
        own, feed = block.attn, block.mlp
        self.attention = Attention(own.num_heads, own.num_heads, own.head_dim)
        self.scaling, self.act = own.scaling, feed.act
        self.norms = nn.ModuleList([block.ln_1, block.ln_2])
        self.into, self.out = _Linear(own.c_attn), _Linear(own.c_proj)
        self.inner, self.outer = _Linear(feed.c_fc), _Linear(feed.c_proj)

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
        self.layers = nn.ModuleList(_Layer(block) for block in stack.h)
        self.places, self.norm = frozen(stack.wpe.weight), stack.ln_f
        self.head = frozen(model.lm_head.weight[kept].T)

    def forward(
        self, states: Tensor, distance: Tensor, wanted: Tensor, position: Tensor, *caches: Tensor
    ) -> tuple[Tensor, ...]:
        rows, width = (distance.shape[0], distance.shape[1]), states.shape[-1]
        x = (states + self.places[position]).reshape(*rows, width)
        bias = visible(distance)
        made = []
        for number, layer in enumerate(self.layers):
            x, key, value = layer(x, caches[2 * number : 2 * number + 2], bias, rows)
            made += [key, value]
        return self.norm(x.reshape(-1, width)[wanted]) @ self.head, *made
