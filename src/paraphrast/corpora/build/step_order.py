"""What the steps of a recipe ask of each other: their order, and the systems' languages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from paraphrast.corpora.build.corpus_recipe import (
    NOTHING,
    PAIRS,
    Estimate,
    Negatives,
    Pair,
    Prompt,
    Recipe,
    Source,
    Split,
    Translate,
)
from paraphrast.corpora.translators.base import System
from paraphrast.errors import ConfigError, InputError, ModelError, did_you_mean


@contextmanager
def placed(recipe: Recipe, number: int) -> Iterator[None]:
    """Name the step in what is raised on its behalf."""
    at = f"step[{number}] ({recipe.uses[number]})"
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{at}: {error}") from error
    except InputError as error:
        raise InputError(f"{at}: {error}") from error
    except ModelError as error:
        raise ModelError(f"{at}: {error}") from error


def check_order(recipe: Recipe) -> None:
    """Refuse a step that does not take what the one before gives, and pairs after the split."""
    now, was_split = NOTHING, False
    for number, (step, use) in enumerate(zip(recipe.steps, recipe.uses, strict=True)):
        if now not in step.takes:
            needed = " or ".join(step.takes)
            raise ConfigError(f"step[{number}] ({use}) takes {needed}; before it there is {now}")
        if was_split and isinstance(step, Split | Negatives):
            why = "the pairs are split already; " + (
                "keep one split" if isinstance(step, Split) else "put the split after it"
            )
            raise ConfigError(f"step[{number}] ({use}): {why}")
        now, was_split = step.gives, was_split or isinstance(step, Split)
    if now != PAIRS:
        raise ConfigError(f"the last step leaves {now}; a corpus is made of pairs")


def check_languages(recipe: Recipe) -> None:
    """Refuse systems that are not there, too few, without a way back, or of other languages."""
    known = [system.name for system in recipe.systems]
    for number, step in enumerate(recipe.steps):
        with placed(recipe, number):
            if isinstance(step, Translate):
                _check_names(step, known)
    for number, step in enumerate(recipe.steps):
        with placed(recipe, number):
            if isinstance(step, Pair):
                _check_pair(step, recipe.translating)
            elif isinstance(step, Estimate):
                _check_estimate(recipe.translating)
            elif isinstance(step, Prompt) and step.premises and number == 0:
                raise ConfigError(
                    "there are no sentences to write paraphrases of; put a source before it"
                )
            elif isinstance(step, Negatives) and not step.files:
                _check_texts(recipe)


def _check_names(step: Translate, known: list[str]) -> None:
    if not known:
        raise ConfigError("the recipe has no [[system]]")
    for name in step.systems:
        if name not in known:
            near = did_you_mean(name, known)
            raise ConfigError(f"no system is called {name!r}{near}; there are {', '.join(known)}")


def _check_pair(step: Pair, systems: Sequence[System]) -> None:
    ways = " and ".join(step.ways)
    if len(systems) < 2 and set(step.ways) & {"target", "round-trip"}:
        names = ", ".join(system.name for system in systems)
        raise ConfigError(
            f"{ways} needs at least two systems; sentences are translated with {names} only"
        )
    _check_same("source", systems, "one sentence has one language")
    if "target" in step.ways:
        _check_same("target", systems, "their translations are no paraphrases of each other")
        there = systems[0].forward
        if set(step.ways) != {"target"} and there.source != there.target:
            raise ConfigError(
                f"{ways}: target gives pairs in {there.target}, the other ways in {there.source}; "
                "make a corpus of each"
            )
    lacking = [system.name for system in systems if system.backward is None]
    if lacking and set(step.ways) != {"target"}:
        raise ConfigError(
            f"{ways}: round trips need a way back, which {', '.join(lacking)} has not; give it "
            "back_modes or back_command"
        )


def _check_same(side: str, systems: Sequence[System], why: str) -> None:
    """Refuse systems that differ in their source or target language."""
    if len({getattr(system.forward, side) for system in systems}) > 1:
        said = ", ".join(f"{one.name} ({getattr(one.forward, side)})" for one in systems)
        raise ConfigError(f"the systems differ in {side}: {said}; {why}")


def _check_estimate(systems: Sequence[System]) -> None:
    if all(system.backward is None for system in systems):
        names = ", ".join(system.name for system in systems)
        raise ConfigError(
            f"quality is estimated by the way back, which no system has ({names}); give them "
            "back_modes or back_command, or leave the step out"
        )


def _check_texts(recipe: Recipe) -> None:
    """Refuse to mine the recipe's own sentences if there are none, or in another language."""
    if recipe.in_target_language:
        raise ConfigError(
            "the pairs are in the target language, and the recipe's sentences are not; give files "
            "of texts in the target language"
        )
    if not any(isinstance(step, Source) for step in recipe.steps):
        raise ConfigError("the recipe has no sentences to search; give files")
