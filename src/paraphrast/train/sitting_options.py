"""The options of `paraphrast train run` and `resume`, declared once; no torch is loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from paraphrast.errors import ConfigError
from paraphrast.options import Option

TrainingProgress = Callable[[int, int, str], None]  # steps done, steps in all, how it goes
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SittingOptions:
    """How long to train, where the data are, and who hears of it.

    `advance` is called after each step with the steps done, the steps in all and a few words;
    `tell` with each line about the data and the labels.
    """

    minutes: Annotated[
        float | None, Option("Stop after so many minutes, with a checkpoint to go on from.")
    ] = None
    data: Annotated[Path | None, Option("Folder of the data; PARAPHRAST_DATA unless given.")] = None
    advance: TrainingProgress = lambda _done, _steps, _words: None
    tell: Tell = lambda _line: None

    def __post_init__(self) -> None:
        if self.minutes is not None and not self.minutes >= 0:
            raise ConfigError(f"minutes is {self.minutes:g}; it must be 0 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(SittingOptions):
    """The options of a new run."""

    run: Annotated[Path | None, Option("Folder of the run; runs/NAME, after the recipe.")] = None
