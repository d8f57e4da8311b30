"""Chances: from logits to probabilities, and from these to a relation."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.meaning.assessment import (
    RELATIONS,
    Assessment,
    Chances,
    Relation,
    assess,
    chances,
    probability,
    turned,
)
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.encoder_card import Certainty
from paraphrast.models.encoder.pair_reading import Relations
from tests.encoders import FORMATS, make_encoder

A, B = "The cat sat on the mat.", "A dog lay on the rug today."
PLAIN = Certainty(same=1.0, entailment=0.0, bias=0.0, scale=1.0)
SHARES = st.floats(0, 1)


@pytest.fixture(scope="module", params=FORMATS)
def encoder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> EditEncoder:
    made = make_encoder(tmp_path_factory.mktemp("encoder"), format=request.param)
    return EditEncoder.load(str(made), threads=1)


# --- the relation --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "relation"),
    [
        (Chances(0.5, 0.0, 0.0, 1.0), "same"),  # sameness is asked first
        (Chances(0.49, 0.9, 0.8, 0.0), "a_entails_b"),
        (Chances(0.49, 0.8, 0.9, 0.0), "b_entails_a"),
        (Chances(0.49, 0.7, 0.7, 0.0), "a_entails_b"),
        (Chances(0.0, 0.5, 0.49, 0.49), "a_entails_b"),
        (Chances(0.0, 0.49, 0.5, 0.0), "b_entails_a"),
        (Chances(0.0, 0.9, 0.9, 0.5), "contradiction"),
        (Chances(0.0, 0.49, 0.49, 0.49), "different"),
        (Chances(0.0, 0.1, 0.1, math.nan), "different"),
        (Chances(0.1, 0.9, 0.1, math.nan), "a_entails_b"),
    ],
)
def test_chances_speak_for_a_relation(found: Chances, relation: Relation) -> None:
    assert found.relation == relation


@given(SHARES, SHARES, SHARES, SHARES | st.just(math.nan))
def test_the_relation_and_the_confidence_follow_from_the_chances(
    same: float, forward: float, backward: float, against: float
) -> None:
    found = Chances(same, forward, backward, against)
    assert found.relation in RELATIONS
    assert found.relation == Chances(same, forward, backward, against).relation
    assert (found.relation == "same") == (same >= 0.5)
    assert 0.5 <= found.confidence <= 1
    mirrored = Chances(same, backward, forward, against).relation
    ways = {"a_entails_b": "b_entails_a", "b_entails_a": "a_entails_b"}
    if forward != backward:
        assert mirrored == ways.get(found.relation, found.relation)


# --- from logits ---------------------------------------------------------------------------------


def test_logits_become_chances_as_the_card_says() -> None:
    told = Relations(forward=2.0, backward=-1.0, contradiction=-3.0, same=0.5)
    found = chances(told, Certainty(same=2.0, entailment=0.5, bias=-0.25, scale=0.5))
    assert found.same == pytest.approx(1 / (1 + math.exp(-(2 * 0.5 + 0.5 * -1.0 - 0.25))))
    assert found.forward == pytest.approx(1 / (1 + math.exp(-1.0)))
    assert found.backward == pytest.approx(1 / (1 + math.exp(0.5)))
    assert found.contradiction == pytest.approx(1 / (1 + math.exp(1.5)))


def test_an_encoder_of_format_1_calls_same_what_entails_both_ways_above_its_threshold() -> None:
    certainty = Certainty(same=0.0, entailment=1.0, bias=-1.5, scale=1.0)
    found = chances(Relations(1.6, 1.5), certainty)
    assert found.same == 0.5
    assert found.relation == "same"
    assert math.isnan(found.contradiction)
    assert chances(Relations(1.6, 1.4), certainty).relation == "a_entails_b"


@pytest.mark.parametrize("logit", [-1e308, -1000.0, 0.0, 1000.0, 1e308])
def test_no_logit_is_too_large(logit: float) -> None:
    assert 0 <= probability(logit) <= 1
    assert probability(-logit) == pytest.approx(1 - probability(logit))


def test_what_is_not_said_stays_unsaid() -> None:
    assert math.isnan(probability(math.nan))


def test_a_reading_that_is_complete_is_not_turned() -> None:
    there, back = Relations(1.0, 2.0, 3.0, 4.0), Relations(5.0, 6.0, 7.0, 8.0)
    assert turned(there, back) is there
    assert turned(Relations(1.0), Relations(2.0)).backward == 2.0


# --- assessments ---------------------------------------------------------------------------------


def values(found: Assessment) -> list[float]:
    told = found.chances
    numbers = [told.same, told.forward, told.backward, told.contradiction, found.score, found.tags]
    return [*numbers, found.weakest.support]


def test_both_formats_assess_in_both_directions(encoder: EditEncoder) -> None:
    there, back = assess(encoder, [(A, B), (B, A)])
    assert there.chances.forward != pytest.approx(there.chances.backward, abs=1e-3)
    assert math.isnan(there.chances.contradiction) == (encoder.card.format == 1)
    if encoder.card.format == 1:
        assert there.chances.forward == pytest.approx(back.chances.backward, abs=1e-4)


def test_batch_equals_one_by_one(encoder: EditEncoder) -> None:
    pairs = [(A, B), (B, A), (A, A), ("", ""), ("", A), (A, ""), ("cat " * 90, "dog " * 80)]
    together = assess(encoder, pairs)
    for pair, found in zip(pairs, together, strict=True):
        (alone,) = assess(encoder, [pair])
        assert values(found) == pytest.approx(values(alone), abs=1e-4, nan_ok=True)
        assert found.chances.relation == alone.chances.relation


def test_progress_counts_every_pair_once(tmp_path: Path) -> None:
    encoder = EditEncoder.load(str(make_encoder(tmp_path / "tiny")), threads=1)
    done: list[int] = []
    assess(encoder, [(A, B), (B, A), (A, B)], advance=done.append)
    assert sum(done) == 3
