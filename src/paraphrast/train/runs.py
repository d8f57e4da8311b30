"""Runs on disk: start one from a recipe, or go on with one that was stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from accelerate import Accelerator

from paraphrast.errors import ConfigError, ModelError
from paraphrast.io import atomic_writer
from paraphrast.io.lock import alone
from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.train import log, loop
from paraphrast.train.backbone import quietly
from paraphrast.train.checkpoint import Progress, latest, load_progress, step_of
from paraphrast.train.data.assembly import Corpus, assemble, data_root, digest, parts
from paraphrast.train.data.batches import Order
from paraphrast.train.processes import leave, make_accelerator
from paraphrast.train.recipe import Recipe, read_recipe
from paraphrast.train.restoring import start_from
from paraphrast.train.task import Task, make_task

RECIPE = "recipe.toml"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a sitting ended. `main` is False in the processes that stay silent."""

    run: Path
    finished: bool
    steps: int
    progress: Progress
    main: bool = True


def _silent(_line: str) -> None:
    """Tell nobody."""


def create(recipe_path: Path, run: Path) -> Recipe:
    """Make the folder of a new run with a copy of its recipe; refuse one that is in use."""
    recipe = read_recipe(recipe_path)
    if (run / RECIPE).exists():
        raise ConfigError(
            f"{run} already holds a run; go on with it (paraphrast train resume {run}) or remove it"
        )
    try:
        run.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot make the folder {run}: {error.strerror}") from error
    with atomic_writer(run / RECIPE) as file:
        file.write(recipe_path.read_text(encoding="utf-8"))
    return recipe


def begin(recipe_path: Path, run: Path) -> None:
    """Create a run; of several processes one does, and the others wait for it."""
    accelerator = make_accelerator()
    if accelerator.is_main_process:
        create(recipe_path, run)
    accelerator.wait_for_everyone()


def open_run(run: Path) -> Recipe:
    """Return the recipe of a run."""
    if not (run / RECIPE).exists():
        raise ConfigError(f"{run} is not a training run: it has no {RECIPE}")
    return read_recipe(run / RECIPE)


def go(
    run: Path,
    *,
    minutes: float | None = None,
    data: Path | None = None,
    advance: loop.Advance = lambda _done, _steps, _words: None,
    tell: Callable[[str], None] = _silent,
) -> Outcome:
    """Train a run from wherever it is, to the end of its recipe or of the minutes."""
    open_run(run)
    accelerator = make_accelerator()
    with alone(run, doing="training", main=accelerator.is_main_process):
        return _train(run, accelerator, minutes, data, advance, tell)


def _train(
    run: Path,
    accelerator: Accelerator,
    minutes: float | None,
    data: Path | None,
    advance: loop.Advance,
    tell: Callable[[str], None],
) -> Outcome:
    recipe, newest = open_run(run), latest(run)
    progress = _progress(run, recipe, newest)
    tokeniser = load_tokeniser(recipe)
    corpus = _corpus(run, recipe, tokeniser, data or data_root(), accelerator, tell)
    _check_data(progress, corpus)
    task = _task(recipe, tokeniser, fresh=newest is None)
    _check_lengths(recipe, corpus, task.longest)
    order = Order(corpus, recipe)
    trainer = loop.Trainer(run, recipe, corpus, task, progress, accelerator, order)
    loop.prepare(trainer, newest)
    if trainer.main:
        for line in describe(recipe, corpus):
            tell(line)
        log.rewind(run, step_of(newest) if newest else -1)
    finished = loop.fit(trainer, minutes=minutes, advance=advance)
    leave(accelerator)
    return Outcome(run, finished, order.steps, trainer.progress, trainer.main)


def _progress(run: Path, recipe: Recipe, newest: Path | None) -> Progress:
    if newest is None:
        return Progress(recipe.fingerprint)
    progress = load_progress(newest)
    if progress.fingerprint != recipe.fingerprint:
        raise ConfigError(f"{run / RECIPE} was changed after the run began; start a new run")
    return progress


def _corpus(
    run: Path,
    recipe: Recipe,
    tokeniser: PairTokeniser,
    root: Path,
    accelerator: Accelerator,
    tell: Callable[[str], None],
) -> Corpus:
    """Read the labelled sources, and have the others labelled: once, by the main process."""
    found = parts(recipe, root)
    corpus = assemble(recipe, tokeniser, found)
    if recipe.teacher is None:
        return corpus
    from paraphrast.train.encoder.distillation import add_labelled

    with accelerator.main_process_first():
        said = tell if accelerator.is_main_process else _silent
        add_labelled(corpus, recipe, tokeniser, found, run / "labels", tell=said)
    return corpus


def _check_data(progress: Progress, corpus: Corpus) -> None:
    found = digest(corpus)
    if progress.data not in ("", found):
        raise ConfigError("the training data are not those the run began with; start a new run")
    progress.data = found


def _task(recipe: Recipe, tokeniser: PairTokeniser, *, fresh: bool) -> Task:
    torch.manual_seed(recipe.seed)
    task = make_task(recipe, tokeniser)
    if recipe.model.start and fresh:
        start_from(task.network, Path(recipe.model.start))
    return task


def _check_lengths(recipe: Recipe, corpus: Corpus, longest: int | None) -> None:
    """Refuse what the backbone cannot read; drop validation pairs that are longer still."""
    if longest is None:
        return
    if recipe.max_tokens > longest:
        raise ConfigError(
            f"max_tokens is {recipe.max_tokens}; the backbone reads at most {longest} sub-words"
        )
    for name, rows in corpus.validation.items():
        corpus.validation[name] = [row for row in rows if len(row) + 4 <= longest]


def load_tokeniser(recipe: Recipe) -> PairTokeniser:
    """Load the backbone's tokeniser, from its directory or a hub."""
    local = Path(recipe.model.backbone) / "tokenizer.json"
    if local.exists():
        return PairTokeniser.from_file(local)
    from transformers import AutoTokenizer

    try:
        with quietly():
            found = AutoTokenizer.from_pretrained(recipe.model.backbone, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"there is no backbone {recipe.model.backbone!r}: neither a folder here nor on a hub"
        ) from error
    return PairTokeniser(found.backend_tokenizer)


def describe(recipe: Recipe, corpus: Corpus) -> list[str]:
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
