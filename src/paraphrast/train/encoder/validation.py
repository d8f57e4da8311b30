"""Validation figures: what a run is chosen by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from paraphrast.errors import InputError
from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.stats.correlation import pearson
from paraphrast.stats.cuts import auc
from paraphrast.train.data.batches import collate
from paraphrast.train.data.examples import Coded
from paraphrast.train.encoder.encoder_network import EditEncoderNetwork
from paraphrast.train.encoder.objectives import read_batch
from paraphrast.train.recipe import SourcePart
from paraphrast.train.training_task import tensors
from paraphrast.types import Floats

Bools = NDArray[np.bool_]

_BATCH = 32
_LEAST_RATED = 3  # scores, for a correlation
BOTH = 2  # labels


def figure_names(source: str, rows: list[Coded]) -> Iterator[str]:
    """Name the figures that the rows of a source will give."""
    if sum(row.score is not None for row in rows) >= _LEAST_RATED:
        yield f"{source}.pearson"
    if any(row.forward is not None for row in rows):
        yield f"{source}.accuracy"
    if len({row.same > 0.5 for row in rows if row.same is not None}) == BOTH:
        yield from (f"{source}.same", f"{source}.same_auc")
    if any(row.tags_a is not None for row in rows):
        yield from (f"{source}.f1", f"{source}.best_f1")


@torch.inference_mode()
def figures(
    network: EditEncoderNetwork,
    validation: Mapping[str, list[Coded]],
    tokeniser: PairTokeniser,
    sources: Sequence[SourcePart],
    *,
    precision: str = "float32",
) -> dict[str, float]:
    """Return "source.figure" for each.

    Pearson of scores; accuracy of "b follows from a"; accuracy and AUC of "both say the same"; F1
    of tag 1, as it is and at its best threshold.
    """
    was = network.training
    network.eval()
    found: dict[str, float] = {}
    for name, examples in validation.items():
        for figure, value in _source(network, examples, tokeniser, sources, precision).items():
            found[f"{name}.{figure}"] = value
    network.train(was)
    return found


def _source(
    network: EditEncoderNetwork,
    examples: list[Coded],
    tokeniser: PairTokeniser,
    sources: Sequence[SourcePart],
    precision: str,
) -> dict[str, float]:
    ordered = sorted(examples, key=len)
    device = next(network.parameters()).device
    parts: dict[str, list[Floats]] = {
        name: [] for name in ("score", "entailment", "same", "support")
    }
    labels: dict[str, list[Floats]] = {name: [] for name in parts}
    for start in range(0, len(ordered), _BATCH):
        batch = collate(ordered[start : start + _BATCH], tokeniser, sources)
        given = tensors(batch, device)
        out = read_batch(network, given, precision)
        words = out.tags[given["word_row"], given["word_place"]]
        parts["score"].append(out.score.cpu().numpy())
        parts["entailment"].append(out.entailment.cpu().numpy())
        parts["support"].append((words[:, 0] - words[:, 1]).cpu().numpy())
        labels["score"].append(batch.score.astype(np.float64))
        parts["same"].append(out.same.cpu().numpy())
        labels["entailment"].append(batch.forward[:, 0].astype(np.float64))
        labels["same"].append(batch.same.astype(np.float64))
        labels["support"].append(batch.word_tag.astype(np.float64))
    guess = {name: np.concatenate(part).astype(np.float64) for name, part in parts.items()}
    truth = {name: np.concatenate(part) for name, part in labels.items()}
    return _figures(guess, truth)


def _figures(guess: dict[str, Floats], truth: dict[str, Floats]) -> dict[str, float]:
    found: dict[str, float] = {}
    rated = ~np.isnan(truth["score"])
    if rated.sum() >= _LEAST_RATED:
        found["pearson"] = _pearson(guess["score"][rated], truth["score"][rated])
    judged = ~np.isnan(truth["entailment"])
    if judged.any():
        right = (guess["entailment"][judged] > 0) == (truth["entailment"][judged] > 0.5)
        found["accuracy"] = float(right.mean())
    told = ~np.isnan(truth["same"])
    gold = truth["same"][told] > 0.5
    if gold.any() and not gold.all():
        found["same"] = float(((guess["same"][told] > 0) == gold).mean())
        found["same_auc"] = auc(guess["same"][told], gold)
    if len(truth["support"]):
        gold = truth["support"] > 0.5
        found["f1"] = f1(guess["support"] < 0, gold)
        found["best_f1"] = max(f1(guess["support"] < cut, gold) for cut in np.linspace(-2, 2, 41))
    return found


def _pearson(guess: Floats, truth: Floats) -> float:
    """Return 0 where r is undefined: a network that gives every pair one score knows nothing."""
    try:
        return float(pearson(guess, truth))
    except InputError:
        return 0.0


def f1(guess: Bools, gold: Bools) -> float:
    """Harmonic mean of precision and recall; 0 where nothing is tagged on either side."""
    hits = float((guess & gold).sum())
    return 2 * hits / max(float(guess.sum() + gold.sum()), 1.0)
