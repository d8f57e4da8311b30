"""The generator as a task: sources in, targets out, and what it writes looked at as paraphrases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.train.data.examples import Coded
from paraphrast.train.generator.generator_batches import GeneratorBatch, GeneratorBatcher
from paraphrast.train.generator.generator_network import Generator
from paraphrast.train.generator.paraphrase_figures import FIGURES, JUDGED, judge, looked_at
from paraphrast.train.recipe import GenerationPart, TrainingRecipe
from paraphrast.train.throughput import flops_per_token
from paraphrast.train.training_task import products_in, tensors

_BATCH = 32
_WAYS = ("greedy", "sampled")


class Wording(nn.Module):
    """Generator and loss in one module."""

    def __init__(self, network: Generator, smoothing: float, precision: str = "float32") -> None:
        super().__init__()
        self.network = network
        self.smoothing = smoothing
        self.precision = precision

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        with products_in(self.precision, batch["weight"].device):
            error = self.network(batch, self.smoothing)
        total: Tensor = (error.sum(1) * batch["weight"]).sum()
        return total.unsqueeze(0)


@dataclass(frozen=True)
class GeneratorTask:
    """See `TrainingTask`."""

    recipe: TrainingRecipe
    tokeniser: PairTokeniser
    network: Generator
    writer: GeneratorBatcher

    @classmethod
    def create(cls, recipe: TrainingRecipe, tokeniser: PairTokeniser) -> GeneratorTask:
        network = Generator.create(recipe.model)
        writer = GeneratorBatcher.of(tokeniser, recipe.generation.codes, network.pad, network.end)
        return cls(recipe, tokeniser, network, writer)

    @property
    def longest(self) -> int | None:
        return None

    @property
    def losses(self) -> tuple[str, ...]:
        return ("wording",)

    @property
    def cost(self) -> float:
        """A sub-word passes the encoder or the decoder: more or less half of the weights."""
        return flops_per_token(self.network) / 2

    def objective(self) -> nn.Module:
        return Wording(self.network, self.recipe.loss.smoothing, self.recipe.loop.precision)

    def batch(self, examples: Sequence[Coded], step: int) -> GeneratorBatch:
        return self.writer.batch(examples, self.recipe.source)

    def known(self, validation: Mapping[str, list[Coded]]) -> list[str]:
        names = [*FIGURES, *(JUDGED if self.recipe.generation.judge else ())]
        written = [f"{way}_{name}" for way in _WAYS for name in names]
        return [f"{source}.{name}" for source in validation for name in ("likelihood", *written)]

    @torch.inference_mode()
    def figures(self, validation: Mapping[str, list[Coded]]) -> dict[str, float]:
        """Likelihood of the human targets, and figures of what is written greedily and sampled."""
        was = self.network.training
        self.network.eval()
        part = self.recipe.generation
        found: dict[str, float] = {}
        for name, rows in validation.items():
            found[f"{name}.likelihood"] = self._likelihood(rows)
            some = rows[: part.sentences]
            sources = [self._text(row.a.ids.tolist()) for row in some]
            targets = [self._text(row.b.ids.tolist()) for row in some]
            for way in _WAYS:
                texts = self.write(some, part, sampled=way == "sampled")
                seen = looked_at(sources, targets, texts)
                seen |= judge(part.judge, sources, texts) if part.judge else {}
                found |= {f"{name}.{way}_{figure}": value for figure, value in seen.items()}
        self.network.train(was)
        return found

    def write(self, rows: Sequence[Coded], part: GenerationPart, *, sampled: bool) -> list[str]:
        """Write one text for each row, copying as much as the recipe asks for; seeded."""
        torch.manual_seed(self.recipe.seed)
        how: dict[str, Any] = {"do_sample": sampled, "num_beams": 1}
        if sampled:
            how |= {"top_p": part.top_p, "top_k": 0}
        order = sorted(range(len(rows)), key=lambda place: len(rows[place].a))
        texts = [""] * len(rows)
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            ids, mask = self.writer.padded(
                [self.writer.source(rows[place].a, part.copied) for place in places]
            )
            out = self.network.backbone.generate(  # type: ignore[operator]
                input_ids=torch.from_numpy(ids).to(self._device),
                attention_mask=torch.from_numpy(mask).to(self._device),
                max_new_tokens=ids.shape[1] * 3 // 2 + 8,
                **how,
            )
            for place, text in zip(places, out.tolist(), strict=True):
                texts[place] = self._text(text)
        return texts

    def _likelihood(self, rows: Sequence[Coded]) -> float:
        """Mean log-probability of a sub-word of the targets."""
        total = count = 0.0
        ordered = sorted(rows, key=len)
        for start in range(0, len(ordered), _BATCH):
            batch = self.batch(ordered[start : start + _BATCH], 0)
            total += float(self.network(tensors(batch, self._device)).sum())
            count += float(batch.target_mask.sum())
        return -total / count

    def _text(self, ids: list[int]) -> str:
        return self.tokeniser.tokeniser.decode(ids, skip_special_tokens=True).strip()

    @property
    def _device(self) -> torch.device:
        return next(self.network.parameters()).device
