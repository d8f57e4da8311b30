"""From logits to log-probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paraphrast.models.generator.language_model import Ints, Logits


def log_softmax(logits: Logits) -> Logits:
    """Return log-probabilities along the last axis."""
    moved = logits - logits.max(axis=-1, keepdims=True)
    found: Logits = moved - np.log(np.exp(moved).sum(axis=-1, keepdims=True))
    return found


def of_targets(logits: Logits, targets: Sequence[Ints]) -> list[Logits]:
    """Split rows of logits by target, and return the log-probability of each target's tokens."""
    flat = np.concatenate(targets)
    top = logits.max(axis=-1)
    total = np.exp(logits - top[:, None]).sum(axis=-1, dtype=np.float64)
    found = logits[np.arange(len(flat)), flat] - top - np.log(total)
    ends = np.cumsum([len(ids) for ids in targets])[:-1]
    return [part.astype(np.float32) for part in np.split(found, ends)]
