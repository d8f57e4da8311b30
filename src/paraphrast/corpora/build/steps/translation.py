"""Translation as a step of the pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paraphrast._version import VERSION
from paraphrast.corpora.build.build_step import (
    SENTENCES,
    TRANSLATED,
    BuildStep,
    Resolve,
    build_step,
)
from paraphrast.corpora.translators.spending import log_usage
from paraphrast.corpora.translators.translator import Failed, OpenTranslator, System
from paraphrast.engine.step import Dropped, Row, Work
from paraphrast.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from paraphrast.corpora.build.corpus_recipe import CorpusRecipe
    from paraphrast.corpora.build.recipe_run import RecipeRun


TARGET = "target"
WAYS = (TARGET, "round-trip", "source")


@build_step("translate", takes=(SENTENCES, TRANSLATED), gives=TRANSLATED)
@dataclass(frozen=True, kw_only=True)
class TranslateStep(BuildStep):
    """Translate with each of the `systems`, and back: all of the recipe unless some are named."""

    systems: tuple[str, ...] = ()

    def check_place(self, recipe: CorpusRecipe, number: int) -> None:
        known = [system.name for system in recipe.systems]
        if not known:
            raise ConfigError("the recipe has no [[system]]")
        for name in self.systems:
            if name not in known:
                near = did_you_mean(name, known)
                raise ConfigError(
                    f"no system is called {name!r}{near}; there are {', '.join(known)}"
                )

    def check_resources(self, recipe: CorpusRecipe, resolve: Resolve) -> None:
        for system in self.chosen(recipe):
            system.check()

    def chosen(self, recipe: CorpusRecipe) -> list[System]:
        """Return the systems that the step translates with, in its own order."""
        every = {system.name: system for system in recipe.systems}
        return [every[name] for name in self.systems or every]

    def apply(self, run: RecipeRun) -> None:
        ways = [way for step in run.recipe.steps for way in getattr(step, "ways", ())]
        way = next((way for way in ways if way != TARGET), TARGET)
        for system in self.chosen(run.recipe):
            worker, there = SystemTranslation(system, way), system.forward
            log = run.usage_log(there, there.backend, worker.signature, run.last)
            run.each_row(replace(worker, usage_log=log))


def translating(recipe: CorpusRecipe) -> tuple[System, ...]:
    """Return the systems that sentences are translated with, in the order of the recipe."""
    names = {
        system.name
        for step in recipe.steps
        if isinstance(step, TranslateStep)
        for system in step.chosen(recipe)
    }
    return tuple(system for system in recipe.systems if system.name in names)


@dataclass(frozen=True)
class SystemTranslation:
    """Add one system's translation of each sentence, and that translated back.

    In the "target" way pairs arise between translations, and a system that cannot go back leaves
    `back` without an entry; in the others pairs arise from round trips, so it must. A row with a
    translation that failed is dropped. What was used is appended to `usage_log` after every call;
    it is no part of the result.
    """

    system: System
    way: str = TARGET
    usage_log: Path | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            near = did_you_mean(self.way, WAYS)
            raise ConfigError(f"unknown way {self.way!r}{near}; there are {', '.join(WAYS)}")
        if self.way != TARGET and self.system.backward is None:
            raise ConfigError(
                f"round trips need a way back, which the system {self.system.name!r} has not; "
                "give it back_modes or back_command"
            )

    @property
    def name(self) -> str:
        return f"translate with {self.system.name}"

    @property
    def signature(self) -> Mapping[str, Any]:
        back = self.system.backward
        return {
            "step": "translate",
            "version": VERSION,
            "system": self.system.name,
            "way": self.way,
            "forward": self.system.forward.signature,
            "backward": back.signature if back else None,
        }

    @contextmanager
    def open(self) -> Iterator[Work]:
        with ExitStack() as stack:
            forward = stack.enter_context(self.system.forward.open())
            back = self.system.backward
            backward = stack.enter_context(back.open()) if back else None
            yield partial(self._work, forward, backward)

    def _work(
        self, forward: OpenTranslator, backward: OpenTranslator | None, rows: Sequence[Row]
    ) -> Iterable[Row | Dropped]:
        name = self.system.name
        try:
            there, back = _both(forward, backward, [row["text"] for row in rows])
        finally:  # what was paid is paid, whatever happened
            if self.usage_log:
                log_usage(self.usage_log, name, forward.usage)
                if backward:
                    log_usage(self.usage_log, f"{name}, back", backward.usage)
        for row, one, two in zip(rows, there, back, strict=True):
            if isinstance(one, Failed):
                yield Dropped(row, f"{name}: {one.reason}", one.detail)
            elif isinstance(two, Failed):
                yield Dropped(row, f"{name}, back: {two.reason}", two.detail)
            else:
                yield {
                    **row,
                    "translations": {**row.get("translations", {}), name: one},
                    "back": {**row.get("back", {}), **({name: two} if two is not None else {})},
                }


def _both(
    forward: OpenTranslator, backward: OpenTranslator | None, texts: Sequence[str]
) -> tuple[list[str | Failed], list[str | Failed | None]]:
    """Return the translations, and theirs back where there is one."""
    there = forward(texts)
    back: list[str | Failed | None] = [None] * len(texts)
    if backward:
        going = {n: text for n, text in enumerate(there) if isinstance(text, str)}
        for number, text in zip(going, backward(list(going.values())), strict=True):
            back[number] = text
    return there, back
