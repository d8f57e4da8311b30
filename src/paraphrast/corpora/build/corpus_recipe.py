"""Recipes of corpora: TOML files that list steps, parsed into frozen dataclasses.

Every step is a table with `use`, its name, and keys of its own; `[[system]]` tables are translation
systems that steps name.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.io.tables import build

SENTENCES, TRANSLATED, PAIRS, NOTHING = "sentences", "translated sentences", "pairs", "nothing"
WAYS = ("target", "round-trip", "source")


@dataclass(frozen=True, kw_only=True)
class Source:
    """Sentences of files: FILE, or FILE:COLUMN of a table; the first `limit` rows, if given."""

    takes: ClassVar[tuple[str, ...]] = (NOTHING,)
    gives: ClassVar[str] = SENTENCES
    files: tuple[str, ...]
    limit: int | None = None

    def __post_init__(self) -> None:
        if not self.files:
            raise ConfigError("files is empty; name at least one file of sentences")
        if self.limit is not None and self.limit < 1:
            raise ConfigError(f"limit is {self.limit}; it must be at least 1")


@dataclass(frozen=True, kw_only=True)
class Clean:
    """Normalise, and drop what is too short, too long, not of the language, or hardly letters.

    `check` tells how the language is found out: by a `model` (extra `language`), by its `script`,
    or not at all ("none"). `unescape` reads HTML entities, `strip_tags` takes HTML tags out.
    """

    takes: ClassVar[tuple[str, ...]] = (SENTENCES,)
    gives: ClassVar[str] = SENTENCES
    language: str
    check: str = "model"
    tokenize: str = "unicode"
    min_words: int = 4
    max_words: int = 60
    min_chars: int = 10
    max_chars: int = 500
    letters: float = 0.5
    unescape: bool = False
    strip_tags: bool = True


@dataclass(frozen=True, kw_only=True)
class Deduplicate:
    """Keep the first of equal sentences, and of those that share `near` of their shingles."""

    takes: ClassVar[tuple[str, ...]] = (SENTENCES,)
    gives: ClassVar[str] = SENTENCES
    near: float = 0.8


@dataclass(frozen=True, kw_only=True)
class Rank:
    """Keep the `keep` sentences that a language model finds likeliest.

    `model` is a generator, or the file of an n-gram model (by "kenlm"), which sees words as
    `tokenize` and `lowercase` say; these two are of n-gram models alone.
    """

    takes: ClassVar[tuple[str, ...]] = (SENTENCES,)
    gives: ClassVar[str] = SENTENCES
    keep: int
    by: str = "perplexity"
    model: str = ""
    tokenize: str | None = None
    lowercase: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Translate:
    """Translate with each of the `systems`, and back: all of the recipe unless some are named."""

    takes: ClassVar[tuple[str, ...]] = (SENTENCES, TRANSLATED)
    gives: ClassVar[str] = TRANSLATED
    systems: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Quality of each sentence's translations by their way back (Suzuki et al., equation 1)."""

    takes: ClassVar[tuple[str, ...]] = (TRANSLATED,)
    gives: ClassVar[str] = TRANSLATED
    metric: str = "sbleu"
    tokenize: str = "13a"


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Pairs of two systems' translations ("target"), of two ways back, or source and way back."""

    takes: ClassVar[tuple[str, ...]] = (TRANSLATED,)
    gives: ClassVar[str] = PAIRS
    ways: tuple[str, ...] = ("target",)
    tokenize: str = "unicode"

    def __post_init__(self) -> None:
        if not self.ways:
            raise ConfigError(f"ways is empty; name a way to pair: {', '.join(WAYS)}")
        for way in self.ways:
            if way not in WAYS:
                near = did_you_mean(way, WAYS)
                raise ConfigError(f"unknown way {way!r}{near}; known: {', '.join(WAYS)}")


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """Pairs that a prompted language model writes (ParaTag, section 4.1), in rounds.

    `premises` tells whether it is given the sentences, or writes both texts of a pair. After a
    round its demonstrations are drawn from the pairs that were accepted so far.
    """

    takes: ClassVar[tuple[str, ...]] = (SENTENCES, NOTHING)
    gives: ClassVar[str] = PAIRS
    system: dict[str, Any]
    demonstrations: str
    shots: int = 20
    rounds: int = 1
    premises: bool = True
    pairs: int = 100


@dataclass(frozen=True, kw_only=True)
class Balance:
    """Take `per_bin` pairs of each bin of word overlap, the best first; exact matches are out."""

    takes: ClassVar[tuple[str, ...]] = (PAIRS,)
    gives: ClassVar[str] = PAIRS
    per_bin: int
    repeat_sources: bool = False


@dataclass(frozen=True, kw_only=True)
class Negatives:
    """Add pairs of different sentences that share many words, mined from `files`.

    Without files the sentences that the recipe began with are searched. `per_bin` is how many each
    bin gets from `lowest` on; 0 gives each as many as it has pairs of other origin.
    """

    takes: ClassVar[tuple[str, ...]] = (PAIRS,)
    gives: ClassVar[str] = PAIRS
    files: tuple[str, ...] = ()
    per_bin: int = 0
    lowest: float = 0.5
    tokenize: str = "unicode"
    judge: str = ""
    ceiling: float = 0.5


@dataclass(frozen=True, kw_only=True)
class Split:
    """Share the pairs out, by `shares` of each name; no sentence is in two of them."""

    takes: ClassVar[tuple[str, ...]] = (PAIRS,)
    gives: ClassVar[str] = PAIRS
    shares: dict[str, float]


StepPart = (
    Source | Clean | Deduplicate | Rank | Translate | Estimate | Pair | Prompt | Balance | Negatives
    | Split
)  # fmt: skip
STEPS: dict[str, type[Any]] = {
    "source": Source,
    "clean": Clean,
    "deduplicate": Deduplicate,
    "rank": Rank,
    "translate": Translate,
    "estimate": Estimate,
    "pair": Pair,
    "prompt": Prompt,
    "balance": Balance,
    "negatives": Negatives,
    "split": Split,
}
"""What `use` may name."""


@dataclass(frozen=True, kw_only=True)
class OutputPart:
    """The corpus that is left at the end, and what its data card says beside the figures."""

    formats: tuple[str, ...] = ("jsonl",)
    language: str = ""
    licence: str = ""
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A whole recipe; `text` is its file, `systems` are parsed by `translators.catalogue`."""

    name: str
    seed: int
    steps: tuple[StepPart, ...]
    uses: tuple[str, ...]
    systems: tuple[Any, ...] = ()
    output: OutputPart = OutputPart()
    shard: int = 1000
    text: str = field(default="", repr=False)

    @property
    def in_target_language(self) -> bool:
        """Whether the pairs are in the language that is translated into, and that is another."""
        ways = {way for step in self.steps if isinstance(step, Pair) for way in step.ways}
        other = any(one.forward.source != one.forward.target for one in self.translating)
        return "target" in ways and other

    @property
    def translating(self) -> tuple[Any, ...]:
        """The systems that sentences are translated with, in the order of the recipe."""
        names: set[str] = set()
        for step in self.steps:
            if isinstance(step, Translate):
                names |= set(step.systems or (system.name for system in self.systems))
        return tuple(system for system in self.systems if system.name in names)

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


def read_recipe(path: Path) -> Recipe:
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


def _recipe(table: dict[str, Any], text: str) -> Recipe:
    from paraphrast.corpora.build.step_order import check_languages, check_order
    from paraphrast.corpora.translators.catalogue import read_systems

    raw_steps, raw_systems = table.pop("step", []), table.pop("system", [])
    found = build(_File, table)
    if not isinstance(raw_steps, list) or not raw_steps:
        raise ConfigError("there is no [[step]]")
    if found.shard < 1:
        raise ConfigError(f"shard is {found.shard}; it must be at least 1")
    if not -(1 << 63) <= found.seed < 1 << 63:
        raise ConfigError(f"seed is {found.seed}; it must be a number of 64 bits")
    steps = tuple(_step(each, f"step[{number}]") for number, each in enumerate(raw_steps))
    systems = tuple(read_systems(raw_systems))
    recipe = Recipe(
        name=found.name,
        seed=found.seed,
        steps=steps,
        uses=tuple(str(each["use"]) for each in raw_steps),
        systems=systems,
        output=found.output,
        shard=found.shard,
        text=text,
    )
    check_order(recipe)
    check_languages(recipe)
    return recipe


def _step(table: Any, at: str) -> StepPart:
    if not isinstance(table, dict) or not isinstance(table.get("use"), str):
        raise ConfigError(f'{at}: a step needs use = "NAME"; known: {", ".join(STEPS)}')
    name = table["use"]
    if name not in STEPS:
        near = did_you_mean(name, STEPS)
        raise ConfigError(f"{at}: unknown step {name!r}{near}; known: {', '.join(STEPS)}")
    keys = {key: value for key, value in table.items() if key != "use"}
    found: StepPart = build(STEPS[name], keys, f"{at} ({name})")
    return found
