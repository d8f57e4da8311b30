"""GPT-2's decoder as a module to trace, with the weights of a model of transformers."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from paraphrast.train.lm_attention import Attention, frozen, visible


class _Layer(nn.Module):
    def __init__(self, block: Any) -> None:
        super().__init__()
        own, feed = block.attn, block.mlp
        self.attention = Attention(own.num_heads, own.num_heads, own.head_dim)
        self.scaling, self.act = own.scaling, feed.act
        self.norms = nn.ModuleList([block.ln_1, block.ln_2])
        self.parts = nn.ModuleList([own.c_attn, own.c_proj, feed.c_fc, feed.c_proj])

    def forward(
        self, x: Tensor, past: tuple[Tensor, Tensor], bias: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        into, out, inner, outer = self.parts
        parts = _linear(into, self.norms[0](x)).chunk(3, dim=-1)
        query, key, value = (self.attention.split(one, self.attention.heads) for one in parts)
        x = x + _linear(out, self.attention(query * self.scaling, key, value, past, bias))
        x = x + _linear(outer, self.act(_linear(inner, self.norms[1](x))))
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
        width = states.shape[-1]
        x = (states + self.places[position]).reshape(distance.shape[0], -1, width)
        bias = visible(distance)
        made = []
        for number, layer in enumerate(self.layers):
            x, key, value = layer(x, caches[2 * number : 2 * number + 2], bias)
            made += [key, value]
        return self.norm(x.reshape(-1, width)[wanted]) @ self.head, *made


def _linear(layer: Any, x: Tensor) -> Tensor:
    """A layer of GPT-2, whose weights are the other way round than a linear one's."""
    found: Tensor = x @ layer.weight + layer.bias
    return found
