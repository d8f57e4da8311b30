"""`paraphrast train`: train an encoder or a generator of your own, and make a file of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from paraphrast.cli.options import taking
from paraphrast.cli.shared import Quiet, command_line
from paraphrast.jobs.export import export_weights
from paraphrast.jobs.train import (
    PlotOptions,
    Trained,
    TrainingInterrupted,
    begin_run,
    plot_runs,
    resume_run,
)
from paraphrast.render.terminal.training_progress import step_progress
from paraphrast.train.export.export_options import ExportOptions
from paraphrast.train.sitting_options import RunOptions, SittingOptions

_SIGNALLED = 128  # what shells add to the number of the signal that ended a process

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Train an encoder or generator from a recipe, stop, go on, see its curve, export it.",
)


@app.command("run")
@taking(RunOptions)
def run(
    options: RunOptions,
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE.toml", help="What to train.")],
    quiet: Quiet = False,
) -> None:
    """Train what a recipe says, in a new folder."""
    with _resumable(options), step_progress("training", quiet=quiet) as advance:
        done = begin_run(recipe, replace(options, advance=advance, tell=_teller(quiet)))
    _show(done, options)


@app.command("resume")
@taking(SittingOptions)
def resume(
    options: SittingOptions,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    quiet: Quiet = False,
) -> None:
    """Go on with a run from its last checkpoint."""
    with _resumable(options), step_progress("training", quiet=quiet) as advance:
        done = resume_run(run, replace(options, advance=advance, tell=_teller(quiet)))
    _show(done, options)


@app.command("plot")
@taking(PlotOptions)
def plot(
    options: PlotOptions,
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
) -> None:
    """Draw losses and validation figures of runs."""
    typer.echo(str(plot_runs(runs, replace(options, command=command_line()))))


@app.command("export")
@taking(ExportOptions)
def export(
    options: ExportOptions,
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="The folder of a run, or of a model of transformers, or such a one's hub id.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write.")],
    quiet: Quiet = False,
) -> None:
    """Write a run or a model of transformers without torch.

    A run becomes what its recipe trains: an edit encoder (tags and scores of pairs) or a generator
    (paraphrases). An encoder of transformers becomes an embedder (states of single texts, for
    BERTScore and the like), a model that writes a generator.
    """
    options = replace(options, command=command_line(), tell=_teller(quiet))
    typer.echo(f"{output}: {export_weights(source, output, options).summary()}")


def _teller(quiet: bool) -> Callable[[str], None]:
    return lambda line: None if quiet else typer.echo(line, err=True)


@contextmanager
def _resumable(options: SittingOptions) -> Iterator[None]:
    """Say how to go on after a signal, and leave with the exit code that shells give it."""
    try:
        yield
    except TrainingInterrupted as stop:
        _show(stop.trained, options, why="interrupted")
        raise typer.Exit(_SIGNALLED + stop.signal) from None


def _show(done: Trained, options: SittingOptions, *, why: str = "time is up") -> None:
    if not done.main:
        return
    for line in _summary(done):
        typer.echo(line)
    if not done.finished:
        place = f" --data {options.data}" if options.data else ""
        typer.echo(f"{why}; go on with: paraphrast train resume {done.run}{place}")


def _summary(done: Trained) -> list[str]:
    spent = timedelta(seconds=round(done.seconds))
    lines = [f"{done.run}: {done.step:,} of {done.steps:,} steps in {spent}"]
    if done.best_step:
        figures = ", ".join(f"{name} {value:.3f}" for name, value in done.figures.items())
        lines.append(f"best at step {done.best_step:,}{': ' if figures else ''}{figures}")
    if done.tokens_per_second is not None and done.peak_share is not None:
        lines.append(
            f"{done.tokens_per_second:,.0f} tokens/s, {done.peak_share:.0%} of the machine's peak"
        )
    return lines
