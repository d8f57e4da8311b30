"""The options of `paraphrast train export`, declared once for all that can be exported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from paraphrast import _version
from paraphrast.errors import ConfigError
from paraphrast.options import Option, declared_fields
from paraphrast.train.sitting_options import Tell

FULL, STATIC, STORED = "float32", "static int8", "int8 weights, float32 arithmetic"
FORMS = {"auto": (STATIC, STORED), "float32": (FULL,), "static": (STATIC,), "stored": (STORED,)}
PAIRS = 20_000  # of the baseline

ENCODER_PANEL, GENERATOR_PANEL = "An encoder of transformers", "A generator"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What to write, and how small. Some options are for one kind of model alone.

    `max_source` and `max_target` are the sub-words that a generator reads and writes at most; None
    is 256, or half of its positions. `command` is noted on the card; `tell` hears of each stage.
    """

    name: Annotated[
        str | None,
        Option("Name of what is written: paraphrast-encoder, -generator or FOLDER's."),
    ] = None
    model: Annotated[str | None, Option("Its short name: mini, paraphraser or FOLDER's.")] = None
    version: Annotated[str, Option("Its version.")] = _version.VERSION
    languages: Annotated[
        Sequence[str], Option("A language it knows.", "--language", typed=list[str])
    ] = ("en",)
    average: Annotated[
        Sequence[Path],
        Option("Another run of the network, to average the weights with.", typed=list[Path]),
    ] = ()
    data: Annotated[Path | None, Option("Folder of the data; PARAPHRAST_DATA unless given.")] = None
    texts: Annotated[
        str | None,
        Option(
            "Texts to calibrate and compare with, one per line or FILE:COLUMN; for an encoder "
            "usually text/en_ud_ewt.jsonl.gz of the data."
        ),
    ] = None
    form: Annotated[
        str | None,
        Option(
            "float32, static (int8), stored (int8 weights), or auto: the smallest and fastest "
            "that says the same."
        ),
    ] = None
    layer: Annotated[
        int | None,
        Option("The layer for BERTScore; two thirds of the way up.", panel=ENCODER_PANEL),
    ] = None
    pairs: Annotated[
        int | None, Option("Random pairs for the baseline; 20,000.", panel=ENCODER_PANEL)
    ] = None
    baseline: Annotated[
        bool, Option("Measure a baseline.", "--baseline/--no-baseline", panel=ENCODER_PANEL)
    ] = True
    vocabulary: Annotated[
        Sequence[str],
        Option(
            "Keep only the sub-words that these texts use; a text per line or FILE:COLUMN.",
            panel=GENERATOR_PANEL,
            typed=list[str],
        ),
    ] = ()
    least: Annotated[
        int,
        Option("How often the texts must use a sub-word that stays.", panel=GENERATOR_PANEL),
    ] = 1
    max_source: int | None = None
    max_target: int | None = None
    command: str = ""
    tell: Tell = field(default=lambda _line: None, compare=False)

    def __post_init__(self) -> None:
        for key in ("languages", "average", "vocabulary"):
            object.__setattr__(self, key, tuple(getattr(self, key)))
        for key in ("name", "model", "version"):
            label = getattr(self, key)
            if label is not None and (not label or set("|:") & set(label)):
                raise ConfigError(f"{key} must be text without '|' or ':'; got {label!r}")
        if self.form not in (None, *FORMS):
            raise ConfigError(f"form must be {', '.join(FORMS)}; got {self.form!r}")
        for key, lowest in (("pairs", 1), ("layer", 0), ("least", 1), *_LIMITS):
            value = getattr(self, key)
            if value is not None and value < lowest:
                raise ConfigError(f"{key} must be at least {lowest}; got {value}")
        if self.pairs is not None and not self.baseline:
            raise ConfigError("--pairs is for the baseline, which --no-baseline leaves out")

    @property
    def random_pairs(self) -> int | None:
        """How many pairs the baseline is measured on; None: there is no baseline."""
        return (self.pairs or PAIRS) if self.baseline else None

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms to try, the fastest first."""
        return FORMS[self.form or "auto"]

    @property
    def needs_texts(self) -> bool:
        """Whether an embedder cannot be written without texts to measure it on."""
        return self.baseline or self.form != "float32"

    def chosen(self, *names: str) -> list[str]:
        """Return, as flags, those of the options named that are not left at their default."""
        flags = {"baseline": "--no-baseline"}
        return [
            flags.get(one.name, f"--{one.name}")
            for one in declared_fields(type(self))
            if one.name in names and getattr(self, one.name) != one.default
        ]


_LIMITS = (("max_source", 16), ("max_target", 1))
