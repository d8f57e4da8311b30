"""Checkpoints that are there whole or not at all: safetensors and JSON, never a pickle."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from torch import Tensor

from paraphrast.errors import ModelError

_STATE = "state.json"
_TENSORS = "tensors.safetensors"
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # what AdamW keeps of each parameter


@dataclass
class Progress:
    """Where a run is: steps done, the best look so far, looks since then.

    `seconds` are those of all sittings. `unlogged` holds the sums of the losses since the last
    line of the log and `unlogged_steps` their number; `data` is the hash of the training texts.
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


def save(folder: Path, progress: Progress, tensors: dict[str, Tensor]) -> None:
    """Write into a temporary folder, flush it to disk, then rename it into place.

    An older checkpoint of that name stays beside it until the new one is in place, so that a kill
    at any moment leaves one that `load` finds.
    """
    from safetensors.torch import save_file

    new, old = _beside(folder, "new"), _beside(folder, "old")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    whole = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    save_file(whole, new / _TENSORS)
    (new / _STATE).write_text(json.dumps(asdict(progress)), encoding="utf-8")
    for path in (new / _TENSORS, new / _STATE, new):
        _flush(path)
    if folder.exists():
        shutil.rmtree(old, ignore_errors=True)
        folder.rename(old)
    new.rename(folder)
    _flush(folder.parent)
    shutil.rmtree(old, ignore_errors=True)


def load(folder: Path) -> tuple[Progress, dict[str, Tensor]]:
    """Read a checkpoint; ModelError if it is not whole."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    progress = load_progress(folder)
    path = _found(folder) / _TENSORS
    try:
        return progress, load_file(path)
    except (OSError, ValueError, SafetensorError) as error:
        raise ModelError(f"{folder} is not a whole checkpoint: {error}") from error


def load_progress(folder: Path) -> Progress:
    """Read only where the run was."""
    try:
        text = (_found(folder) / _STATE).read_text(encoding="utf-8")
        return Progress(**json.loads(text))
    except (OSError, ValueError, TypeError) as error:
        raise ModelError(f"{folder} is not a whole checkpoint: {error}") from error


def latest(run: Path) -> Path | None:
    """Return the newest checkpoint of a run, if it has one."""
    found = _checkpoints(run)
    return found[-1] if found else None


def keep_latest(run: Path) -> None:
    """Remove all checkpoints but the newest: called when that one is in place."""
    for old in _checkpoints(run)[:-1]:
        shutil.rmtree(old, ignore_errors=True)
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


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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
