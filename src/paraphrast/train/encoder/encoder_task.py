"""The edit encoder as a task: pairs of texts in; scores, entailments, tags and masked words out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import nn

from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.train.data.batches import EncoderBatch, collate
from paraphrast.train.data.examples import Coded
from paraphrast.train.encoder.encoder_network import EditEncoderNetwork
from paraphrast.train.encoder.masking import Masker
from paraphrast.train.encoder.objectives import Objective, objectives
from paraphrast.train.encoder.validation import figure_names, figures
from paraphrast.train.recipe import TrainingRecipe
from paraphrast.train.throughput import flops_per_token


@dataclass(frozen=True)
class EncoderTask:
    """See `TrainingTask`."""

    recipe: TrainingRecipe
    tokeniser: PairTokeniser
    network: EditEncoderNetwork
    masker: Masker | None

    @classmethod
    def create(cls, recipe: TrainingRecipe, tokeniser: PairTokeniser) -> EncoderTask:
        network = EditEncoderNetwork.create(recipe.model)
        masker = None
        if recipe.loss.masked:
            words = len(network.masked_bias)
            masker = Masker.of(tokeniser, recipe.loss.masked_share, words)
        return cls(recipe, tokeniser, network, masker)

    @property
    def longest(self) -> int | None:
        return self.network.longest

    @property
    def losses(self) -> tuple[str, ...]:
        return objectives(self.recipe.loss)

    @property
    def cost(self) -> float:
        return flops_per_token(self.network)

    def objective(self) -> nn.Module:
        return Objective(self.network, self.recipe.loss, self.recipe.loop.precision)

    def batch(self, examples: Sequence[Coded], step: int) -> EncoderBatch:
        made = collate(examples, self.tokeniser, self.recipe.source)
        return self.masker(made, [self.recipe.seed, step, 0]) if self.masker else made

    def figures(self, validation: Mapping[str, list[Coded]]) -> dict[str, float]:
        return figures(
            self.network,
            validation,
            self.tokeniser,
            self.recipe.source,
            precision=self.recipe.loop.precision,
        )

    def known(self, validation: Mapping[str, list[Coded]]) -> list[str]:
        return [name for source, rows in validation.items() for name in figure_names(source, rows)]
