"""`paraphrast train`: train an encoder or a generator of your own, and make a file of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from paraphrast import _version
from paraphrast.cli.shared import command_line
from paraphrast.jobs.export import train_export
from paraphrast.jobs.train import (
    Trained,
    TrainingInterrupted,
    train_plot,
    train_resume,
    train_run,
)
from paraphrast.render.terminal.training_progress import step_progress

INTERRUPTED = 130  # the exit code after SIGINT, as shells have it

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Train an encoder or generator from a recipe, stop, go on, see its curve, export it.",
)

Minutes = Annotated[
    float | None, typer.Option(help="Stop after so many minutes, with a checkpoint to go on from.")
]
Data = Annotated[
    Path | None,
    typer.Option(help="Folder of the data; PARAPHRAST_DATA unless given."),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No progress, no notes.")]
Run = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]


@app.command()
def run(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE.toml", help="What to train.")],
    run: Annotated[
        Path | None, typer.Option("--run", help="Folder of the run; runs/NAME unless given.")
    ] = None,
    minutes: Minutes = None,
    data: Data = None,
    quiet: Quiet = False,
) -> None:
    """Start a run: train what a recipe says in a new folder."""
    with _resumable(data), step_progress("training", quiet=quiet) as advance:
        done = train_run(
            recipe, run=run, minutes=minutes, data=data, advance=advance, tell=_teller(quiet)
        )
    _show(done, data)


@app.command()
def resume(run: Run, minutes: Minutes = None, data: Data = None, quiet: Quiet = False) -> None:
    """Go on with a run from its last checkpoint, as if it had never stopped."""
    with _resumable(data), step_progress("training", quiet=quiet) as advance:
        done = train_resume(run, minutes=minutes, data=data, advance=advance, tell=_teller(quiet))
    _show(done, data)


@app.command()
def plot(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="An .html or .svg file; RUN/curve.html unless given."),
    ] = None,
) -> None:
    """Draw losses and validation figures of runs, also of one that goes on."""
    typer.echo(str(train_plot(runs, output=output, command=command_line())))


Name = Annotated[
    str | None,
    typer.Option(
        help="Name of what is written; paraphrast-encoder, -generator or FOLDER's unless given."
    ),
]
Short = Annotated[
    str | None, typer.Option(help="Its short name: mini, paraphraser or FOLDER's unless given.")
]
Languages = Annotated[list[str] | None, typer.Option(help="A language it knows; en unless given.")]
Others = Annotated[
    list[Path] | None,
    typer.Option(help="Another run of the same network, to average the weights with."),
]
Layer = Annotated[
    int | None, typer.Option(help="Encoder: the layer for BERTScore; two thirds up unless given.")
]
Texts = Annotated[
    str | None,
    typer.Option(
        help="Encoder: texts to calibrate and compare with, one per line or FILE:COLUMN; "
        "text/en_ud_ewt.jsonl.gz of the data unless given."
    ),
]
Form = Annotated[
    str | None,
    typer.Option(
        help="Encoder: float32, static (int8), stored (int8 weights), or auto: the smallest "
        "and fastest that says the same."
    ),
]
Pairs = Annotated[
    int | None, typer.Option(help="Encoder: random pairs for the baseline; 20,000 unless given.")
]

Vocabulary = Annotated[
    list[str] | None,
    typer.Option(
        help="Generator: keep only the sub-words that these texts use; a text per line or "
        "FILE:COLUMN."
    ),
]


@app.command()
def export(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="The folder of a run, or of a model of transformers, or such a one's hub id.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write.")],
    name: Name = None,
    model: Short = None,
    version: Annotated[str, typer.Option(help="Its version.")] = _version.VERSION,
    language: Languages = None,
    average: Others = None,
    layer: Layer = None,
    texts: Texts = None,
    form: Form = None,
    pairs: Pairs = None,
    vocabulary: Vocabulary = None,
    least: Annotated[
        int, typer.Option(help="Generator: a sub-word stays if the texts use it so often.")
    ] = 1,
    no_baseline: Annotated[
        bool, typer.Option("--no-baseline", help="Encoder: measure no baseline.")
    ] = False,
    data: Data = None,
    quiet: Quiet = False,
) -> None:
    """Write a run, or any model of transformers, as weights that need no torch.

    A run becomes what its recipe trains: an edit encoder (tags and scores of pairs) or a generator
    (paraphrases). An encoder of transformers becomes an embedder (states of single texts, for
    BERTScore and the like), a model that writes a generator.
    """
    found = train_export(
        source,
        output,
        name=name,
        model=model,
        version=version,
        languages=language or ["en"],
        average=average or (),
        layer=layer,
        texts=texts,
        form=form,
        pairs=pairs,
        baseline=not no_baseline,
        vocabulary=vocabulary or (),
        least=least,
        data=data,
        command=command_line(),
        tell=_teller(quiet),
    )
    typer.echo(f"{output}: {found.summary()}")


def _teller(quiet: bool) -> Callable[[str], None]:
    return lambda line: None if quiet else typer.echo(line, err=True)


@contextmanager
def _resumable(data: Path | None) -> Iterator[None]:
    """Leave with the code of an interrupt after a signal, and say how to go on."""
    try:
        yield
    except TrainingInterrupted as stop:
        if stop.trained.main:
            _show(stop.trained, data, why="interrupted")
        raise typer.Exit(INTERRUPTED) from None


def _show(done: Trained, data: Path | None, *, why: str = "time is up") -> None:
    if not done.main:
        return
    for line in _summary(done):
        typer.echo(line)
    if not done.finished:
        place = f" --data {data}" if data else ""
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
