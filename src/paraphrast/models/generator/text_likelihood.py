"""How probable a model thinks texts are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from paraphrast.errors import InputError
from paraphrast.models.generator.language_model import Forcing, Ints, LanguageModel, Logits, Pairing


def of_targets(logits: Logits, targets: Sequence[Ints]) -> list[Logits]:
    """Split rows of logits by target, and return the log-probability of each target's tokens."""
    flat = np.concatenate(targets)
    top = logits.max(axis=-1)
    total = np.exp(logits - top[:, None]).sum(axis=-1, dtype=np.float64)
    found = logits[np.arange(len(flat)), flat] - top - np.log(total)
    ends = np.cumsum([len(ids) for ids in targets])[:-1]
    return [part.astype(np.float32) for part in np.split(found, ends)]


BATCH_TOKENS = 512  # of targets that are read at once: each has a row of logits


def token_logprobs(
    model: LanguageModel, sources: Sequence[str], targets: Sequence[str]
) -> list[Logits]:
    """Return the log-probability of every sub-word of each target, its end last, given its source.

    A generator that is told how much to copy is told what is true of the pair. An empty source
    gives what the model thinks of a text by itself, an empty target the probability of ending at
    once. Texts longer than the model reads or writes are an InputError.
    """
    if len(sources) != len(targets):
        raise InputError(f"there are {len(sources)} sources for {len(targets)} targets")
    if isinstance(model, Pairing):
        prompts = model.encode_pairs(sources, targets)
    else:
        prompts = model.encode(sources)
    wanted = model.targets(targets)
    for number, ids in enumerate(wanted, 1):
        if len(ids) > model.max_target:
            raise InputError(
                f"target {number} has {len(ids)} sub-words, but the model writes "
                f"{model.max_target} at most; split it into sentences"
            )
    found: list[Logits] = [np.zeros(0, dtype=np.float32)] * len(wanted)
    for places in _batches(prompts, wanted):
        given = [prompts[place] for place in places], [wanted[place] for place in places]
        read = model.forced(*given) if isinstance(model, Forcing) else stepped(model, *given)
        for place, one in zip(places, read, strict=True):
            found[place] = one
    return found


def stepped(model: LanguageModel, prompts: Sequence[Ints], targets: Sequence[Ints]) -> list[Logits]:
    """Read targets a token at a time, which every model can; rows that are done fall out."""
    state, logits = model.start(prompts)
    rows = list(range(len(prompts)))
    found: list[list[Logits]] = [[] for _ in prompts]
    while True:
        for row, one in zip(rows, logits, strict=True):
            found[row].append(one)
        going = [n for n, row in enumerate(rows) if len(found[row]) < len(targets[row])]
        if not going:
            return of_targets(np.stack([one for row in found for one in row]), targets)
        state, rows = model.reorder(state, np.array(going)), [rows[n] for n in going]
        tokens = [targets[row][len(found[row]) - 1] for row in rows]
        logits = model.step(state, np.array(tokens))


def _batches(prompts: Sequence[Ints], targets: Sequence[Ints]) -> Iterator[list[int]]:
    """Yield places of pairs of like length, in batches of limited size."""
    lengths = [(len(b), len(a)) for a, b in zip(prompts, targets, strict=True)]
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        longest = max(max(lengths[one]) for one in [*batch, place])
        if batch and (len(batch) + 1) * longest > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
