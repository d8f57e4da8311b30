"""One readable loop: batch, loss, step, validate, save.

Random choices follow from the seed and the step alone, and a batch shared by several processes
adds up to the batch of one: neither a kill nor `torchrun` changes the curve. (Only dropout, where
a recipe has any, draws differently in several processes.)
"""

from __future__ import annotations

import math
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, Self

import torch
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list
from torch import nn

from paraphrast.errors import ModelError
from paraphrast.train import checkpoint, log
from paraphrast.train.checkpoint import Progress
from paraphrast.train.data.assembly import Corpus
from paraphrast.train.data.batches import TrainingOrder
from paraphrast.train.data.presentation import Pick, shown
from paraphrast.train.optimiser import Average, make_optimiser, names_in_order, set_rate
from paraphrast.train.recipe import TrainingRecipe
from paraphrast.train.sitting_options import TrainingProgress
from paraphrast.train.throughput import Meter, peak_flops
from paraphrast.train.training_task import TrainingTask, check_selected, tensors


@dataclass
class Trainer:
    """All that the loop holds between steps."""

    run: Path
    recipe: TrainingRecipe
    corpus: Corpus
    task: TrainingTask
    progress: Progress
    accelerator: Accelerator
    order: TrainingOrder
    model: Any = None
    optimiser: Any = None
    average: Average | None = None

    @property
    def network(self) -> nn.Module:
        return self.task.network

    @property
    def main(self) -> bool:
        return bool(self.accelerator.is_main_process)


class StopSignals:
    """While open, notes SIGINT and SIGTERM so that the loop can end with a checkpoint.

    A second signal raises KeyboardInterrupt at once. Only the main thread can hear signals; in
    another thread nothing is noted.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        if self.number is not None:
            raise KeyboardInterrupt
        self.number = number


class Ending(NamedTuple):
    """Whether the recipe was finished and, if not, the signal that ended it; None: the minutes."""

    finished: bool
    signal: int | None


class Stepped(NamedTuple):
    """What a step gives: mean losses, sub-words read by all processes, whether to stop after it."""

    losses: dict[str, float]
    tokens: int
    late: bool


def prepare(trainer: Trainer, newest: Path | None) -> None:
    """Make optimiser and averages, and take up the checkpoint `newest` if there is one."""
    recipe, task, network = trainer.recipe, trainer.task, trainer.network
    check_selected(recipe.loop.select, task.known(trainer.corpus.validation))
    trainer.model, trainer.optimiser = trainer.accelerator.prepare(
        task.objective(), make_optimiser(network, recipe.optimiser)
    )
    if recipe.optimiser.average:
        trainer.average = Average(network, recipe.optimiser.average)
    if newest is not None:
        checkpoint.restore(newest, network, trainer.optimiser, trainer.average)


def fit(
    trainer: Trainer,
    *,
    minutes: float | None = None,
    advance: TrainingProgress = lambda _done, _steps, _words: None,
) -> Ending:
    """Train to the end of the recipe, or stop before it with a checkpoint to go on from.

    The run stops when `minutes` are over, or when the process is told to end by SIGINT or SIGTERM.
    """
    with StopSignals() as signals:
        finished = _fit(trainer, signals, minutes, advance)
        return Ending(finished, None if finished else signals.number)


def _fit(
    trainer: Trainer, signals: StopSignals, minutes: float | None, advance: TrainingProgress
) -> bool:
    recipe, progress, steps = trainer.recipe, trainer.progress, trainer.order.steps
    meter = _meter(trainer)
    before, started = progress.seconds, time.monotonic()
    advance(progress.step, steps, "")
    while progress.step < steps and progress.stale < recipe.loop.patience:
        begun = time.monotonic()
        over = minutes is not None and begun - started >= 60 * minutes
        late = over or signals.number is not None
        rate = set_rate(trainer.optimiser, recipe.optimiser, progress.step, steps)
        done = train_step(trainer, trainer.order.picks(progress.step), late=late)
        progress.step += 1
        words = meter.count(done.losses, done.tokens, time.monotonic() - begun, rate)
        progress.seconds = before + time.monotonic() - started
        last = progress.step == steps
        if last or progress.step % recipe.loop.validate_every == 0:
            validate(trainer)
            last = last or progress.stale >= recipe.loop.patience
        if last or done.late or progress.step % recipe.loop.checkpoint_every == 0:
            progress.seconds = before + time.monotonic() - started
            save(trainer)
        advance(progress.step, steps, words)
        if done.late and not last:
            return False
    return True


def _meter(trainer: Trainer) -> Meter:
    accelerator = trainer.accelerator
    run = trainer.run if trainer.main else None
    return Meter(
        run,
        trainer.progress,
        cost=trainer.task.cost,
        measure=lambda: peak_flops(accelerator.device) * accelerator.num_processes,
    )


def train_step(trainer: Trainer, picks: list[Pick], *, late: bool = False) -> Stepped:
    """One update from the picks; each process takes its share and scales it to the whole."""
    recipe, accelerator, step = trainer.recipe, trainer.accelerator, trainer.progress.step
    torch.manual_seed(recipe.seed * 1_000_003 + step)
    examples = [shown(trainer.corpus.train, pick) for pick in picks]
    batch = trainer.task.batch(examples, step)
    mine = batch.share(accelerator.process_index, accelerator.num_processes)
    trainer.model.train()
    sums = trainer.model(tensors(mine, accelerator.device))
    done = _whole(trainer, sums.detach(), len(batch), batch.tokens, late)
    accelerator.backward(sums.sum() * accelerator.num_processes / len(batch))
    norm = accelerator.clip_grad_norm_(trainer.model.parameters(), recipe.optimiser.clip)
    _check(trainer, done.losses, float(norm))
    trainer.optimiser.step()
    trainer.optimiser.zero_grad(set_to_none=True)
    if trainer.average:
        trainer.average.update(trainer.network, step)
    return done


def _whole(trainer: Trainer, sums: torch.Tensor, examples: int, tokens: int, late: bool) -> Stepped:
    """Add up what the processes have; all stop as soon as the main one does."""
    flag = sums.new_tensor([float(late and trainer.main)])
    values = trainer.accelerator.reduce(torch.cat([sums, flag]), reduction="sum")
    means = (values[:-1] / examples).tolist()
    losses = dict(zip(trainer.task.losses, means, strict=True))
    return Stepped(losses, tokens, bool(values[-1] > 0))


def _check(trainer: Trainer, losses: dict[str, float], norm: float) -> None:
    """Stop before a loss or gradient that is no number gets into the weights."""
    if math.isfinite(norm) and all(map(math.isfinite, losses.values())):
        return
    shown_losses = ", ".join(f"{name} {value:g}" for name, value in losses.items())
    raise ModelError(
        f"training broke down at step {trainer.progress.step + 1}: {shown_losses}, "
        f"norm of the gradient {norm:g}; start a new run with a lower rate or a longer warm-up"
    )


def validate(trainer: Trainer) -> None:
    """Validate, with the averaged weights if there are any, and keep the best.

    Every process validates, and all believe the main one, so that they agree on when to stop.
    """
    recipe, progress = trainer.recipe, trainer.progress
    if not trainer.corpus.validation:
        progress.best_step = progress.step
        keep_best(trainer)
        return
    if trainer.average:
        trainer.average.swap(trainer.network)
    found = trainer.task.figures(trainer.corpus.validation)
    if trainer.average:
        trainer.average.swap(trainer.network)
    found = broadcast_object_list([found])[0]
    weights = recipe.loop.select or dict.fromkeys(found, 1.0)
    value = sum(weight * found[name] for name, weight in weights.items()) / sum(weights.values())
    better = value > progress.best
    progress.stale = 0 if better else progress.stale + 1
    if better:
        progress.best, progress.best_step, progress.figures = value, progress.step, found
        keep_best(trainer)
    if trainer.main:
        entry = {"kind": "validation", "step": progress.step, "selected": value, **found}
        log.append(trainer.run, entry)


def keep_best(trainer: Trainer) -> None:
    """Write the weights, averaged if there are averages, as the run's best."""
    if not trainer.main:
        return
    weights = dict(trainer.network.state_dict())
    if trainer.average:
        weights.update(trainer.average.weights)
    checkpoint.save(trainer.run / "best", trainer.progress, weights)


def save(trainer: Trainer) -> None:
    """Write all that a resumed run needs; the checkpoint before it stays as a fallback."""
    if not trainer.main:
        return
    network, optimiser = trainer.network, trainer.optimiser
    whole = {f"model.{name}": value for name, value in network.state_dict().items()}
    whole |= checkpoint.optimiser_tensors(optimiser, names_in_order(network, optimiser))
    if trainer.average:
        whole |= {f"average.{name}": value for name, value in trainer.average.weights.items()}
    step = trainer.progress.step
    folder = checkpoint.step_folder(trainer.run, step)
    checkpoint.save(folder, trainer.progress, whole, log_text=log.text(trainer.run))
    checkpoint.keep_latest(trainer.run, step)
