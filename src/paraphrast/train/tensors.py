"""Batches of arrays as torch tensors."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import torch
from torch import Tensor


def tensors(batch: Any, device: torch.device) -> dict[str, Tensor]:
    """Return the arrays of a batch, which is a dataclass, by name, on the device."""
    return {
        field.name: torch.from_numpy(getattr(batch, field.name)).to(device)
        for field in fields(batch)
    }
