"""The first step: sentences of files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paraphrast.corpora.build import source_rows
from paraphrast.corpora.build.build_step import (
    NOTHING,
    SENTENCES,
    BuildStep,
    Resolve,
    build_step,
    check_files,
)
from paraphrast.errors import ConfigError

if TYPE_CHECKING:
    from paraphrast.corpora.build.corpus_recipe import CorpusRecipe
    from paraphrast.corpora.build.recipe_run import RecipeRun


@build_step("source", takes=(NOTHING,), gives=SENTENCES)
@dataclass(frozen=True, kw_only=True)
class SourceStep(BuildStep):
    """Sentences of files: FILE, or FILE:COLUMN of a table; the first `limit` rows, if given."""

    files: tuple[str, ...]
    limit: int | None = None

    def __post_init__(self) -> None:
        if not self.files:
            raise ConfigError("files is empty; name at least one file of sentences")
        if self.limit is not None and self.limit < 1:
            raise ConfigError(f"limit is {self.limit}; it must be at least 1")

    def check_resources(self, recipe: CorpusRecipe, resolve: Resolve) -> None:
        check_files(self.files, resolve)

    def apply(self, run: RecipeRun) -> None:
        fields = [run.resolve(name) for name in self.files]
        names = [Path(field.path).name for field in fields]
        identity = source_rows.identity(fields, self.limit)
        run.begin("source", identity, lambda: source_rows.sentences(fields, names, identity))
        run.sentences = run.last
