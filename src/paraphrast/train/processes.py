"""One process or several: what accelerate makes of the machine."""

from __future__ import annotations

import os
from datetime import timedelta

import torch
from accelerate import Accelerator
from accelerate.utils import DistributedDataParallelKwargs, InitProcessGroupKwargs

from paraphrast.errors import ConfigError

_PATIENCE = timedelta(hours=24)  # others wait while the main process lets the teacher label


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
