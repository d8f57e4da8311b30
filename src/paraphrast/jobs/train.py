"""Train: the functions behind `paraphrast train`. Torch is loaded when one is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from paraphrast import _version
from paraphrast.errors import ConfigError, InputError, MissingExtra
from paraphrast.io import atomic_writer, check_target
from paraphrast.render.pages.training_page import training_html, training_svg
from paraphrast.train import log
from paraphrast.train.recipe import read_recipe

if TYPE_CHECKING:
    from paraphrast.train.runs import Sitting

Advance = Callable[[int, int, str], None]
Tell = Callable[[str], None]

_PACKAGES = ("torch", "transformers", "accelerate", "safetensors", "tokenizers")
_PICTURES = (".html", ".svg")


@dataclass(frozen=True, slots=True)
class Trained:
    """How a sitting ended: whether to the end of the recipe, and what the run has reached.

    Speeds are medians over the lines of the log, None before there is one. `main` is False in
    the processes of a group that have nothing to say.
    """

    run: Path
    finished: bool
    step: int
    steps: int
    best_step: int
    seconds: float
    figures: dict[str, float] = field(default_factory=dict)
    tokens_per_second: float | None = None
    peak_share: float | None = None
    main: bool = True


class TrainingInterrupted(KeyboardInterrupt):
    """SIGINT or SIGTERM ended a sitting; `trained` says how far it came, to its checkpoint."""

    def __init__(self, trained: Trained) -> None:
        super().__init__(f"stopped at step {trained.step} of {trained.steps} of {trained.run}")
        self.trained = trained


def train_run(
    recipe: Path,
    *,
    run: Path | None = None,
    minutes: float | None = None,
    data: Path | None = None,
    advance: Advance = lambda _done, _steps, _words: None,
    tell: Tell = lambda _line: None,
) -> Trained:
    """Start a run of a recipe in a new folder: runs/NAME, unless `run` is given."""
    _check_minutes(minutes)
    check_packages()
    plan = read_recipe(recipe)
    folder = run or Path("runs") / plan.name
    from paraphrast.train import runs

    runs.check_ready(plan, data)
    options = runs.SittingOptions(minutes=minutes, data=data, advance=advance, tell=tell)
    return _trained(runs.begin(recipe, folder, options))


def train_resume(
    run: Path,
    *,
    minutes: float | None = None,
    data: Path | None = None,
    advance: Advance = lambda _done, _steps, _words: None,
    tell: Tell = lambda _line: None,
) -> Trained:
    """Go on with a run from its newest checkpoint, as if it had never stopped."""
    _check_minutes(minutes)
    check_packages()
    from paraphrast.train import runs

    runs.check_ready(runs.open_run(run), data)
    options = runs.SittingOptions(minutes=minutes, data=data, advance=advance, tell=tell)
    return _trained(runs.resume(run, options))


def train_plot(runs: Sequence[Path], *, output: Path | None = None, command: str = "") -> Path:
    """Draw the log of one or several runs; return the file, curve.html in the first run's folder.

    Needs no torch, and can be done while a run goes on.
    """
    if not runs:
        raise ConfigError("there is no run to plot")
    found = dict(zip(_names(runs), map(_entries, runs), strict=True))
    target = output or runs[0] / "curve.html"
    if target.suffix not in _PICTURES:
        raise ConfigError(f"the curve is an .html page or an .svg picture; got {target}")
    check_target(str(target))
    html = target.suffix == ".html"
    text = (
        training_html(found, command=command, version=_version.VERSION)
        if html
        else training_svg(found)
    )
    with atomic_writer(target) as file:
        file.write(text)
    return target


def _check_minutes(minutes: float | None) -> None:
    if minutes is not None and not minutes >= 0:
        raise ConfigError(f"minutes is {minutes:g}; it must be 0 or more")


def check_packages(*more: str) -> None:
    """Refuse to begin without what training needs."""
    for package in (*_PACKAGES, *more):
        if find_spec(package) is None:
            raise MissingExtra("train", package)


def _trained(sitting: Sitting) -> Trained:
    """Sum a sitting up; one that a signal ended raises TrainingInterrupted."""
    progress = sitting.progress
    lines = [line for line in _log(sitting.run) if line.get("kind") == "training"]
    done = Trained(
        run=sitting.run,
        finished=sitting.finished,
        step=progress.step,
        steps=sitting.steps,
        best_step=progress.best_step,
        seconds=progress.seconds,
        figures=dict(progress.figures),
        tokens_per_second=_median(lines, "tokens_per_second"),
        peak_share=_median(lines, "peak_share"),
        main=sitting.main,
    )
    if sitting.ending == "signal":
        raise TrainingInterrupted(done)
    return done


def _log(run: Path) -> list[dict[str, Any]]:
    return log.entries(run) if (run / log.NAME).exists() else []


def _median(lines: Sequence[dict[str, Any]], name: str) -> float | None:
    values = [line[name] for line in lines if name in line]
    return median(values) if values else None


def _entries(run: Path) -> list[dict[str, Any]]:
    found = log.entries(run)
    if not found:
        raise InputError(f"{run / log.NAME} is empty: the run has made no {log.EVERY} steps yet")
    return found


def _names(runs: Sequence[Path]) -> list[str]:
    """Name runs by their folders, by their paths where two folders have one name."""
    short = [run.resolve().name for run in runs]
    names = short if len(set(short)) == len(short) else [str(run) for run in runs]
    if len(set(names)) < len(names):
        raise ConfigError(f"a run is named twice: {', '.join(names)}")
    return names
