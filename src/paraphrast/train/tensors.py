"""Batches of arrays as torch tensors."""

from __future__ import annotations

from dataclasses import fields

import torch
from torch import Tensor

from paraphrast.train.batches import Batch


def tensors(batch: Batch, device: torch.device) -> dict[str, Tensor]:
    """Return the arrays of a batch by name, on the device."""
    return {
        field.name: torch.from_numpy(getattr(batch, field.name)).to(device)
        for field in fields(batch)
    }
