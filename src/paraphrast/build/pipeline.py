"""From a recipe to the stages of an engine: each step of the recipe becomes one or more of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.build import balance, duplicates, intake, origin, pairing, recipe, splits
from paraphrast.build.negatives import Mining, Negatives
from paraphrast.build.quality import QualityStep
from paraphrast.build.ranking import KeepBest, KenlmStep, PerplexityStep
from paraphrast.build.translators.base import System
from paraphrast.build.translators.steps import TranslateStep
from paraphrast.engine.stages import Made, Stages
from paraphrast.engine.step import Row
from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.io import Field
from paraphrast.models.encoder import EditEncoder
from paraphrast.models.tagscores import sigmoid

RANKS = ("perplexity", "kenlm")
USAGE = "usage.jsonl"


@dataclass
class Pipeline:
    """Runs the steps of a recipe; keeps what each left.

    `resolve` turns the name of a file in the recipe into what to read.
    """

    recipe: recipe.Recipe
    stages: Stages
    resolve: Callable[[str], Field]
    made: list[Made] = field(default_factory=list)
    _sentences: Made | None = None
    _pool: Made | None = None

    def run(self) -> Made:
        """Run every step and return what the last one left."""
        for number, step in enumerate(self.recipe.steps):
            try:
                self._run(step)
            except ConfigError as error:
                use = self.recipe.uses[number]
                raise ConfigError(f"step[{number}] ({use}): {error}") from error
        return self.last

    @property
    def last(self) -> Made:
        return self.made[-1]

    @property
    def pool(self) -> Made | None:
        """The pairs that were there to sample from; None if the recipe does not sample."""
        return self._pool

    @property
    def usage(self) -> Path:
        """Where the systems' usage is logged."""
        return self.stages.folder / USAGE

    def _run(self, step: recipe.StepPart) -> None:
        runners: Mapping[type[Any], Callable[[Any], None]] = {
            recipe.Source: self._source,
            recipe.Clean: self._clean,
            recipe.Deduplicate: self._deduplicate,
            recipe.Rank: self._rank,
            recipe.Translate: self._translate,
            recipe.Estimate: self._estimate,
            recipe.Pair: self._pair,
            recipe.Prompt: self._prompt,
            recipe.Balance: self._balance,
            recipe.Negatives: self._negatives,
            recipe.Split: self._split,
        }
        runners[type(step)](step)

    def _done(self, made: Made) -> None:
        self.made.append(made)

    def _source(self, step: recipe.Source) -> None:
        fields = [self.resolve(name) for name in step.files]
        names = [Path(field.path).name for field in fields]
        identity = origin.identity(fields, step.limit)
        rows = lambda: origin.sentences(fields, names, step.limit)  # noqa: E731
        self._done(self.stages.begin("source", identity, rows))
        self._sentences = self.last

    def _clean(self, step: recipe.Clean) -> None:
        found = intake.IntakeStep(**asdict(step), name="clean")
        self._done(self.stages.step(found, self.last))
        self._sentences = self.last

    def _deduplicate(self, step: recipe.Deduplicate) -> None:
        found = duplicates.Deduplicate(near=step.near, seed=self.recipe.seed)
        self._done(self.stages.whole(found, self.last))
        self._sentences = self.last

    def _rank(self, step: recipe.Rank) -> None:
        if step.by not in RANKS:
            near = did_you_mean(step.by, RANKS)
            raise ConfigError(f"unknown by {step.by!r}{near}; known: {', '.join(RANKS)}")
        if step.by == "perplexity":
            self._done(self.stages.step(PerplexityStep(model=step.model), self.last))
        else:
            self._done(self.stages.step(KenlmStep(model=step.model), self.last))
        self._done(self.stages.whole(KeepBest(keep=step.keep, name="rank"), self.last))

    def _translate(self, step: recipe.Translate) -> None:
        way = next(
            (each.ways[0] for each in self.recipe.steps if isinstance(each, recipe.Pair)), "target"
        )
        for system in self._systems(step.systems):
            found = TranslateStep(system, way, usage_log=self.usage)
            self._done(self.stages.step(found, self.last))

    def _systems(self, names: Sequence[str]) -> list[System]:
        every = {system.name: system for system in self.recipe.systems}
        return [every[name] for name in names or every]

    def _estimate(self, step: recipe.Estimate) -> None:
        found = QualityStep(metric=step.metric, tokenize=step.tokenize, name="estimate")
        self._done(self.stages.step(found, self.last))

    def _pair(self, step: recipe.Pair) -> None:
        found = pairing.PairStep(ways=step.ways, tokenize=step.tokenize)
        self._done(self.stages.step(found, self.last))
        self._pool = self.last

    def _prompt(self, step: recipe.Prompt) -> None:
        from paraphrast.build.prompting import prompted

        for made in prompted(step, self.recipe.seed, self.stages, self._before(), self):
            self._done(made)
        self._pool = self.last

    def _before(self) -> Made | None:
        return self.made[-1] if self.made else None

    def _balance(self, step: recipe.Balance) -> None:
        self._pool = self.last
        found = balance.Balance(
            per_bin=step.per_bin, repeat_sources=step.repeat_sources, seed=self.recipe.seed
        )
        self._done(self.stages.whole(found, self.last))

    def _negatives(self, step: recipe.Negatives) -> None:
        texts = self._texts(step)
        judge = Adequacy(step.judge) if step.judge else None
        mining = Mining(
            tokenize=step.tokenize, seed=self.recipe.seed, judge=judge, ceiling=step.ceiling
        )
        found = Negatives(
            sentences=Kept(texts), per_bin=step.per_bin, lowest=step.lowest, mining=mining
        )
        self._done(self.stages.whole(found, self.last))

    def _texts(self, step: recipe.Negatives) -> Made:
        """Return the monolingual texts to search: files of the step, or the recipe's sentences."""
        if step.files:
            fields = [self.resolve(name) for name in step.files]
            names = [Path(field.path).name for field in fields]
            rows = lambda: origin.sentences(fields, names, None)  # noqa: E731
            made = self.stages.begin("texts", origin.identity(fields, None), rows)
            self.made.insert(len(self.made) - 1, made)
            return made
        paired = [each for each in self.recipe.steps if isinstance(each, recipe.Pair)]
        if any("target" in each.ways for each in paired):
            raise ConfigError(
                "the pairs are in the target language, and the recipe's sentences are not; give "
                "files of texts in the target language"
            )
        if self._sentences is None:
            raise ConfigError("the recipe has no sentences to search; give files")
        return self._sentences

    def _split(self, step: recipe.Split) -> None:
        found = splits.Split(shares=step.shares, seed=self.recipe.seed)
        self._done(self.stages.whole(found, self.last))


@dataclass(frozen=True)
class Kept:
    """The texts of a stage, to be searched."""

    made: Made

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"key": self.made.key}

    def __call__(self) -> Iterator[Row]:
        return self.made.shards.rows()


@dataclass(frozen=True)
class Adequacy:
    """An edit encoder that says how sure it is that two texts follow from each other."""

    model: str
    name: str = "adequacy"

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"encoder": EditEncoder.load(self.model).card.fingerprint}

    def __call__(self, texts1: Sequence[str], texts2: Sequence[str]) -> list[float]:
        """Return the lower probability of both directions."""
        pairs = list(zip(texts1, texts2, strict=True))
        found = EditEncoder.load(self.model).summaries([*pairs, *((b, a) for a, b in pairs)])
        both = sigmoid(np.array([one.entailment for one in found])).reshape(2, -1)
        return [float(value) for value in both.min(axis=0)]
