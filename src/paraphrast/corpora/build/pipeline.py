"""From a recipe to the stages of an engine: each step of the recipe becomes one or more of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from paraphrast.corpora.build import corpus_recipe as recipes
from paraphrast.corpora.build import source_rows as origin
from paraphrast.corpora.build import step_makers as parts
from paraphrast.corpora.build.prompted_rounds import prompted
from paraphrast.corpora.build.step_order import placed
from paraphrast.corpora.build.steps.negatives import shortfalls
from paraphrast.corpora.build.steps.translation import TARGET, TranslateStep
from paraphrast.corpora.build.usage_report import Asked, log_file
from paraphrast.corpora.translators.base import System, Translator
from paraphrast.corpora.translators.writers import Writer
from paraphrast.engine.stages import Made, Stages
from paraphrast.engine.step import Row
from paraphrast.io import Field

_TEXTS = "texts-"  # before the ids of texts that are only mined


@dataclass
class Pipeline:
    """Runs the steps of a recipe; keeps what each left.

    `resolve` turns the name of a file in the recipe into what to read. `made` holds all stages in
    the order they were run, `asked` the systems that they asked, `lacking` the mined pairs that
    each bin still lacks.
    """

    recipe: recipes.Recipe
    stages: Stages
    resolve: Callable[[str], Field]
    made: list[Made] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    lacking: list[int] = field(default_factory=list)
    _last: Made | None = None
    _sentences: Made | None = None
    _pool: Made | None = None

    def run(self) -> Made:
        """Run every step and return what the last one left."""
        for number, step in enumerate(self.recipe.steps):
            with placed(self.recipe, number):
                self._run(step)
        return self.last

    @property
    def last(self) -> Made:
        return self._last or self.made[-1]

    @property
    def pool(self) -> Made | None:
        """The pairs that were there to sample from; None if the recipe does not sample."""
        return self._pool

    @property
    def labels(self) -> list[str]:
        """The names of the stages; one that comes again gets a number."""
        seen: Counter[str] = Counter()
        found = []
        for made in self.made:
            seen[made.name] += 1
            times = seen[made.name]
            found.append(made.name if times == 1 else f"{made.name} ({times})")
        return found

    def log(
        self, system: Translator | Writer, kind: str, signature: Mapping[str, Any], before: Made
    ) -> Path:
        """Return where a stage is to log what it uses; the system counts as asked."""
        path = log_file(self.stages.folder, signature, before.key)
        path.parent.mkdir(exist_ok=True)
        said = Asked(
            name=system.name,
            kind=kind,
            version=str(system.signature.get("version", "")),
            price=getattr(system, "price", None),
            log=path,
        )
        self.asked.append(said)
        return path

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
        self._last = made

    def _source(self, step: recipes.Source) -> None:
        fields, names = self._fields(step.files)
        identity = origin.identity(fields, step.limit)
        rows = lambda: origin.sentences(fields, names, step.limit)  # noqa: E731
        self._done(self.stages.begin("source", identity, rows))
        self._sentences = self.last

    def _fields(self, files: tuple[str, ...]) -> tuple[list[Field], list[str]]:
        fields = [self.resolve(name) for name in files]
        return fields, [Path(field.path).name for field in fields]

    def _clean(self, step: recipes.Clean) -> None:
        self._done(self.stages.step(parts.clean(step), self.last))
        self._sentences = self.last

    def _deduplicate(self, step: recipes.Deduplicate) -> None:
        self._done(self.stages.whole(parts.deduplicate(step, self.recipe.seed), self.last))
        self._sentences = self.last

    def _rank(self, step: recipes.Rank) -> None:
        rated, best = parts.rank(step)
        self._done(self.stages.step(rated, self.last))
        self._done(self.stages.whole(best, self.last))

    def _translate(self, step: recipes.Translate) -> None:
        every: dict[str, System] = {system.name: system for system in self.recipe.systems}
        ways = [way for each in self.recipe.steps if isinstance(each, recipes.Pair)
                for way in each.ways]  # fmt: skip
        way = next((way for way in ways if way != TARGET), TARGET)
        for system in [every[name] for name in step.systems or every]:
            found = TranslateStep(system, way)
            there = system.forward
            log = self.log(there, there.backend, found.signature, self.last)
            self._done(self.stages.step(replace(found, usage_log=log), self.last))

    def _estimate(self, step: recipes.Estimate) -> None:
        self._done(self.stages.step(parts.estimate(step), self.last))

    def _pair(self, step: recipes.Pair) -> None:
        self._done(self.stages.step(parts.pair(step), self.last))
        self._pool = self.last

    def _prompt(self, step: recipes.Prompt) -> None:
        before = self.last if self.made else None
        for made in prompted(step, self.recipe.seed, self.stages, before, self):
            self._done(made)
        self._pool = self.last

    def _balance(self, step: recipes.Balance) -> None:
        self._pool = self.last
        self._done(self.stages.whole(parts.sample(step, self.recipe.seed), self.last))

    def _negatives(self, step: recipes.Negatives) -> None:
        texts = self._texts(step) if step.files else self._sentences
        if texts is None:  # `order` refuses such recipes
            raise AssertionError("there are no sentences to search")
        found = parts.negatives(step, self.recipe.seed, Kept(texts))
        self._done(self.stages.whole(found, self.last))
        rows = self.last.shards.rows()
        self.lacking = shortfalls(rows, per_bin=step.per_bin, lowest=step.lowest)

    def _texts(self, step: recipes.Negatives) -> Made:
        """Return the texts of files to search, cleaned; the pairs stay what comes last."""
        fields, names = self._fields(step.files)
        identity = {**origin.identity(fields, None), "ids": _TEXTS}
        rows = lambda: origin.sentences(fields, names, None, prefix=_TEXTS)  # noqa: E731
        made = self.stages.begin("texts", identity, rows)
        self.made.append(made)
        for found in parts.clean_texts(self.recipe, step):
            made = self.stages.step(found, made)
            self.made.append(made)
        return made

    def _split(self, step: recipes.Split) -> None:
        self._done(self.stages.whole(parts.split(step, self.recipe.seed), self.last))


@dataclass(frozen=True)
class Kept:
    """The texts of a stage, to be searched."""

    made: Made

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"key": self.made.key}

    def __call__(self) -> Iterator[Row]:
        return self.made.shards.rows()
