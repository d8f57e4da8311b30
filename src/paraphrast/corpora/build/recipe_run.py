"""A recipe that is run: its steps become stages of the engine, one or more each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paraphrast.corpora.build.build_step import Resolve
from paraphrast.corpora.build.corpus_files import check_formats
from paraphrast.corpora.build.corpus_recipe import CorpusRecipe, naming_step
from paraphrast.corpora.build.usage_report import SystemLog, log_file
from paraphrast.corpora.translators.services.prompt_writers import PromptWriter
from paraphrast.corpora.translators.translator import Translator
from paraphrast.engine.stages import Made, Stages
from paraphrast.engine.step import Dropped, Row, Step, Whole
from paraphrast.errors import ConfigError


def check_recipe(recipe: CorpusRecipe, resolve: Resolve) -> None:
    """Refuse, before any work, what would stop a recipe later; errors tell the step."""
    try:
        check_formats(recipe.output.formats)
    except ConfigError as error:
        raise ConfigError(f"output.formats: {error}") from None
    for number, step in enumerate(recipe.steps):
        with naming_step(recipe, number):
            step.check_resources(recipe, resolve)


@dataclass
class RecipeRun:
    """Runs the steps of a recipe; keeps what each left.

    `resolve` turns the name of a file in the recipe into what to read. `results` are those of all
    stages in the order they were run, `last` is what the next step goes on with. Steps set
    `sentences`, which negatives are mined from, `pool`, the pairs that there were to sample from,
    and `lacking`, the mined pairs that each bin still lacks. `logs` tell which systems were used.
    """

    recipe: CorpusRecipe
    stages: Stages
    resolve: Resolve
    results: list[Made] = field(default_factory=list)
    logs: list[SystemLog] = field(default_factory=list)
    lacking: list[int] = field(default_factory=list)
    sentences: Made | None = None
    pool: Made | None = None
    _last: Made | None = None

    def run(self) -> Made:
        """Run every step and return what the last one left."""
        for number, step in enumerate(self.recipe.steps):
            with naming_step(self.recipe, number):
                step.apply(self)
        return self.last

    @property
    def last(self) -> Made:
        return self._last or self.results[-1]

    @property
    def labels(self) -> list[str]:
        """The names of the stages; one that comes again gets a number."""
        seen: Counter[str] = Counter()
        found = []
        for result in self.results:
            seen[result.name] += 1
            times = seen[result.name]
            found.append(result.name if times == 1 else f"{result.name} ({times})")
        return found

    def begin(
        self, name: str, identity: Mapping[str, Any], rows: Callable[[], Iterable[Row | Dropped]]
    ) -> None:
        """Go on with rows that no step before has left; `identity` is all that they depend on."""
        self.record(self.stages.begin(name, identity, rows))

    def each_row(self, worker: Step) -> None:
        """Run a worker over every shard of what is there."""
        self.record(self.stages.step(worker, self.last))

    def all_rows(self, worker: Whole) -> None:
        """Run a worker that must see all that is there."""
        self.record(self.stages.whole(worker, self.last))

    def record(self, result: Made, *, aside: bool = False) -> None:
        """Keep what a stage left; the next step goes on with it unless it is `aside`."""
        self.results.append(result)
        if not aside:
            self._last = result

    def usage_log(
        self,
        system: Translator | PromptWriter,
        kind: str,
        signature: Mapping[str, Any],
        before: Made,
    ) -> Path:
        """Return where a stage is to log what it uses of a system."""
        path = log_file(self.stages.folder, signature, before.key)
        path.parent.mkdir(exist_ok=True)
        log = SystemLog(
            name=system.name,
            kind=kind,
            version=str(system.signature.get("version", "")),
            price=getattr(system, "price", None),
            log=path,
        )
        self.logs.append(log)
        return path
