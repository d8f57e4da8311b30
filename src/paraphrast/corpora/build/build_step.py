"""One step of a corpus build is one class: what it takes and gives, its keys, its check, its work.

A class of `steps/` is found by its file; one of another package by its entry point in the group
`paraphrast.build_steps`, or because the running program has defined it.
"""

from __future__ import annotations

import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, TypeVar

from paraphrast.engine.step import Step
from paraphrast.engine.supervised import Supervised
from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.io import Field, Rows
from paraphrast.registry import Registry

if TYPE_CHECKING:
    from paraphrast.corpora.build.corpus_recipe import CorpusRecipe
    from paraphrast.corpora.build.recipe_run import RecipeRun

NOTHING, SENTENCES, TRANSLATED, PAIRS = KINDS = (
    "nothing", "sentences", "translated sentences", "pairs"
)  # fmt: skip
"""What there may be before and after a step."""

GROUP = "paraphrast.build_steps"
_PACKAGE = "paraphrast.corpora.build.steps"

Resolve = Callable[[str], Field]
"""From the name of a file in the recipe to what to read."""


class BuildStep(ABC):
    """A step; its subclasses are frozen dataclasses whose fields are the keys of the recipe.

    A field called `seed` has the recipe's seed unless the step's table gives another. Values that
    are wrong in themselves are refused by `__post_init__`.
    """

    use: ClassVar[str]
    takes: ClassVar[tuple[str, ...]]
    gives: ClassVar[str]

    def check_place(self, recipe: CorpusRecipe, number: int) -> None:
        """Refuse what does not fit the recipe's other steps or systems; this is step `number`."""
        return

    def check_resources(self, recipe: CorpusRecipe, resolve: Resolve) -> None:
        """Refuse, before any work, what would stop the step later: files, models, programs."""
        return

    @abstractmethod
    def apply(self, run: RecipeRun) -> None:
        """Do the step's work on what the steps before it left."""


_CLASSES: dict[str, type[BuildStep]] = {}
_StepClass = TypeVar("_StepClass", bound=type[BuildStep])


def build_step(
    use: str, *, takes: tuple[str, ...], gives: str
) -> Callable[[_StepClass], _StepClass]:
    """Register a class as the step that recipes call `use`.

    `takes` lists what there may be before it, `gives` is what it leaves: of `KINDS`.
    """

    def register(kind: _StepClass) -> _StepClass:
        known = _CLASSES.get(use)
        if known and (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
            raise ConfigError(
                f"{kind.__module__} calls a step {use!r}, as {known.__module__} does; rename it"
            )
        kind.use, kind.takes, kind.gives = use, takes, gives
        _CLASSES[use] = kind
        return kind

    return register


def step_names() -> list[str]:
    """Return the names of all steps: ours in the order of a recipe, then those of others."""
    own, others = _own(), {name for name in _CLASSES if name not in _own()}
    return [*own, *sorted(others | {*_registry(own).plugins()})]


def step_class(use: str) -> type[BuildStep]:
    """Return the class of a step; ConfigError with the nearest name if there is none."""
    own = _own()
    if use in own or use in _CLASSES:
        return _CLASSES[use]
    registry = _registry(own)
    if use not in registry.plugins():
        names = step_names()
        near = did_you_mean(use, names)
        raise ConfigError(f"unknown step {use!r}{near}; known: {', '.join(names)}")
    found = registry.load(use)
    if _CLASSES.get(use) is not found:
        raise ConfigError(f"the plug-in {use!r} is no class with @build_step({use!r}, …)")
    return _CLASSES[use]


def _registry(own: list[str]) -> Registry:
    return Registry("step", GROUP, {name: f"{_CLASSES[name].__module__}" for name in own})


def _own() -> list[str]:
    """Import our steps and return their names, by what they give and take."""
    for module in pkgutil.iter_modules(import_module(_PACKAGE).__path__, f"{_PACKAGE}."):
        import_module(module.name)
    own = [name for name, kind in _CLASSES.items() if kind.__module__.startswith(f"{_PACKAGE}.")]
    return sorted(own, key=_place)


def _place(name: str) -> tuple[int, int, str]:
    kind = _CLASSES[name]
    return KINDS.index(kind.gives), KINDS.index(kind.takes[0]), name


def check_files(files: tuple[str, ...], resolve: Resolve) -> None:
    """Read the first row of each file: a wrong column or kind of file shows there."""
    for name in files:
        next(iter(Rows([resolve(name)])), None)


def check_loading(worker: Step) -> None:
    """Load what a worker loads: a model that cannot be found or read shows here.

    A process of its own loads it and ends: the job would keep its memory for all other steps.
    """
    supervised = Supervised(worker)
    try:
        supervised.open()
    finally:
        supervised.close()
