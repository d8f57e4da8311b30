"""Checkpoints that are there whole or not at all: safetensors and JSON, never a pickle.

A checkpoint is a folder: the tensors, the log as it was, and state.json, which says where the run
was and what the sha256 of each part is. The hashes are read before anything is used.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from paraphrast.errors import InputError, ModelError
from paraphrast.io.atomic import flush_file, flush_folder, make_folder
from paraphrast.io.resume import file_sha256
from paraphrast.train import log
from paraphrast.train.optimiser import Average, names_in_order

_STATE = "state.json"
_TENSORS = "tensors.safetensors"
_HASHES = "sha256"  # the key of state.json for the hashes; checkpoints of old have none
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # what AdamW keeps of each parameter
_KEPT = 2  # checkpoints of a run: the newest, and an older one to fall back to


@dataclass
class Progress:
    """Where a run is: steps done, the best validation so far, validations since then.

    `seconds` are those of all sittings. `unlogged` holds the sums of the losses since the last
    line of the log and `unlogged_steps` their number; `data` is the hash of the rows.
    """

    fingerprint: str
    step: int = 0
    best: float = float("-inf")
    best_step: int = 0
    stale: int = 0
    seconds: float = 0.0
    figures: dict[str, float] = field(default_factory=dict)
    unlogged: dict[str, float] = field(default_factory=dict)
    unlogged_steps: int = 0
    data: str = ""


def save(
    folder: Path, progress: Progress, tensors: dict[str, Tensor], *, log_text: str | None = None
) -> None:
    """Write into a temporary folder, flush it to disk, then rename it into place.

    An older checkpoint of that name stays beside it until the new one is in place, so that a kill
    at any moment leaves one that `load` finds.
    """
    from safetensors import SafetensorError

    new, old = _beside(folder, "new"), _beside(folder, "old")
    try:
        shutil.rmtree(new, ignore_errors=True)
        make_folder(folder.parent)
        new.mkdir()
        _write(new, progress, tensors, log_text)
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)
            folder.rename(old)
        new.rename(folder)
        flush_folder(folder.parent)
    except (OSError, SafetensorError) as error:
        shutil.rmtree(new, ignore_errors=True)
        raise InputError(f"cannot write the checkpoint {folder}: {error}") from error
    shutil.rmtree(old, ignore_errors=True)


def _write(new: Path, progress: Progress, tensors: dict[str, Tensor], log_text: str | None) -> None:
    from safetensors.torch import save_file

    whole = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    save_file(whole, new / _TENSORS)
    files = [new / _TENSORS]
    if log_text is not None:
        files.append(new / log.NAME)
        files[-1].write_text(log_text, encoding="utf-8")
    hashes = {path.name: file_sha256(path) for path in files}
    state = asdict(progress)
    hashes[_STATE] = _state_digest(state)
    (new / _STATE).write_text(json.dumps({**state, _HASHES: hashes}), encoding="utf-8")
    for path in (*files, new / _STATE):
        flush_file(path)
    flush_folder(new)


def load(folder: Path) -> tuple[Progress, dict[str, Tensor]]:
    """Read a checkpoint; ModelError if it is not whole."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    progress = check(folder)
    try:
        return progress, load_file(_found(folder) / _TENSORS)
    except (OSError, ValueError, SafetensorError) as error:
        raise _not_whole(folder, error) from error


def check(folder: Path) -> Progress:
    """Compare every file with its hash and return where the run was; ModelError if one differs.

    A checkpoint of an earlier version has no hashes and is believed.
    """
    progress, hashes = _read_state(folder)
    for name, expected in hashes.items():
        if name == _STATE:
            continue
        try:
            found = file_sha256(_found(folder) / name)
        except OSError as error:
            raise _not_whole(folder, error) from error
        if found != expected:
            raise _not_whole(folder, f"{name} is damaged, its sha256 is not {expected[:12]}…")
    return progress


def load_progress(folder: Path) -> Progress:
    """Read only where the run was."""
    return _read_state(folder)[0]


def load_log(folder: Path) -> str | None:
    """Return the log as it was at the checkpoint; None from one of an earlier version."""
    path = _found(folder) / log.NAME
    return path.read_text(encoding="utf-8") if path.exists() else None


def _read_state(folder: Path) -> tuple[Progress, dict[str, str]]:
    try:
        state = json.loads((_found(folder) / _STATE).read_text(encoding="utf-8"))
        hashes = dict(state.pop(_HASHES, {}))
        progress = Progress(**state)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise _not_whole(folder, error) from error
    if hashes and hashes.get(_STATE) != _state_digest(state):
        raise _not_whole(folder, f"{_STATE} was changed")
    return progress, hashes


def _not_whole(folder: Path, reason: object) -> ModelError:
    return ModelError(f"{folder} is not a whole checkpoint: {reason}")


def _state_digest(state: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def latest(run: Path) -> Path | None:
    """Return the newest checkpoint of a run, if it has one."""
    found = _checkpoints(run)
    return found[-1] if found else None


def latest_whole(run: Path, *, tell: Callable[[str], None]) -> Path | None:
    """Return the newest checkpoint that passes its check; None if there is no checkpoint at all.

    `tell` hears of each damaged one that is passed over. If all are damaged, the ModelError of the
    newest is raised.
    """
    failures: list[ModelError] = []
    for folder in reversed(_checkpoints(run)):
        try:
            check(folder)
        except ModelError as error:
            failures.append(error)
            continue
        for failure in failures:
            tell(f"note: {failure}; going on from {folder.name}")
        return folder
    if failures:
        raise failures[0]
    return None


def keep_latest(run: Path, step: int) -> None:
    """Remove all checkpoints but that of `step` and the one before it.

    Checkpoints of later steps are damaged ones, for the run went on from before them.
    """
    found = _checkpoints(run)
    older = [folder for folder in found if step_of(folder) <= step]
    for folder in (*older[:-_KEPT], *(later for later in found if step_of(later) > step)):
        shutil.rmtree(folder, ignore_errors=True)
    for left in (run / "checkpoints").glob(".step-*"):  # by a kill in the middle of a save
        shutil.rmtree(left, ignore_errors=True)


def step_folder(run: Path, step: int) -> Path:
    """Name the checkpoint of a step."""
    return run / "checkpoints" / f"step-{step:07d}"


def step_of(folder: Path) -> int:
    """Return the step a checkpoint was made at."""
    return int(folder.name.removeprefix("step-"))


def _checkpoints(run: Path) -> list[Path]:
    """List them, oldest first; one that was moved aside is named as it was."""
    found = {
        path.with_name(path.name.removeprefix(".").removesuffix(".old"))
        for path in (run / "checkpoints").glob("*")
        if re.fullmatch(r"step-\d+|\.step-\d+\.old", path.name)
    }
    return sorted(found, key=step_of)


def _beside(folder: Path, word: str) -> Path:
    return folder.with_name(f".{folder.name}.{word}")


def _found(folder: Path) -> Path:
    """The checkpoint, or the older one that a kill between two renames left in its stead."""
    old = _beside(folder, "old")
    return old if old.exists() and not folder.exists() else folder


def has_best(run: Path) -> bool:
    """Tell whether a run has reached a validation and kept its best weights."""
    return _found(run / "best").exists()


def optimiser_tensors(optimiser: torch.optim.Optimizer, names: list[str]) -> dict[str, Tensor]:
    """Flatten AdamW's moments; parameters it has not touched yet have none."""
    state = optimiser.state_dict()["state"]
    return {
        f"optimiser.{key}.{names[place]}": torch.as_tensor(value)
        for place, moments in state.items()
        for key, value in moments.items()
    }


def restore_optimiser(
    optimiser: torch.optim.Optimizer, names: list[str], tensors: dict[str, Tensor]
) -> None:
    """Give the moments back, by the names of the parameters they belong to."""
    state = {
        place: {key: tensors[f"optimiser.{key}.{name}"] for key in _MOMENTS}
        for place, name in enumerate(names)
        if f"optimiser.step.{name}" in tensors
    }
    optimiser.load_state_dict({**optimiser.state_dict(), "state": state})


def restore(folder: Path, network: nn.Module, optimiser: Any, average: Average | None) -> None:
    """Put weights, moments and averages of a checkpoint back where they were."""
    _, saved = load(folder)
    _fill(network, _under(saved, "model."), folder)
    restore_optimiser(optimiser, names_in_order(network, optimiser), saved)
    if average:
        _restore_average(average, _under(saved, "average."), folder)


def start_from(network: nn.Module, run: Path) -> None:
    """Begin with the best weights of another run of the same network."""
    folder = run / "best"
    _fill(network, load(folder)[1], folder)


@torch.no_grad()
def mean_of(network: nn.Module, runs: Sequence[Path]) -> None:
    """Fill a network with the mean of the best weights of runs, each of which must fit it."""
    mean: dict[str, Tensor] = {}
    for run in runs:
        _, weights = load(run / "best")
        _fill(network, weights, run / "best")
        for name, weight in weights.items():
            share = weight.double() / len(runs)
            mean[name] = mean[name] + share if name in mean else share
    now = network.state_dict()
    network.load_state_dict({name: weight.to(now[name].dtype) for name, weight in mean.items()})


def _fill(network: nn.Module, weights: dict[str, Tensor], folder: Path) -> None:
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise ModelError(f"{folder} does not fit the recipe's network: {reason}") from error


@torch.no_grad()
def _restore_average(average: Average, weights: dict[str, Tensor], folder: Path) -> None:
    if weights.keys() != average.weights.keys():
        raise ModelError(f"{folder} does not hold the averages of the recipe's network")
    for name, weight in weights.items():
        average.weights[name].copy_(weight)


def _under(saved: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): value for name, value in saved.items() if name.startswith(prefix)
    }
