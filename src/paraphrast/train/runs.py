"""Runs on disk: start one from a recipe, or go on with one that was stopped."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import DistributedDataParallelKwargs, InitProcessGroupKwargs

from paraphrast.errors import ConfigError, ModelError
from paraphrast.io import atomic_writer
from paraphrast.io.atomic import make_folder
from paraphrast.io.resume import alone
from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.models.hub import quietly
from paraphrast.train import checkpoint, log, loop
from paraphrast.train.backbone import backbone_folder
from paraphrast.train.checkpoint import Progress
from paraphrast.train.data.assembly import (
    Corpus,
    assemble,
    data_root,
    digest,
    parts,
    path_of,
)
from paraphrast.train.data.batches import TrainingOrder
from paraphrast.train.recipe import TrainingRecipe, read_recipe
from paraphrast.train.sitting_options import SittingOptions, Tell
from paraphrast.train.training_task import TrainingTask, make_task

RECIPE = "recipe.toml"
FETCHED, MADE = "backbones/", "runs/"  # folders that a checkout fills; no model of a hub is there
_PATIENCE = timedelta(hours=24)  # others wait while the main process lets the teacher label


@dataclass(frozen=True, slots=True)
class Sitting:
    """How far a run came in one sitting: to the end, to the last minute, or to a `signal`.

    `main` is False in the processes that stay silent.
    """

    run: Path
    finished: bool
    signal: int | None
    steps: int
    progress: Progress
    main: bool = True


def create(recipe_path: Path, run: Path) -> TrainingRecipe:
    """Make the folder of a new run with a copy of its recipe; refuse one that was trained."""
    recipe = read_recipe(recipe_path)
    if checkpoint.latest(run) or checkpoint.has_best(run):
        raise ConfigError(
            f"{run} already holds a run; go on with it (paraphrast train resume {run}) or remove it"
        )
    _make_folder(run)
    with atomic_writer(run / RECIPE) as file:
        file.write(recipe_path.read_text(encoding="utf-8"))
    return recipe


def begin(recipe_path: Path, run: Path, options: SittingOptions) -> Sitting:
    """Create a run and train it. One that fails before its first checkpoint leaves no recipe.

    Of several processes one creates the run, and the others wait for it.
    """
    accelerator = make_accelerator()
    if accelerator.is_main_process:
        _make_folder(run)
    accelerator.wait_for_everyone()
    with alone(run, doing="training", main=accelerator.is_main_process):
        if accelerator.is_main_process:
            create(recipe_path, run)
        accelerator.wait_for_everyone()
        try:
            return _train(run, accelerator, options)
        except BaseException:
            if accelerator.is_main_process:
                _discard_untrained(run)
            raise


def _make_folder(run: Path) -> None:
    try:
        make_folder(run)
    except OSError as error:
        raise ConfigError(f"cannot make the folder {run}: {error.strerror}") from error


def _discard_untrained(run: Path) -> None:
    """Remove what a run without a checkpoint left, except the labels of a teacher."""
    if checkpoint.latest(run) or checkpoint.has_best(run):
        return
    for name in (RECIPE, log.NAME, ".lock"):
        (run / name).unlink(missing_ok=True)
    shutil.rmtree(run / "checkpoints", ignore_errors=True)  # what a failed save left
    if not any(run.iterdir()):
        run.rmdir()


def open_run(run: Path) -> TrainingRecipe:
    """Return the recipe of a run."""
    if not (run / RECIPE).exists():
        raise ConfigError(f"{run} is not a training run: it has no {RECIPE}")
    return read_recipe(run / RECIPE)


def resume(run: Path, options: SittingOptions | None = None) -> Sitting:
    """Train a run from wherever it is, to the end of its recipe or of the minutes."""
    open_run(run)
    accelerator = make_accelerator()
    with alone(run, doing="training", main=accelerator.is_main_process):
        return _train(run, accelerator, options or SittingOptions())


def _train(run: Path, accelerator: Accelerator, options: SittingOptions) -> Sitting:
    tell = options.tell if accelerator.is_main_process else _silent
    recipe, newest = open_run(run), checkpoint.latest_whole(run, tell=tell)
    progress = _progress(run, recipe, newest)
    tokeniser = load_tokeniser(recipe)
    corpus = _corpus(run, recipe, tokeniser, options.data or data_root(), accelerator, tell)
    _check_data(progress, corpus)
    task = _task(recipe, tokeniser, fresh=newest is None)
    _check_lengths(recipe, corpus, task.longest)
    order = TrainingOrder(corpus, recipe)
    trainer = loop.Trainer(run, recipe, corpus, task, progress, accelerator, order)
    loop.prepare(trainer, newest)
    for line in describe(recipe, corpus):
        tell(line)
    if trainer.main:
        _rewind_log(run, newest)
    ending = loop.fit(trainer, minutes=options.minutes, advance=options.advance)
    leave(accelerator)
    return Sitting(run, *ending, order.steps, trainer.progress, trainer.main)


def _silent(_line: str) -> None:
    """Tell nobody."""


def _rewind_log(run: Path, newest: Path | None) -> None:
    """Put the log back to where the checkpoint was: lines after it come again."""
    saved = checkpoint.load_log(newest) if newest else None
    if saved is not None:
        log.replace(run, saved)
    else:
        log.rewind(run, checkpoint.step_of(newest) if newest else -1)


def _progress(run: Path, recipe: TrainingRecipe, newest: Path | None) -> Progress:
    if newest is None:
        return Progress(recipe.fingerprint)
    progress = checkpoint.load_progress(newest)
    if progress.fingerprint != recipe.fingerprint:
        raise ConfigError(f"{run / RECIPE} was changed after the run began; start a new run")
    return progress


def _corpus(
    run: Path,
    recipe: TrainingRecipe,
    tokeniser: PairTokeniser,
    root: Path,
    accelerator: Accelerator,
    tell: Tell,
) -> Corpus:
    """Read the labelled sources, and have the others labelled: once, by the main process."""
    found = parts(recipe, root)
    corpus = assemble(recipe, tokeniser, found)
    if recipe.teacher is None:
        return corpus
    from paraphrast.train.encoder.distillation import add_labelled

    with accelerator.main_process_first():
        add_labelled(corpus, recipe, tokeniser, found, run / "labels", tell=tell)
    return corpus


def _check_data(progress: Progress, corpus: Corpus) -> None:
    """Refuse data that have changed; a checkpoint of an earlier version knows the texts alone."""
    found = digest(corpus)
    texts, _, _ = found.partition("-")
    before = progress.data
    if before and before.partition("-")[0] != texts:
        raise ConfigError("the training data are not those the run began with; start a new run")
    if before not in ("", texts, found):
        raise ConfigError(
            "the labels or the validation rows are not those the run began with; start a new run"
        )
    progress.data = found


def _task(recipe: TrainingRecipe, tokeniser: PairTokeniser, *, fresh: bool) -> TrainingTask:
    torch.manual_seed(recipe.seed)
    task = make_task(recipe, tokeniser)
    if recipe.model.start and fresh:
        checkpoint.start_from(task.network, Path(recipe.model.start))
    return task


def _check_lengths(recipe: TrainingRecipe, corpus: Corpus, longest: int | None) -> None:
    """Refuse what the backbone cannot read; drop validation pairs that are longer still."""
    if longest is None:
        return
    if recipe.max_tokens > longest:
        raise ConfigError(
            f"max_tokens is {recipe.max_tokens}; the backbone reads at most {longest} sub-words"
        )
    for name, rows in corpus.validation.items():
        corpus.validation[name] = [row for row in rows if len(row) + 4 <= longest]


def load_tokeniser(recipe: TrainingRecipe) -> PairTokeniser:
    """Load the backbone's tokeniser, from its directory or a hub."""
    folder = backbone_folder(recipe.model.backbone)
    if (folder / "tokenizer.json").exists():
        return PairTokeniser.from_file(folder / "tokenizer.json")
    from transformers import AutoTokenizer

    try:
        with quietly():
            found = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"the backbone {recipe.model.backbone!r} has no tokeniser that transformers can load"
        ) from error
    return PairTokeniser(found.backend_tokenizer)


def describe(recipe: TrainingRecipe, corpus: Corpus) -> list[str]:
    """Say what the run is made of: every source, its size, its share of an epoch."""
    shown = {s.name: corpus.rows[s.name] * s.passes for s in recipe.source if s.name in corpus.rows}
    total = sum(shown.values())
    lines = []
    for name, count in shown.items():
        lost, kept = corpus.too_long[name], corpus.kept_out[name]
        left = f", {lost:,} left out as too long" if lost else ""
        left += f", {kept:,} kept out for testing or validation" if kept else ""
        lines.append(f"{name}: {corpus.rows[name]:,} pairs, {count / total:.1%} of an epoch{left}")
    for name, held_out in corpus.validation.items():
        lines.append(f"{name}: {len(held_out):,} pairs for validation")
    return lines


def check_ready(recipe: TrainingRecipe, data: Path | None = None) -> None:
    """Raise ConfigError for local weights, runs and data files that are not there."""
    root = data or data_root()
    backbone, start = recipe.model.backbone, recipe.model.start
    if backbone.startswith(FETCHED) and not Path(backbone).is_dir():
        raise ConfigError(
            f"there is no folder {backbone}: `make backbones` fetches the weights that the recipes "
            "start from"
        )
    if start and not Path(start).is_dir():
        raise ConfigError(
            f"there is no run {start}, with whose weights {recipe.name!r} begins: train it first"
        )
    teacher = recipe.teacher.encoder if recipe.teacher else ""
    if teacher.startswith(MADE) and not Path(teacher).is_dir():
        run = "/".join(Path(teacher).parts[:2])
        raise ConfigError(
            f"there is no teacher {teacher}: train {run}, then export it (paraphrast train export "
            f"{run} -o FOLDER)"
        )
    for source in recipe.source:
        for name in (*source.files, *source.validation_files):
            if not path_of(name, root).is_file():
                raise ConfigError(
                    f"the source {source.name!r} needs {path_of(name, root)}, which is not there; "
                    "--data or PARAPHRAST_DATA names the folder of the data"
                )


def make_accelerator() -> Accelerator:
    """Take part in what `torchrun` or `accelerate launch` started, or be alone.

    Heads that a recipe does not train are weights without a gradient, which is allowed for.
    """
    unused = DistributedDataParallelKwargs(find_unused_parameters=True)
    group = InitProcessGroupKwargs(timeout=_PATIENCE)
    # Without a GPU, accelerate forms a group only when told that CPUs are meant; otherwise each
    # process would believe itself alone and write the same run.
    accelerator = Accelerator(
        cpu=not torch.accelerator.is_available(), kwargs_handlers=[unused, group]
    )
    wanted = int(os.environ.get("WORLD_SIZE", "1"))
    if accelerator.num_processes != wanted:
        raise ConfigError(
            f"{wanted} processes were started, but they cannot work together on this machine"
        )
    return accelerator


def leave(accelerator: Accelerator) -> None:
    """Close the group of processes, if there is one."""
    if accelerator.num_processes > 1:
        accelerator.wait_for_everyone()
        accelerator.end_training()
