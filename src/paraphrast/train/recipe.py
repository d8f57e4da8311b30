"""Recipes: what a run trains, on what, and how; TOML files parsed into frozen dataclasses."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.io.toml_tables import build

KINDS = ("encoder", "generator")
LABELS = ("score", "relations", "same", "tags")
POOLINGS = ("mean", "first")
PRECISIONS = ("float32", "bfloat16")
READERS = (
    "ratings",
    "similarity",
    "pairs",
    "entailments",
    "alterations",
    "sets",
    "references",
    "tags",
    "texts",
    "captions",
)
UNLABELLED = ("captions",)


def _one_of(key: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ConfigError(
            f"unknown {key} {value!r}{did_you_mean(value, known)}; known: {', '.join(known)}"
        )


def _share(part: Any, *names: str) -> None:
    for name in names:
        if not 0 <= getattr(part, name) <= 1:
            raise ConfigError(f"{name} is {getattr(part, name)}, not a share between 0 and 1")


def _at_least(part: Any, least: int, *names: str) -> None:
    for name in names:
        value = getattr(part, name)
        if value is not None and value < least:
            raise ConfigError(f"{name} is {value}; it must be at least {least}")


def _above_zero(part: Any, *names: str) -> None:
    for name in names:
        value = getattr(part, name)
        if value is not None and value <= 0:
            raise ConfigError(f"{name} is {value}; it must be above 0")


@dataclass(frozen=True, kw_only=True)
class ModelPart:
    """The network. `backbone` is a directory or a hub id, `start` a run to go on from.

    `sha256` is that of the backbone's model.safetensors. `frozen` keeps the embeddings and that
    many of the lowest layers as they are, which also saves their share of the backward pass.
    """

    backbone: str
    sha256: str = ""
    start: str = ""
    pooling: str = "mean"
    dropout: float = 0.0
    frozen: int = 0

    def __post_init__(self) -> None:
        _one_of("pooling", self.pooling, POOLINGS)
        _share(self, "dropout")
        _at_least(self, 0, "frozen")


@dataclass(frozen=True, kw_only=True)
class SourcePart:
    """Files of one kind, under the data folder, or where the name begins with ./ under this one.

    `passes` is how often an epoch shows the source (0.5: half of it, chosen by the seed); `weight`
    multiplies its loss. `validation` sets apart that share of the rows, whole groups at a time, so
    that no reference is on both sides; `validation_files` are other files for it. `both_orders`
    shows (b, a) as often as (a, b). `padding` is the share of examples that are made long, as
    documents and their summaries are: other pairs follow, and the first text gets unrelated
    sentences between them, whose words are then unparaphrased. `passages` is the share that is
    shown among other pairs of the source that say the same, with its own labels. `tagged` is the
    weight of a word tagged 1. `altered` adds copies of that share of tagged rows in which a name, a
    number or a word is another, whose tags are therefore known. `corrupted` makes that many
    corrupted candidates of each text pair, `unlabelled` has the teacher say what they are worth.
    """

    name: str
    reader: str
    files: tuple[str, ...]
    passes: float = 1.0
    weight: float = 1.0
    validation: float = 0.0
    validation_files: tuple[str, ...] = ()
    both_orders: bool = False
    padding: float = 0.0
    passages: float = 0.0
    tagged: float = 1.0
    altered: float = 0.0
    limit: int | None = None
    corrupted: float = 0.0
    unlabelled: bool = False

    def __post_init__(self) -> None:
        _one_of("reader", self.reader, READERS)
        if not 0 <= self.validation < 1:
            raise ConfigError(f"validation is {self.validation}, not a share below 1")
        if self.passes <= 0:
            raise ConfigError(f"passes is {self.passes}; leave the source out instead")
        if not self.files:
            raise ConfigError("files is empty")
        _share(self, "padding", "passages", "altered")
        if self.padding + self.passages > 1:
            raise ConfigError("padding and passages add up to more than 1")
        _at_least(self, 0, "weight", "tagged", "corrupted")
        _at_least(self, 1, "limit")
        if self.altered and (self.reader != "tags" or self.unlabelled):
            raise ConfigError("only rows with tags can be altered; take altered out")
        if self.corrupted and not self.unlabelled:
            raise ConfigError("corrupted candidates have no labels; set unlabelled = true")


@dataclass(frozen=True, kw_only=True)
class LossPart:
    """The weight of each objective of an encoder.

    `score` is the mean squared error of scores, `correlation` one minus their Pearson correlation
    within the batch; `relations` is the cross-entropy of entailment, neutral and contradiction in
    both directions, `same` that of saying the same; then tags and masked words.

    A generator has one objective, its wording; `smoothing` is the share of probability that it is
    taught to leave to all other sub-words.
    """

    score: float = 1.0
    correlation: float = 0.0
    relations: float = 1.0
    same: float = 1.0
    tags: float = 1.0
    masked: float = 0.0
    masked_share: float = 0.15
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        _at_least(self, 0, "score", "correlation", "relations", "same", "tags", "masked")
        _share(self, "masked_share", "smoothing")


@dataclass(frozen=True, kw_only=True)
class OptimiserPart:
    """AdamW with a linear warm-up and decay; `average` is the decay of the averaged weights.

    The rate falls to the share `final_rate` of itself: above 0 for a run that another goes on from.
    """

    rate: float
    head_rate: float | None = None
    batch: int = 32
    warmup: float = 0.06
    weight_decay: float = 0.01
    clip: float = 1.0
    average: float = 0.0
    final_rate: float = 0.0

    def __post_init__(self) -> None:
        _above_zero(self, "rate", "head_rate", "clip")
        _at_least(self, 0, "weight_decay")
        _at_least(self, 1, "batch")
        _share(self, "warmup", "average", "final_rate")
        if self.average == 1:
            raise ConfigError("average is 1: the averaged weights would never change")


@dataclass(frozen=True, kw_only=True)
class LoopPart:
    """How long, and how often to look.

    `select` weighs the validation figures ("wmt.pearson", "paws.accuracy", "wiki.best_f1") that
    choose the best checkpoint; after `patience` looks without a gain the run stops early.
    `precision` is that of the backbone's products: bfloat16 takes half the time where the
    processor knows it (AVX-512 BF16, AMX, GPUs), and several times as long where it does not.
    Weights, heads and losses are float32 always.
    """

    epochs: float = 1.0
    validate_every: int = 200
    checkpoint_every: int = 50
    patience: int = 1000
    validation_limit: int = 400
    select: dict[str, float] = field(default_factory=dict)
    precision: str = "float32"

    def __post_init__(self) -> None:
        _one_of("precision", self.precision, PRECISIONS)
        _above_zero(self, "epochs")
        _at_least(self, 1, "validate_every", "checkpoint_every", "patience", "validation_limit")
        if self.select and sum(self.select.values()) <= 0:
            raise ConfigError("the weights of select must add up to more than 0")


@dataclass(frozen=True, kw_only=True)
class CalibrationPart:
    """What an encoder's certainty is fitted to.

    `same` names the sources whose held-out rows tell when texts say the same; () stands for all.
    """

    same: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TeacherPart:
    """An encoder (directory, installed name or hub id) that labels the `unlabelled` sources.

    `labels` are those taken from it: a teacher need not be good at everything.
    """

    encoder: str
    labels: tuple[str, ...] = LABELS

    def __post_init__(self) -> None:
        for label in self.labels:
            _one_of("label", label, LABELS)


@dataclass(frozen=True, kw_only=True)
class GenerationPart:
    """How a generator is told how much to copy, and how its writing is validated.

    The n-th of N `codes`, tokens of its vocabulary, stands before sources whose target has a
    ROUGE-L of n/N to (n + 1)/N with them. `copied` is the ROUGE-L that validation asks for: of
    that many `sentences`, greedily and by sampling the `top_p` most probable sub-words, which the
    encoder `judge` judges ("" for none).
    """

    codes: tuple[str, ...] = ()
    copied: float = 0.6
    top_p: float = 0.95
    sentences: int = 60
    judge: str = "mini"

    def __post_init__(self) -> None:
        _share(self, "copied", "top_p")
        _at_least(self, 1, "sentences")


@dataclass(frozen=True, kw_only=True)
class TrainingRecipe:
    """A whole recipe. `file_values` is its file's content as JSON, without defaults.

    `without` names files, `*` allowed, whose texts no source may show: the test sets.
    """

    name: str
    seed: int
    model: ModelPart
    source: tuple[SourcePart, ...]
    optimiser: OptimiserPart
    kind: str = "encoder"
    loss: LossPart = LossPart()
    loop: LoopPart = LoopPart()
    generation: GenerationPart = GenerationPart()
    calibration: CalibrationPart = CalibrationPart()
    teacher: TeacherPart | None = None
    max_tokens: int = 160
    without: tuple[str, ...] = ()
    file_values: str = field(default="", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\w[\w.-]*", self.name):
            raise ConfigError(f"the name {self.name!r} cannot be that of a folder")
        if not 0 <= self.seed < 2**32:
            raise ConfigError(f"seed is {self.seed}; it must be from 0 to {2**32 - 1}")
        _one_of("kind", self.kind, KINDS)
        _at_least(self, 8, "max_tokens")
        if not self.source:
            raise ConfigError("there is no [[source]]")
        names = [source.name for source in self.source]
        if len(set(names)) < len(names):
            raise ConfigError(f"two sources have one name: {sorted(names)}")
        if any(source.unlabelled for source in self.source) and self.teacher is None:
            raise ConfigError("an unlabelled source needs a [teacher]")
        for name in self.calibration.same:
            _one_of("source of [calibration]", name, tuple(names))
        if self.kind == "generator":
            self._check_generator()
        for source in self.source:
            if source.reader in UNLABELLED and not (source.unlabelled or self.loss.masked):
                raise ConfigError(
                    f"the source {source.name!r} has no labels: set unlabelled = true, with a "
                    "[teacher], or give [loss] a weight for masked"
                )

    def _check_generator(self) -> None:
        for source in self.source:
            if source.reader != "pairs" or source.unlabelled or source.padding:
                raise ConfigError(
                    f"a generator learns from pairs as they are; the source {source.name!r} needs "
                    'reader = "pairs", without unlabelled and padding'
                )

    @property
    def fingerprint(self) -> str:
        """Changes with every value in the file, and not when recipes learn new keys."""
        if self.file_values:
            return _hash(self.file_values)
        plain = asdict(self)
        del plain["file_values"]
        return _hash(json.dumps(plain, sort_keys=True))


def read_recipe(path: Path) -> TrainingRecipe:
    """Parse a recipe file; errors name the file and the key."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no recipe {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path} is not a recipe: {error}") from None
    try:
        recipe = build(TrainingRecipe, table)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    object.__setattr__(recipe, "file_values", json.dumps(table, sort_keys=True, default=str))
    return recipe


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
