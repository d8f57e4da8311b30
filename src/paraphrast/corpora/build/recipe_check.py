"""Refuse, before any work, what would stop a recipe later: values, files, models, programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paraphrast.corpora.build import corpus_recipe as recipes
from paraphrast.corpora.build import prompted_rounds as prompting
from paraphrast.corpora.build import step_makers as parts
from paraphrast.corpora.build.corpus_files import check_formats, check_split
from paraphrast.corpora.build.step_order import placed
from paraphrast.corpora.build.steps.quality import SBLEU
from paraphrast.corpora.build.steps.ranking import KenlmStep
from paraphrast.engine.step import Row, Step
from paraphrast.engine.supervised import Supervised
from paraphrast.errors import ConfigError
from paraphrast.io import Field, Rows

Resolve = Callable[[str], Field]
"""From the name of a file in the recipe to what to read."""


def check_recipe(recipe: recipes.Recipe, resolve: Resolve) -> None:
    """Make every step and look for everything that it names; errors tell the step."""
    try:
        check_formats(recipe.output.formats)
    except ConfigError as error:
        raise ConfigError(f"output.formats: {error}") from None
    for number, step in enumerate(recipe.steps):
        with placed(recipe, number):
            _check(step, recipe, resolve)
    for system in recipe.translating:
        system.check()


def _check(step: recipes.StepPart, recipe: recipes.Recipe, resolve: Resolve) -> None:
    seed = recipe.seed
    makers: Mapping[type[Any], Callable[[Any], Any]] = {
        recipes.Source: lambda one: _check_files(one.files, resolve),
        recipes.Clean: parts.clean,
        recipes.Deduplicate: lambda one: parts.deduplicate(one, seed),
        recipes.Rank: _check_rank,
        recipes.Translate: lambda one: None,
        recipes.Estimate: _check_estimate,
        recipes.Pair: parts.pair,
        recipes.Prompt: lambda one: prompting.check_prompt(one, resolve),
        recipes.Balance: lambda one: parts.sample(one, seed),
        recipes.Negatives: lambda one: _check_negatives(one, recipe, resolve),
        recipes.Split: lambda one: _check_split(one, seed),
    }
    makers[type(step)](step)


def _check_files(files: tuple[str, ...], resolve: Resolve) -> None:
    """Read the first row of each file: a wrong column or kind of file shows there."""
    for name in files:
        next(iter(Rows([resolve(name)])), None)


def _check_rank(step: recipes.Rank) -> None:
    rated, _ = parts.rank(step)
    if not isinstance(rated, KenlmStep):  # n-gram models may be huge; their file is there
        _open(rated)


def _check_estimate(step: recipes.Estimate) -> None:
    rated = parts.estimate(step)
    if rated.metric != SBLEU:  # which loads nothing
        _open(rated)


def _open(step: Step) -> None:
    """Load what the step loads: a model that cannot be found or read shows here.

    It is loaded by a worker, which ends: the job would keep its memory for all other steps.
    """
    worker = Supervised(step)
    try:
        worker.open()
    finally:
        worker.close()


def _check_negatives(step: recipes.Negatives, recipe: recipes.Recipe, resolve: Resolve) -> None:
    _check_files(step.files, resolve)
    parts.negatives(step, recipe.seed, _Nothing()).signature  # noqa: B018  (finds the judge)
    parts.clean_texts(recipe, step)


def _check_split(step: recipes.Split, seed: int) -> None:
    parts.split(step, seed)
    for name in step.shares:
        check_split(name)


@dataclass(frozen=True)
class _Nothing:
    """Stands for texts that are not there yet."""

    @property
    def signature(self) -> Mapping[str, Any]:
        return {}

    def __call__(self) -> Iterator[Row]:
        return iter(())
