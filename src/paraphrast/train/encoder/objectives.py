"""The losses: L = Σ over objectives of weight × mean over the batch.

Each is returned as a sum over examples, so that processes that hold parts of a batch add up to
the loss of the whole.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from paraphrast.train.encoder.encoder_network import EditEncoder, Outputs
from paraphrast.train.recipe import LossPart

Tensors = dict[str, Tensor]


def objectives(part: LossPart) -> tuple[str, ...]:
    """Name the losses in their order; masked words take part only where they have a weight."""
    return ("score", "entailment", "tags", *(["masked"] if part.masked else []))


class Objective(nn.Module):
    """Network and losses in one module: so `DistributedDataParallel` sees every weight in use."""

    def __init__(self, network: EditEncoder, part: LossPart) -> None:
        super().__init__()
        self.network = network
        self.part = part

    def forward(self, batch: Tensors) -> Tensor:
        """Return the sums of the objectives, in their order."""
        outputs = self.network(batch["ids"], batch["mask"], batch["types"])
        found = losses(self.network, batch, self.part, outputs)
        return torch.stack([found[name] for name in objectives(self.part)])


def losses(network: EditEncoder, batch: Tensors, part: LossPart, outputs: Outputs) -> Tensors:
    """Return the sum of each objective over the examples of the batch, weighted."""
    sums = {
        "score": part.score * _score(outputs.score, batch),
        "entailment": part.entailment * _entailment(outputs.entailment, batch),
        "tags": part.tags * _tags(outputs.tags, batch),
    }
    if part.masked:
        sums["masked"] = part.masked * _masked(network, outputs.states, batch)
    return sums


def _score(score: Tensor, batch: Tensors) -> Tensor:
    known = ~torch.isnan(batch["score"])
    error = (score[known] - batch["score"][known]) ** 2
    return (error * batch["weight"][known]).sum()


def _entailment(logit: Tensor, batch: Tensors) -> Tensor:
    known = ~torch.isnan(batch["entailment"])
    error = F.binary_cross_entropy_with_logits(
        logit[known], batch["entailment"][known], reduction="none"
    )
    return (error * batch["weight"][known]).sum()


def _tags(logits: Tensor, batch: Tensors) -> Tensor:
    """Cross-entropy of two classes, with labels that may be probabilities."""
    words = logits[batch["word_row"], batch["word_place"]].log_softmax(-1)
    tag = batch["word_tag"]
    error = -(words[:, 0] * (1 - tag) + words[:, 1] * tag)
    return (error * batch["word_weight"]).sum()


def _masked(network: EditEncoder, states: Tensor, batch: Tensors) -> Tensor:
    """Cross-entropy over the masked sub-words; their weights add up to the examples."""
    logits = network.masked_logits(states[batch["masked_row"], batch["masked_place"]])
    error = F.cross_entropy(logits, batch["masked_id"], reduction="none")
    return (error * batch["masked_weight"]).sum()
