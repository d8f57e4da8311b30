"""How a pair is assessed by encoders that know both directions, and by those that know one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from paraphrast.meaning.assessment import Chances, assess
from paraphrast.models.encoder.encoder_card import Certainty
from paraphrast.models.encoder.pair_reading import Relations
from paraphrast.models.encoder.pair_summary import Summary, Weakest

LOGITS = {("a", "b"): 3.0, ("b", "a"): -1.0}


class TableEncoder:
    """Reads pairs from a table of logits; one of format 2 knows the way back, too."""

    def __init__(self, certainty: Certainty, *, both: bool) -> None:
        self.card = SimpleNamespace(certainty=certainty)
        self.both = both
        self.asked: list[list[tuple[str, str]]] = []

    def summaries(self, pairs: Sequence[tuple[str, str]], **_told: Any) -> list[Summary]:
        self.asked.append(list(pairs))
        return [self._summary(a, b) for a, b in pairs]

    def _summary(self, a: str, b: str) -> Summary:
        there = LOGITS[a, b]
        relations = Relations(there, LOGITS[b, a], -2.0, 0.5) if self.both else Relations(there)
        limited = a == "b"
        return Summary(there / 10, relations, *[0.0] * 3, *[0.5] * 3, True, limited, Weakest(a))


def logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def test_an_encoder_of_format_1_reads_the_pair_the_other_way_round_too() -> None:
    encoder: Any = TableEncoder(Certainty(0.0, 1.0, 0.25, 1.0), both=False)
    (found,) = assess(encoder, [("a", "b")])
    assert encoder.asked == [[("a", "b")], [("b", "a")]]
    assert found.chances.forward == pytest.approx(logistic(3.0))
    assert found.chances.backward == found.chances.entailment == pytest.approx(logistic(-1.0))
    assert found.chances.same == pytest.approx(logistic(-1.0 + 0.25))
    assert math.isnan(found.chances.contradiction)


def test_an_encoder_of_format_2_reads_it_once_and_its_card_weighs_what_it_says() -> None:
    encoder: Any = TableEncoder(Certainty(2.0, 0.5, -0.1, 0.8), both=True)
    (found,) = assess(encoder, [("a", "b")])
    assert encoder.asked == [[("a", "b")]]
    assert found.chances.forward == pytest.approx(logistic(0.8 * 3.0))
    assert found.chances.contradiction == pytest.approx(logistic(0.8 * -2.0))
    assert found.chances.same == pytest.approx(logistic(2.0 * 0.5 + 0.5 * -1.0 - 0.1))


@pytest.mark.parametrize("both", [True, False])
def test_score_tags_and_windows_are_those_of_the_pair_as_it_was_given(both: bool) -> None:
    encoder: Any = TableEncoder(Certainty(1.0, 1.0, 0.0, 1.0), both=both)
    (found,) = assess(encoder, [("a", "b")])
    assert (found.score, found.tags, found.weakest) == (0.3, 0.5, Weakest("a"))
    assert (found.windowed, found.limited) == (True, False)


@pytest.mark.parametrize(
    ("chances", "relation"),
    [
        (Chances(0.5, 0.1, 0.1, 0.9), "same"),
        (Chances(0.4, 0.9, 0.9, 0.6), "contradiction"),
        (Chances(0.4, 0.9, 0.8, math.nan), "a_entails_b"),
        (Chances(0.4, 0.4, 0.8, 0.1), "b_entails_a"),
        (Chances(0.4, 0.4, 0.4, 0.1), "different"),
    ],
)
def test_the_relation_is_what_the_probabilities_speak_for(chances: Chances, relation: str) -> None:
    assert chances.relation == relation
    assert chances.confidence == max(chances.same, 1 - chances.same)
