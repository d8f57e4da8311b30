"""From a recipe to the stages of an engine: each step of the recipe becomes one or more of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.corpora import balance, duplicates, intake, origin, pairing, splits
from paraphrast.corpora import recipe as recipes
from paraphrast.corpora.negatives import Mining, Negatives
from paraphrast.corpora.quality import QualityStep
from paraphrast.corpora.ranking import KeepBest, KenlmStep, PerplexityStep
from paraphrast.corpora.translators.base import System
from paraphrast.corpora.translators.steps import TranslateStep
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

    recipe: recipes.Recipe
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

    def _run(self, step: recipes.StepPart) -> None:
        runners: Mapping[type[Any], Callable[[Any], None]] = {
            recipes.Source: self._source,
            recipes.Clean: self._clean,
            recipes.Deduplicate: self._deduplicate,
            recipes.Rank: self._rank,
            recipes.Translate: self._translate,
            recipes.Estimate: self._estimate,
            recipes.Pair: self._pair,
            recipes.Prompt: self._prompt,
            recipes.Balance: self._balance,
            recipes.Negatives: self._negatives,
            recipes.Split: self._split,
        }
        runners[type(step)](step)

    def _done(self, made: Made) -> None:
        self.made.append(made)

    def _source(self, step: recipes.Source) -> None:
        fields = [self.resolve(name) for name in step.files]
        names = [Path(field.path).name for field in fields]
        identity = origin.identity(fields, step.limit)
        rows = lambda: origin.sentences(fields, names, step.limit)  # noqa: E731
        self._done(self.stages.begin("source", identity, rows))
        self._sentences = self.last

    def _clean(self, step: recipes.Clean) -> None:
        found = intake.IntakeStep(**asdict(step), name="clean")
        self._done(self.stages.step(found, self.last))
        self._sentences = self.last

    def _deduplicate(self, step: recipes.Deduplicate) -> None:
        found = duplicates.Deduplicate(near=step.near, seed=self.recipe.seed)
        self._done(self.stages.whole(found, self.last))
        self._sentences = self.last

    def _rank(self, step: recipes.Rank) -> None:
        if step.by not in RANKS:
            near = did_you_mean(step.by, RANKS)
            raise ConfigError(f"unknown by {step.by!r}{near}; known: {', '.join(RANKS)}")
        if step.by == "perplexity":
            self._done(self.stages.step(PerplexityStep(model=step.model, threads=1), self.last))
        else:
            self._done(self.stages.step(KenlmStep(model=step.model), self.last))
        self._done(self.stages.whole(KeepBest(keep=step.keep, name="rank"), self.last))

    def _translate(self, step: recipes.Translate) -> None:
        way = next(
            (each.ways[0] for each in self.recipe.steps if isinstance(each, recipes.Pair)), "target"
        )
        for system in self._systems(step.systems):
            found = TranslateStep(system, way, usage_log=self.usage)
            self._done(self.stages.step(found, self.last))

    def _systems(self, names: Sequence[str]) -> list[System]:
        every = {system.name: system for system in self.recipe.systems}
        return [every[name] for name in names or every]

    def _estimate(self, step: recipes.Estimate) -> None:
        found = QualityStep(metric=step.metric, tokenize=step.tokenize, name="estimate")
        self._done(self.stages.step(found, self.last))

    def _pair(self, step: recipes.Pair) -> None:
        found = pairing.PairStep(ways=step.ways, tokenize=step.tokenize)
        self._done(self.stages.step(found, self.last))
        self._pool = self.last

    def _prompt(self, step: recipes.Prompt) -> None:
        from paraphrast.corpora.prompting import prompted

        for made in prompted(step, self.recipe.seed, self.stages, self._before(), self):
            self._done(made)
        self._pool = self.last

    def _before(self) -> Made | None:
        return self.made[-1] if self.made else None

    def _balance(self, step: recipes.Balance) -> None:
        self._pool = self.last
        found = balance.Balance(
            per_bin=step.per_bin, repeat_sources=step.repeat_sources, seed=self.recipe.seed
        )
        self._done(self.stages.whole(found, self.last))

    def _negatives(self, step: recipes.Negatives) -> None:
        texts = self._texts(step)
        judge = Adequacy(step.judge) if step.judge else None
        mining = Mining(
            tokenize=step.tokenize, seed=self.recipe.seed, judge=judge, ceiling=step.ceiling
        )
        found = Negatives(
            sentences=Kept(texts), per_bin=step.per_bin, lowest=step.lowest, mining=mining
        )
        self._done(self.stages.whole(found, self.last))

    def _texts(self, step: recipes.Negatives) -> Made:
        """Return the monolingual texts to search: files of the step, or the recipe's sentences."""
        if step.files:
            fields = [self.resolve(name) for name in step.files]
            names = [Path(field.path).name for field in fields]
            rows = lambda: origin.sentences(fields, names, None)  # noqa: E731
            made = self.stages.begin("texts", origin.identity(fields, None), rows)
            self.made.insert(len(self.made) - 1, made)
            return made
        paired = [each for each in self.recipe.steps if isinstance(each, recipes.Pair)]
        if any("target" in each.ways for each in paired):
            raise ConfigError(
                "the pairs are in the target language, and the recipe's sentences are not; give "
                "files of texts in the target language"
            )
        if self._sentences is None:
            raise ConfigError("the recipe has no sentences to search; give files")
        return self._sentences

    def _split(self, step: recipes.Split) -> None:
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
