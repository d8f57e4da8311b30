"""Train: the functions behind `paraphrast train`. Torch is loaded when one is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, TypeVar, cast

from paraphrast import _version
from paraphrast.errors import ConfigError, InputError, MissingExtra
from paraphrast.io import atomic_writer, check_target
from paraphrast.options import Option, takes_options
from paraphrast.render.pages.training_page import training_html, training_svg
from paraphrast.train import log
from paraphrast.train.recipe import read_recipe
from paraphrast.train.sitting_options import RunOptions, SittingOptions

if TYPE_CHECKING:
    from paraphrast.train.runs import Sitting

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")

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
    """A signal, SIGINT or SIGTERM, ended a sitting; `trained` says how far it came.

    The checkpoint of that step is written.
    """

    def __init__(self, trained: Trained, signal: int) -> None:
        super().__init__(f"stopped at step {trained.step} of {trained.steps} of {trained.run}")
        self.trained, self.signal = trained, signal


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotOptions:
    """Where the curve goes; `command` is shown at the foot of the page."""

    output: Annotated[
        Path | None,
        Option("An .html or .svg file; RUN/curve.html unless given.", "-o", "--output"),
    ] = None
    command: str = ""

    def __post_init__(self) -> None:
        if self.output is not None and self.output.suffix not in _PICTURES:
            raise ConfigError(f"the curve is an .html page or an .svg picture; got {self.output}")


def begin_run(recipe: Path, options: RunOptions) -> Trained:
    """Train what a recipe says in a new folder: runs/NAME, unless the options name one."""
    check_packages()
    plan = read_recipe(recipe)
    from paraphrast.train import runs

    runs.check_ready(plan, options.data)
    folder = options.run or Path("runs") / plan.name
    return _trained(runs.begin(recipe, folder, options))


def resume_run(run: Path, options: SittingOptions) -> Trained:
    """Go on with a run from its newest whole checkpoint."""
    check_packages()
    from paraphrast.train import runs

    runs.check_ready(runs.open_run(run), options.data)
    return _trained(runs.resume(run, options))


def plot_runs(runs: Sequence[Path], options: PlotOptions) -> Path:
    """Draw the log of one or several runs; return the file that was written."""
    if not runs:
        raise ConfigError("there is no run to plot")
    found = dict(zip(_names(runs), map(_entries, runs), strict=True))
    target = options.output or runs[0] / "curve.html"
    check_target(str(target))
    text = (
        training_html(found, command=options.command, version=_version.VERSION)
        if target.suffix == ".html"
        else training_svg(found)
    )
    with atomic_writer(target) as file:
        file.write(text)
    return target


def _keywords(
    kind: Callable[P, object],
) -> Callable[[Callable[Concatenate[S, ...], R]], Callable[Concatenate[S, P], R]]:
    """Give a function the fields of its options as keywords, for type checkers and `help()`."""
    return cast("Any", takes_options(cast("type[Any]", kind)))  # type: ignore[no-any-return]


@_keywords(RunOptions)
def train_run(recipe: Path, *, options: RunOptions) -> Trained:
    """Start a run of a recipe in a new folder: runs/NAME, unless `run` is given.

    A signal (Ctrl-C, SIGTERM) ends it with a checkpoint and raises TrainingInterrupted.

    recipe: The TOML file that says what to train, on what and how.
    advance: A function of the steps done, the steps in all and a few words, called at each step.
    tell: A function that hears each line about the data and the labels.
    """
    return begin_run(recipe, options)


@_keywords(SittingOptions)
def train_resume(run: Path, *, options: SittingOptions) -> Trained:
    """Go on with a run from its newest checkpoint, as if it had never stopped.

    A signal (Ctrl-C, SIGTERM) ends it with a checkpoint and raises TrainingInterrupted.

    run: The folder of the run.
    advance: A function of the steps done, the steps in all and a few words, called at each step.
    tell: A function that hears each line about the data and the labels.
    """
    return resume_run(run, options)


@_keywords(PlotOptions)
def train_plot(runs: Sequence[Path], *, options: PlotOptions) -> Path:
    """Draw the log of one or several runs; return the file, curve.html in the first run's folder.

    Needs no torch, and can be done while a run goes on.

    runs: The folders of the runs.
    command: The command line to show at the foot of the page.
    """
    return plot_runs(runs, options)


def check_packages(*more: str) -> None:
    """Refuse to begin without what training needs, and the packages named besides."""
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
    if sitting.signal is not None:
        raise TrainingInterrupted(done, sitting.signal)
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
