"""The edit encoder as a torch module: any transformers encoder, and heads."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from paraphrast.train.backbone import freeze, load_backbone, longest_input
from paraphrast.train.data.examples import RELATIONS
from paraphrast.train.recipe import ModelPart


class Outputs(NamedTuple):
    """What one forward pass gives.

    `relations` are logits [pairs, 2, 3]: from a to b and back, for entailment, neutral and
    contradiction; `states` feed the masked-word head.
    """

    score: Tensor
    relations: Tensor
    same: Tensor
    tags: Tensor
    states: Tensor

    @property
    def entailment(self) -> Tensor:
        """The logit of "b follows from a"."""
        chances = self.relations[:, 0].log_softmax(-1)
        return chances[:, 0] - chances[:, 1:].logsumexp(-1)


class EditEncoderNetwork(nn.Module):
    """Backbone, then heads: pooled state → score, relations and sameness; sub-word → tag logits.

    `masked_logits` is a masked-word head tied to the input embeddings.
    """

    def __init__(self, backbone: nn.Module, part: ModelPart) -> None:
        super().__init__()
        config: Any = backbone.config
        width = config.hidden_size
        self.backbone = backbone
        self.pooling = part.pooling
        self.typed = "token_type_ids" in inspect.signature(backbone.forward).parameters
        self.score = nn.Linear(width, 1)
        self.relations = nn.Linear(width, 2 * len(RELATIONS))
        self.same = nn.Linear(width, 1)
        self.tags = nn.Linear(width, 2)
        self.masked = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width))
        self.masked_bias = nn.Parameter(torch.zeros(config.vocab_size))
        freeze(backbone, part.frozen)

    @classmethod
    def create(cls, part: ModelPart) -> EditEncoderNetwork:
        """Load the backbone, from a directory or a hub, and put fresh heads on it."""
        return cls(load_backbone(part), part)

    @property
    def longest(self) -> int | None:
        """How many sub-words a pair may have, with its special tokens; None: no limit."""
        return longest_input(self.backbone)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Outputs:
        return self.heads(self.states(ids, mask, types), mask)

    def states(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Tensor:
        """Return what the backbone makes of the sub-words."""
        options = {"token_type_ids": types} if self.typed else {}
        states: Tensor = self.backbone(
            input_ids=ids, attention_mask=mask, **options
        ).last_hidden_state
        return states

    def heads(self, states: Tensor, mask: Tensor) -> Outputs:
        """Return what the heads make of the states."""
        pooled = self._pool(states, mask)
        return Outputs(
            self.score(pooled).squeeze(-1),
            self.relations(pooled).unflatten(-1, (2, len(RELATIONS))),
            self.same(pooled).squeeze(-1),
            self.tags(states),
            states,
        )

    def _pool(self, states: Tensor, mask: Tensor) -> Tensor:
        if self.pooling == "first":
            return states[:, 0]
        weights = mask.unsqueeze(-1).to(states.dtype)
        return (states * weights).sum(1) / weights.sum(1)

    def masked_logits(self, states: Tensor) -> Tensor:
        embeddings: Any = self.backbone.get_input_embeddings()  # type: ignore[operator]
        logits: Tensor = self.masked(states) @ embeddings.weight.T + self.masked_bias
        return logits
