"""What a card says beyond the weights: thresholds and the reading of a score, from held-out rows.

Everything here uses the parts of the training files that the run set aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.pair_reading import Reading
from paraphrast.models.encoder.tag_scores import support
from paraphrast.stats.cuts import best_cut
from paraphrast.stats.logistic import fit_logistic
from paraphrast.train.data.assembly import Part, split
from paraphrast.train.data.examples import Example
from paraphrast.train.encoder.validation import f1
from paraphrast.train.recipe import SourcePart, TrainingRecipe
from paraphrast.types import Floats

STEPS = 20  # of the table from scores to percentiles
_MOST = 600  # rows of each source
_EVEN = 0.5
NO_DOUBT = {"same": 1.0, "entailment": 0.0, "bias": 0.0, "scale": 1.0}
UNKNOWN: dict[str, object] = {"data": "none", "score": [-1.0, 1.0], "percentile": [0.0, 100.0]}


@dataclass(frozen=True)
class CardValues:
    """What goes into card.json."""

    thresholds: dict[str, float]
    calibration: dict[str, object]
    certainty: dict[str, float]


@dataclass(frozen=True)
class HeldOut:
    """The rows of a source that are looked at, and what the encoder says of them."""

    source: SourcePart
    rows: list[Example]
    readings: list[Reading]


def calibrate(
    encoder: EditEncoder, recipe: TrainingRecipe, found: Sequence[Part], root: Path
) -> CardValues:
    """Choose thresholds on held-out rows, and map scores to percentiles of human ratings."""
    seen = [
        _read(encoder, source, part)
        for source, part in zip(recipe.source, found, strict=True)
        if part.held_out and not source.unlabelled
    ]
    tags = [_supports(one) for one in seen if one.source.reader == "tags"]
    pairs = [one for one in seen if one.source.reader == "pairs"]
    entailment, score = _paraphrase_thresholds(pairs)
    rated = [one.source for one in seen if one.source.reader == "ratings"]
    named = recipe.calibration.same
    return CardValues(
        {"tag": _tag_threshold(tags), "entailment": entailment, "score": score},
        _calibration(rated, recipe.seed, root),
        _certainty(seen, [one for one in seen if not named or one.source.name in named]),
    )


def _read(encoder: EditEncoder, source: SourcePart, part: Part) -> HeldOut:
    """Read rows from all over the held-out part; of ratings only the human side is needed."""
    rows = part.held_out[:: -(-len(part.held_out) // _MOST)]
    asked = [] if source.reader == "ratings" else [(row.a, row.b) for row in rows]
    return HeldOut(source, rows, encoder.read(asked))


def _certainty(seen: Sequence[HeldOut], strict: Sequence[HeldOut]) -> dict[str, float]:
    """Fit logits to held-out labels: of sameness on the strict sources, of entailment on all.

    Each source weighs the same. Without such rows the encoder is believed as it is.
    """
    same = [
        [
            (told.relations.same, min(told.relations.forward, told.relations.backward), row.same)
            for row, told in zip(one.rows, one.readings, strict=False)
            if row.same is not None
        ]
        for one in strict
    ]
    follows = [
        [
            (told.relations.forward, 0.0, float(row.forward[0]))
            for row, told in zip(one.rows, one.readings, strict=False)
            if row.forward is not None
        ]
        for one in seen
    ]
    weights, scale = _fitted(same, bias=True), _fitted(follows, bias=False)
    certainty = dict(NO_DOUBT)
    if weights is not None:
        names = ("same", "entailment", "bias")
        certainty |= {n: round(float(w), 4) for n, w in zip(names, weights, strict=True)}
    if scale is not None and scale[0] > 0:  # else the encoder knows nothing of entailment yet
        certainty["scale"] = round(float(scale[0]), 4)
    return certainty


def _fitted(
    sources: Sequence[Sequence[tuple[float, float, float]]], *, bias: bool
) -> Floats | None:
    """Fit two features, or without a bias the first, to chances; None where all are alike."""
    rows = [(*row, 1 / len(source)) for source in sources for row in source]
    table = np.array(rows, dtype=np.float64).reshape(len(rows), 4)
    gold = table[:, 2] > _EVEN
    if not gold.any() or gold.all() or np.isnan(table).any():
        return None
    features = table[:, :2] if bias else table[:, :1]
    return fit_logistic(features, gold, weights=table[:, 3] / table[:, 3].mean(), bias=bias)


def _supports(held: HeldOut) -> tuple[Floats, np.ndarray]:
    logits = np.concatenate([side for one in held.readings for side in (one.tags_a, one.tags_b)])
    gold = np.concatenate(
        [side for row in held.rows for side in (row.tags_a, row.tags_b) if side is not None]
    )
    read = logits.any(axis=1)  # words that the tokeniser drops are never tagged
    return support(logits[read]), gold[read] > _EVEN


def _tag_threshold(sources: Sequence[tuple[Floats, np.ndarray]]) -> float:
    """The cut with the best F1 of tag 1, averaged over the sources; 0 without any."""
    if not sources:
        return 0.0
    cuts = np.linspace(-2, 2, 81)
    means = [np.mean([f1(found < cut, gold) for found, gold in sources]) for cut in cuts]
    return round(float(cuts[int(np.argmax(means))]), 4)


def _paraphrase_thresholds(held: Sequence[HeldOut]) -> tuple[float, float]:
    """The cuts of entailment logit and score with the best accuracy."""
    rows = [row for one in held for row in one.rows]
    readings = [told for one in held for told in one.readings]
    if not rows:
        return 0.0, 0.0
    gold = np.array([row.forward is not None and row.forward[0] > _EVEN for row in rows])
    return (
        best_cut(np.array([one.entailment for one in readings]), gold),
        best_cut(np.array([one.score for one in readings]), gold),
    )


def _calibration(rated: Sequence[SourcePart], seed: int, root: Path) -> dict[str, object]:
    """The quantiles of held-out human ratings, which are on the scale of the scores.

    The ends are the lowest and the highest rating; a score beyond them is at 0 or 100.
    """
    if not rated:
        return dict(UNKNOWN)
    last = replace(rated[-1], files=rated[-1].files[-1:], validation_files=())
    human = [row.score for row in split(last, seed, root)[1] if row.score is not None]
    if len(human) < 2:
        return dict(UNKNOWN)
    percentiles = np.linspace(0, 100, STEPS + 1)
    return {
        "data": f"{len(human)} held-out ratings of {Path(last.files[0]).name.split('.')[0]}",
        "score": [round(float(value), 4) for value in np.percentile(human, percentiles)],
        "percentile": [float(value) for value in percentiles],
    }
