"""The losses: L = Σ over objectives of weight × mean over the batch.

Each is returned as a sum over examples, so that processes that hold parts of a batch add up to
the loss of the whole.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from paraphrast.train.encoder.encoder_network import EditEncoderNetwork, Outputs
from paraphrast.train.recipe import LossPart
from paraphrast.train.training_task import products_in

Tensors = dict[str, Tensor]

LEAST_RATED = 4  # pairs of a batch, for a correlation


def objectives(part: LossPart) -> tuple[str, ...]:
    """Name the losses in their order; masked words take part only where they have a weight."""
    return ("score", "relations", "same", "tags", *(["masked"] if part.masked else []))


class Objective(nn.Module):
    """Network and losses in one module: so `DistributedDataParallel` sees every weight in use."""

    def __init__(
        self, network: EditEncoderNetwork, part: LossPart, precision: str = "float32"
    ) -> None:
        super().__init__()
        self.network = network
        self.part = part
        self.precision = precision

    def forward(self, batch: Tensors) -> Tensor:
        """Return the sums of the objectives, in their order."""
        outputs = read_batch(self.network, batch, self.precision)
        found = losses(self.network, batch, self.part, outputs)
        return torch.stack([found[name] for name in objectives(self.part)])


def read_batch(network: EditEncoderNetwork, batch: Tensors, precision: str) -> Outputs:
    """Run the backbone in the precision, the heads in float32."""
    with products_in(precision, batch["ids"].device):
        states = network.states(batch["ids"], batch["mask"], batch["types"])
    return network.heads(states.float(), batch["mask"])


def losses(
    network: EditEncoderNetwork, batch: Tensors, part: LossPart, outputs: Outputs
) -> Tensors:
    """Return the sum of each objective over the examples of the batch, weighted."""
    sums = {
        "score": part.score * _score(outputs.score, batch)
        + part.correlation * correlation_loss(outputs.score, batch),
        "relations": part.relations * _relations(outputs.relations, batch),
        "same": part.same * _same(outputs.same, batch),
        "tags": part.tags * _tags(outputs.tags, batch),
    }
    if part.masked:
        sums["masked"] = part.masked * _masked(network, outputs.states, batch)
    return sums


def _score(score: Tensor, batch: Tensors) -> Tensor:
    known = ~torch.isnan(batch["score"])
    error = (score[known] - batch["score"][known]) ** 2
    return (error * batch["weight"][known]).sum()


def correlation_loss(score: Tensor, batch: Tensors) -> Tensor:
    """One minus Pearson's r of the rated pairs of the batch, times their weights; 0 for a few."""
    known = ~torch.isnan(batch["score"])
    if known.sum() < LEAST_RATED:
        return score.sum() * 0
    guess, truth = (values[known] - values[known].mean() for values in (score, batch["score"]))
    r = (guess * truth).sum() / (guess.norm() * truth.norm()).clamp_min(1e-6)
    loss: Tensor = (1 - r) * batch["weight"][known].sum()
    return loss


def _relations(logits: Tensor, batch: Tensors) -> Tensor:
    """Cross-entropy of both directions, half of it each."""
    forward, backward = (
        _relation(one, batch[way], batch["weight"])
        for way, one in zip(("forward", "backward"), logits.unbind(1), strict=True)
    )
    return forward + backward


def _relation(logits: Tensor, label: Tensor, weight: Tensor) -> Tensor:
    """Cross-entropy of three classes, or of entailment against the rest where no more is known."""
    chances = logits.log_softmax(-1)
    three, known = ~torch.isnan(label).any(-1), ~torch.isnan(label[:, 0])
    whole = -(label[three] * chances[three]).sum(-1)
    two = known & ~three
    entailment = label[two, 0]
    rest = chances[two, 1:].logsumexp(-1)
    part = -(entailment * chances[two, 0] + (1 - entailment) * rest)
    return ((whole * weight[three]).sum() + (part * weight[two]).sum()) / 2


def _same(logit: Tensor, batch: Tensors) -> Tensor:
    known = ~torch.isnan(batch["same"])
    error = F.binary_cross_entropy_with_logits(logit[known], batch["same"][known], reduction="none")
    return (error * batch["weight"][known]).sum()


def _tags(logits: Tensor, batch: Tensors) -> Tensor:
    """Cross-entropy of two classes, with labels that may be probabilities."""
    words = logits[batch["word_row"], batch["word_place"]].log_softmax(-1)
    tag = batch["word_tag"]
    error = -(words[:, 0] * (1 - tag) + words[:, 1] * tag)
    return (error * batch["word_weight"]).sum()


def _masked(network: EditEncoderNetwork, states: Tensor, batch: Tensors) -> Tensor:
    """Cross-entropy over the masked sub-words; their weights add up to the examples."""
    logits = network.masked_logits(states[batch["masked_row"], batch["masked_place"]])
    error = F.cross_entropy(logits, batch["masked_id"], reduction="none")
    return (error * batch["masked_weight"]).sum()
