"""What the loop asks of a kind of model: batches, losses and figures. The rest is alike for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.train.data.examples import Coded
from paraphrast.train.recipe import TrainingRecipe


class Shares(Protocol):
    """Arrays of a step, a row for each example: a dataclass, so that `tensors` can name them."""

    def __len__(self) -> int: ...

    @property
    def tokens(self) -> int:
        """How many sub-words are read and written."""
        ...

    def share(self, index: int, of: int) -> Shares:
        """Return the part of one process among several; all parts add up to the whole."""
        ...


def tensors(batch: Any, device: torch.device) -> dict[str, Tensor]:
    """Return the arrays of a batch, which is a dataclass, by name, on the device."""
    return {
        field.name: torch.from_numpy(getattr(batch, field.name)).to(device)
        for field in fields(batch)
    }


def products_in(precision: str, device: torch.device) -> AbstractContextManager[Any]:
    """Compute matrix products in this precision; what is stored stays float32."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bfloat16")


class TrainingTask(Protocol):
    """A network of one kind, and how it is trained and looked at."""

    @property
    def network(self) -> nn.Module:
        """The module whose weights are trained and kept."""
        ...

    @property
    def longest(self) -> int | None:
        """How many sub-words a pair may have; None: no limit."""
        ...

    @property
    def losses(self) -> tuple[str, ...]:
        """The names of the losses, in the order of the objective's sums."""
        ...

    @property
    def cost(self) -> float:
        """Floating-point operations that training takes for each sub-word."""
        ...

    def objective(self) -> nn.Module:
        """Return network and losses in one module: batch → sums of the losses."""
        ...

    def batch(self, examples: Sequence[Coded], step: int) -> Shares:
        """Line up the examples of a step."""
        ...

    def figures(self, validation: Mapping[str, list[Coded]]) -> dict[str, float]:
        """Look at the held-out rows: "source.figure" for each, higher is better or neutral."""
        ...

    def known(self, validation: Mapping[str, list[Coded]]) -> list[str]:
        """Name the figures that held-out rows will give."""
        ...


def make_task(recipe: TrainingRecipe, tokeniser: PairTokeniser) -> TrainingTask:
    """Load the network of the recipe's kind."""
    if recipe.kind == "generator":
        from paraphrast.train.generator.generator_task import GeneratorTask

        return GeneratorTask.create(recipe, tokeniser)
    from paraphrast.train.encoder.encoder_task import EncoderTask

    return EncoderTask.create(recipe, tokeniser)


def check_selected(select: Mapping[str, float], known: Sequence[str]) -> None:
    """Refuse a recipe that chooses by a figure its validation data cannot give."""
    for name in select:
        if name not in known:
            raise ConfigError(
                f"loop.select: there is no figure {name!r}{did_you_mean(name, known)}; "
                f"the validation data give: {', '.join(known) or 'none'}"
            )
