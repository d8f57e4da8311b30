"""T5's encoder and decoder as modules to trace, with the weights of a model of transformers."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from paraphrast.train.export.generator.slot_attention import (
    HIDDEN,
    Attention,
    RootNorm,
    Rows,
    frozen,
    matrix,
)


class _Feed(nn.Module):
    def __init__(self, part: Any) -> None:
        super().__init__()
        dense = part.DenseReluDense
        self.norm, self.act = RootNorm(part.layer_norm), dense.act
        self.gated = hasattr(dense, "wi_0")
        self.inner = matrix(dense.wi_0, dense.wi_1) if self.gated else matrix(dense.wi)
        self.outer = matrix(dense.wo)

    def forward(self, x: Tensor) -> Tensor:
        inner = self.norm(x) @ self.inner
        if self.gated:
            gate, linear = inner.chunk(2, dim=-1)
            inner = self.act(gate) * linear
        else:
            inner = self.act(inner)
        found: Tensor = x + inner @ self.outer
        return found


class _Self(nn.Module):
    def __init__(self, part: Any) -> None:
        super().__init__()
        own = part.SelfAttention
        self.norm = RootNorm(part.layer_norm)
        self.attention = Attention(own.n_heads, own.n_heads, own.key_value_proj_dim)
        self.into, self.out = matrix(own.q, own.k, own.v), matrix(own.o)

    def projected(self, x: Tensor, rows: Rows) -> tuple[Tensor, ...]:
        return self.attention.split(self.norm(x) @ self.into, rows)


class T5EncoderGraph(nn.Module):
    """Embedded sources to the keys and values that each decoder layer looks at."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        encoder = model.encoder
        self.layers = nn.ModuleList(_Self(block.layer[0]) for block in encoder.block)
        self.feeds = nn.ModuleList(_Feed(block.layer[-1]) for block in encoder.block)
        self.norm = RootNorm(encoder.final_layer_norm)
        first = encoder.block[0].layer[0].SelfAttention
        self.most = first.relative_attention_max_distance
        reach = torch.arange(-self.most, self.most + 1)
        self.table = frozen(_bias(first, reach))
        crosses = [block.layer[1].EncDecAttention for block in model.decoder.block]
        self.crosses = nn.ParameterList(matrix(one.k, one.v) for one in crosses)

    def forward(self, states: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        rows = (states.shape[0], states.shape[1])
        place = torch.arange(rows[1])
        apart = (place[None] - place[:, None]).clamp(-self.most, self.most) + self.most
        bias = self.table[apart].permute(2, 0, 1)[None]
        bias = bias + ((1 - mask) * HIDDEN)[:, None, None]
        x = states
        attention: Any = None
        layers: Any = self.layers
        for layer, feed in zip(layers, self.feeds, strict=True):
            attention = layer.attention
            query, key, value = layer.projected(x, rows)
            weights = torch.softmax(query @ key.transpose(2, 3) + bias, dim=-1)
            x = feed(x + attention.joined(weights @ value, rows) @ layer.out)
        x = self.norm(x)
        return tuple(part for cross in self.crosses for part in attention.split(x @ cross, rows))


class _Cross(nn.Module):
    def __init__(self, part: Any) -> None:
        super().__init__()
        own = part.EncDecAttention
        self.norm = RootNorm(part.layer_norm)
        self.attention = Attention(own.n_heads, own.n_heads, own.key_value_proj_dim)
        self.into, self.out = matrix(own.q), matrix(own.o)

    def forward(self, x: Tensor, past: tuple[Tensor, ...], bias: Tensor, rows: Rows) -> Tensor:
        (query,) = self.attention.split(self.norm(x) @ self.into, rows)
        weights = torch.softmax(query @ past[0].transpose(2, 3) + bias, dim=-1)
        return x + self.attention.joined(weights @ past[1], rows) @ self.out


class T5DecoderGraph(nn.Module):
    """New tokens of grouped rows to their logits and their keys and values."""

    def __init__(self, model: Any, kept: Tensor) -> None:
        super().__init__()
        decoder, config = model.decoder, model.config
        self.layers = nn.ModuleList(_Self(block.layer[0]) for block in decoder.block)
        self.crosses = nn.ModuleList(_Cross(block.layer[1]) for block in decoder.block)
        self.feeds = nn.ModuleList(_Feed(block.layer[-1]) for block in decoder.block)
        self.norm = RootNorm(decoder.final_layer_norm)
        first = decoder.block[0].layer[0].SelfAttention
        self.most = first.relative_attention_max_distance
        near = _bias(first, -torch.arange(self.most + 1))
        hidden = torch.full((1, near.shape[1]), HIDDEN)
        self.table = frozen(torch.cat([hidden, near]))
        scaled = getattr(config, "scale_decoder_outputs", config.tie_word_embeddings)
        scale = config.d_model**-0.5 if scaled else 1.0  # older versions scale what is tied
        self.head = frozen(model.lm_head.weight[kept].T * scale)

    def forward(
        self, states: Tensor, distance: Tensor, wanted: Tensor, mask: Tensor, *caches: Tensor
    ) -> tuple[Tensor, ...]:
        rows, width = (distance.shape[0], distance.shape[1]), states.shape[-1]
        x = states.reshape(*rows, width)
        bias = self.table[distance.clamp(-1, self.most) + 1].permute(0, 3, 1, 2)
        unseen = ((1 - mask) * HIDDEN)[:, None, None]
        new_keys: list[Tensor] = []
        layers: Any = self.layers
        parts = zip(layers, self.crosses, self.feeds, strict=True)
        for number, (layer, cross, feed) in enumerate(parts):
            past, source = caches[4 * number : 4 * number + 2], caches[4 * number + 2 :][:2]
            new = layer.projected(x, rows)
            new_keys += new[1:]
            x = x + layer.attention(new, past, bias, rows) @ layer.out
            x = feed(cross(x, source, unseen, rows))
        last = x.reshape(-1, width)[wanted]
        return self.norm(last) @ self.head, *new_keys


def _bias(attention: Any, relative: Tensor) -> Tensor:
    """Return what a T5 attention adds for each relative position (key − query), [places, heads]."""
    bucket = attention._relative_position_bucket(  # noqa: SLF001  (transformers offers no other)
        relative,
        bidirectional=not attention.is_decoder,
        num_buckets=attention.relative_attention_num_buckets,
        max_distance=attention.relative_attention_max_distance,
    )
    found: Tensor = attention.relative_attention_bias(bucket)
    return found.detach()
