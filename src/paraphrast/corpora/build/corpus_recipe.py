"""Recipes of corpora: TOML files that list steps, parsed into frozen dataclasses.

Every step is a table with `use`, its name, and keys of its own: the fields of its class.
`[[system]]` tables are translation systems that steps name.
"""

from __future__ import annotations

import dataclasses
import hashlib
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paraphrast.corpora.build.build_step import NOTHING, PAIRS, BuildStep, step_class, step_names
from paraphrast.corpora.translators.system_tables import read_systems
from paraphrast.corpora.translators.translator import System
from paraphrast.errors import ConfigError, InputError, ModelError
from paraphrast.io.toml_tables import build


@dataclass(frozen=True, kw_only=True)
class OutputPart:
    """The corpus that is left at the end, and what its data card says beside the figures."""

    formats: tuple[str, ...] = ("jsonl",)
    language: str = ""
    licence: str = ""
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class CorpusRecipe:
    """A whole recipe; `text` is its file."""

    name: str
    seed: int
    steps: tuple[BuildStep, ...]
    systems: tuple[System, ...] = ()
    output: OutputPart = OutputPart()
    shard: int = 1000
    text: str = field(default="", repr=False)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class _File:
    """The tables of the file, before their own keys are looked at."""

    name: str
    step: tuple[dict[str, Any], ...] = ()
    seed: int = 13
    shard: int = 1000
    output: OutputPart = OutputPart()


def read_recipe(path: Path) -> CorpusRecipe:
    """Parse a recipe; errors name the file and the key."""
    try:
        text = path.read_text(encoding="utf-8")
        table = tomllib.loads(text)
    except FileNotFoundError:
        raise ConfigError(f"there is no recipe {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path} is not a recipe: {error}") from None
    try:
        return _recipe(table, text)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def _recipe(table: dict[str, Any], text: str) -> CorpusRecipe:
    raw_steps, raw_systems = table.pop("step", []), table.pop("system", [])
    found = build(_File, table)
    if not isinstance(raw_steps, list) or not raw_steps:
        raise ConfigError("there is no [[step]]")
    if found.shard < 1:
        raise ConfigError(f"shard is {found.shard}; it must be at least 1")
    if not -(1 << 63) <= found.seed < 1 << 63:
        raise ConfigError(f"seed is {found.seed}; it must be a number of 64 bits")
    recipe = CorpusRecipe(
        name=found.name,
        seed=found.seed,
        steps=tuple(
            _step(each, f"step[{number}]", found.seed) for number, each in enumerate(raw_steps)
        ),
        systems=tuple(read_systems(raw_systems)),
        output=found.output,
        shard=found.shard,
        text=text,
    )
    check_order(recipe)
    return recipe


def _step(table: Any, at: str, seed: int) -> BuildStep:
    if not isinstance(table, dict) or not isinstance(table.get("use"), str):
        raise ConfigError(f'{at}: a step needs use = "NAME"; known: {", ".join(step_names())}')
    try:
        kind = step_class(table["use"])
    except ConfigError as error:
        raise ConfigError(f"{at}: {error}") from None
    keys = {key: value for key, value in table.items() if key != "use"}
    if "seed" in {each.name for each in dataclasses.fields(kind)}:  # type: ignore[arg-type]
        keys.setdefault("seed", seed)
    return build(kind, keys, f"{at} ({kind.use})")


def check_order(recipe: CorpusRecipe) -> None:
    """Refuse a step that does not take what the one before gives, or does not fit the others."""
    before = NOTHING
    for number, step in enumerate(recipe.steps):
        if before not in step.takes:
            needed = " or ".join(step.takes)
            raise ConfigError(
                f"step[{number}] ({step.use}) takes {needed}; before it there is {before}"
            )
        before = step.gives
    if before != PAIRS:
        raise ConfigError(f"the last step leaves {before}; a corpus is made of pairs")
    for number, step in enumerate(recipe.steps):
        with naming_step(recipe, number):
            step.check_place(recipe, number)


@contextmanager
def naming_step(recipe: CorpusRecipe, number: int) -> Iterator[None]:
    """Name the step in what is raised on its behalf."""
    at = f"step[{number}] ({recipe.steps[number].use})"
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{at}: {error}") from error
    except InputError as error:
        raise InputError(f"{at}: {error}") from error
    except ModelError as error:
        raise ModelError(f"{at}: {error}") from error
