"""Train an encoder: the functions behind `paraphrast train`. Torch is loaded when one is called."""

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
from paraphrast.render.training import training_html, training_svg
from paraphrast.train import log
from paraphrast.train.recipe import read_recipe

if TYPE_CHECKING:
    from paraphrast.train.export_embedder import Embedded
    from paraphrast.train.parity import Parity
    from paraphrast.train.runs import Outcome

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
    _check_packages()
    asked = read_recipe(recipe)
    folder = run or Path("runs") / asked.name
    from paraphrast.train import runs
    from paraphrast.train.ready import check_ready

    check_ready(asked, data)
    runs.begin(recipe, folder)
    return _trained(runs.go(folder, minutes=minutes, data=data, advance=advance, tell=tell))


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
    _check_packages()
    from paraphrast.train import runs
    from paraphrast.train.ready import check_ready

    check_ready(runs.open_run(run), data)
    return _trained(runs.go(run, minutes=minutes, data=data, advance=advance, tell=tell))


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


def train_export(
    source: Path,
    output: Path,
    *,
    name: str | None = None,
    model: str | None = None,
    version: str = _version.VERSION,
    languages: Sequence[str] = ("en",),
    average: Sequence[Path] = (),
    layer: int | None = None,
    texts: str | None = None,
    form: str | None = None,
    pairs: int | None = None,
    baseline: bool = True,
    data: Path | None = None,
    command: str = "",
    tell: Tell = lambda _line: None,
) -> Parity | Embedded:
    """Write a run as an edit encoder, or an encoder of transformers as an embedder.

    A folder with a recipe is a run: its best weights are written, or with other runs to `average`
    the mean of the weights of all; its name is "paraphrast-encoder" and its model "mini" unless
    given. Any other folder, or the id of a model on the hub, is an encoder of transformers;
    `layer` to `baseline` are for it. What is returned says how the small file compares with fp32.
    """
    _check_packages("onnx", "onnxruntime")
    from paraphrast.train.runs import RECIPE

    shared: dict[str, Any] = {"version": version, "languages": tuple(languages)}
    asked: dict[str, Any] = {"layer": layer, "texts": texts, "form": form, "pairs": pairs}
    given = {key: value for key, value in asked.items() if value is not None}
    if (source / RECIPE).exists():
        _check_run(source, [f"--{key}" for key in given] + ["--no-baseline"] * (not baseline))
        from paraphrast.train.export import export_run

        shared |= {"name": name or "paraphrast-encoder", "model": model or "mini"}
        return export_run(source, output, **shared, average=average, data=data, tell=tell)
    _check_encoder(source, average, pairs, baseline)
    from paraphrast.train.embed_request import EmbedderRequest
    from paraphrast.train.export_embedder import export_embedder

    given |= {} if baseline else {"pairs": None}
    request = EmbedderRequest(name=name, model=model, command=command, **shared, **given)
    return export_embedder(str(source), output, request, data=data, tell=tell)


def _check_run(source: Path, options: Sequence[str]) -> None:
    """Refuse options that a run has no use for."""
    if options:
        raise ConfigError(
            f"{source} is a training run; {' and '.join(options)} can be given for an encoder of "
            "transformers only"
        )


def _check_encoder(
    source: Path, average: Sequence[Path], pairs: int | None, baseline: bool
) -> None:
    """Refuse options that an encoder of transformers has no use for, and folders that are none."""
    if source.is_dir() and not (source / "config.json").exists():
        raise ConfigError(
            f"{source} is neither a training run (it has no recipe.toml) nor an encoder of "
            "transformers (it has no config.json)"
        )
    if average:
        raise ConfigError(f"{source} is not a training run; --average can be given for runs only")
    if pairs is not None and not baseline:
        raise ConfigError("--pairs is for the baseline, which --no-baseline leaves out")


def _check_minutes(minutes: float | None) -> None:
    if minutes is not None and not minutes >= 0:
        raise ConfigError(f"minutes is {minutes:g}; it must be 0 or more")


def _check_packages(*more: str) -> None:
    for package in (*_PACKAGES, *more):
        if find_spec(package) is None:
            raise MissingExtra("train", package)


def _trained(outcome: Outcome) -> Trained:
    progress = outcome.progress
    lines = [line for line in _log(outcome.run) if line.get("kind") == "training"]
    return Trained(
        run=outcome.run,
        finished=outcome.finished,
        step=progress.step,
        steps=outcome.steps,
        best_step=progress.best_step,
        seconds=progress.seconds,
        figures=dict(progress.figures),
        tokens_per_second=_median(lines, "tokens_per_second"),
        peak_share=_median(lines, "peak_share"),
        main=outcome.main,
    )


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
