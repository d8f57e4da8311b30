"""What a card says of certainty: fitted on held-out rows, and believed where there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paraphrast.meaning.assessment import chances
from paraphrast.models.encoder.encoder_card import Certainty
from paraphrast.models.encoder.pair_reading import Reading, Relations
from paraphrast.text.words import WordText
from paraphrast.train.data.assembly import Part
from paraphrast.train.data.examples import Example, relation
from paraphrast.train.export.encoder.calibration import NO_DOUBT, calibrate
from paraphrast.train.recipe import (
    CalibrationPart,
    ModelPart,
    OptimiserPart,
    SourcePart,
    TrainingRecipe,
)

NOWHERE = Path("nowhere")


class Oracle:
    """Reads off a pair what it will be told of it: a text holds the logit of sameness."""

    def __init__(self, sign: float = 1.0) -> None:
        self.sign = sign

    def read(self, pairs: Sequence[tuple[WordText, WordText]]) -> list[Reading]:
        tags = np.zeros((1, 2))
        told = [self.sign * float(a.text) for a, _ in pairs]
        return [Reading(x, Relations(x, x, -x, x), tags, tags) for x in told]


def rows(seed: int, sharpness: float, count: int = 500) -> list[Example]:
    """Pairs that say the same as often as a logit, `sharpness` times too small, says."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=count)
    gold = rng.random(count) < 1 / (1 + np.exp(-sharpness * logits))
    return [
        Example(
            a=WordText.of(repr(float(logit))),
            b=WordText.of("b"),
            group=str(number),
            forward=relation("entailment" if yes else "neutral"),
            same=float(yes),
        )
        for number, (logit, yes) in enumerate(zip(logits, gold, strict=True))
    ]


def recipe(*names: str, same: tuple[str, ...] = (), **source: Any) -> TrainingRecipe:
    sources = [SourcePart(name=n, reader="alterations", files=("x",), **source) for n in names]
    return TrainingRecipe(
        name="x",
        seed=1,
        model=ModelPart(backbone="x"),
        source=tuple(sources),
        optimiser=OptimiserPart(rate=1.0),
        calibration=CalibrationPart(same=same),
    )


def certainty(found: TrainingRecipe, *held_out: list[Example], sign: float = 1.0) -> Certainty:
    parts = [Part([], part, 0) for part in held_out]
    findings = calibrate(Oracle(sign), found, parts, NOWHERE)  # type: ignore[arg-type]
    return Certainty(**findings.certainty)


def test_logits_that_are_too_small_are_stretched() -> None:
    found = certainty(recipe("a"), rows(0, 3.0))
    assert found.scale == pytest.approx(3.0, rel=0.2)
    assert found.same + found.entailment == pytest.approx(3.0, rel=0.2)  # both say the same
    assert found.bias == pytest.approx(0, abs=0.3)


def test_the_chances_that_come_of_it_hold() -> None:
    found = certainty(recipe("a"), rows(0, 3.0))
    fresh = rows(1, 3.0, 4000)
    told = [
        chances(one.relations, found).same for one in Oracle().read([(r.a, r.b) for r in fresh])
    ]
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = [r.same for r, p in zip(fresh, told, strict=True) if low <= p < low + 0.2]
        assert np.mean(inside) == pytest.approx(low + 0.1, abs=0.08)


def test_only_the_sources_that_are_named_tell_of_sameness() -> None:
    steep, flat = rows(0, 4.0), rows(1, 0.5)
    named = certainty(recipe("steep", "flat", same=("steep",)), steep, flat)
    alone = certainty(recipe("steep"), steep)
    assert (named.same, named.entailment, named.bias) == (alone.same, alone.entailment, alone.bias)
    assert named.scale < alone.scale  # all tell of entailment


def test_each_source_weighs_the_same_whatever_its_size() -> None:
    few, many = rows(0, 4.0, 60), rows(1, 0.5, 600)
    found = certainty(recipe("few", "many"), few, many)
    twice = certainty(recipe("few", "many"), few + few, many)
    assert found.scale == pytest.approx(twice.scale, abs=1e-3)


def test_without_both_answers_the_encoder_is_believed() -> None:
    yes = [one for one in rows(0, 3.0) if one.same]
    assert certainty(recipe("a"), yes) == Certainty(**NO_DOUBT)
    assert certainty(recipe("a"), []) == Certainty(**NO_DOUBT)
    unknown = [replace(one, same=None, forward=None) for one in rows(0, 3.0)]
    assert certainty(recipe("a"), unknown) == Certainty(**NO_DOUBT)


def test_an_encoder_that_is_wrong_throughout_gets_no_scale_below_zero() -> None:
    found = certainty(recipe("a"), rows(0, 3.0), sign=-1.0)
    assert found.scale == 1.0
