"""Opinions: what verdicts rest on, without their words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paraphrast.meaning import judge as room
from paraphrast.meaning.judge import Judge, judge_signature, remembering_judge
from paraphrast.meaning.reason import Reason
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.text.words import WordText
from tests.encoders import make_encoder

PAIRS = [("the cat sat", "a cat sat"), ("the dog ran home", "the cat ran home"), ("", "a dog")]


class NoDogs:
    """A check that refuses a pair of which one text alone has a dog."""

    name = "dogs"
    languages = ("en",)
    precision = recall = 1.0
    doubt = 0.02

    def score(self, a: WordText, b: WordText) -> float:
        return float(("dog" in a.words) != ("dog" in b.words))

    def accept(self, score: float) -> bool:
        return score == 0

    def reason(self, a: WordText, b: WordText) -> Reason:
        return Reason("name", "dog", "cat", 1.0, (1,), (1,))


@pytest.fixture(params=[1, 2])
def encoder(tmp_path: Path, request: pytest.FixtureRequest) -> EditEncoder:
    """A small encoder of each format."""
    return EditEncoder.load(make_encoder(tmp_path / "encoder", format=request.param), threads=1)


def test_an_opinion_agrees_with_the_verdict(encoder: EditEncoder) -> None:
    judge: Any = Judge(encoder, (NoDogs(),))
    sides = [(WordText.of(a), WordText.of(b)) for a, b in PAIRS]
    for one, verdict in zip(judge.opinions(PAIRS), judge.judge(sides), strict=True):
        assert one.chances.relation == verdict.relation
        assert max(one.same, 1 - one.same) == pytest.approx(verdict.confidence, abs=1e-5)
        assert one.score == pytest.approx(verdict.score, abs=1e-5)
        assert verdict.same or one.reasons == verdict.reasons[: len(one.reasons)]


def test_a_veto_is_the_first_reason_and_leaves_the_doubt_of_its_check(
    encoder: EditEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    sure = room.Chances(0.9, 0.9, 0.9, 0.1)
    monkeypatch.setattr(room, "chances", lambda *_given: sure)
    checked: Any = Judge(encoder, (NoDogs(),))
    first, second, _ = checked.opinions(PAIRS)
    assert (first.same, first.vetoes) == (0.9, ())
    assert second.same == 0.02
    assert second.vetoes == second.reasons[:1] == (NoDogs().reason(*map(WordText.of, PAIRS[1])),)
    plain = Judge(encoder, ()).opinions(PAIRS)[1]
    assert (plain.same, plain.vetoes) == (0.9, ())


def test_a_pair_is_read_once(encoder: EditEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Judge(encoder)
    first = judge.opinions(PAIRS)
    read: list[int] = []
    monkeypatch.setattr(encoder, "read", lambda pairs, **_told: read.append(len(pairs)) or [])
    assert judge.opinions(PAIRS[::-1] * 2) == first[::-1] * 2
    assert sum(read) == 0


def test_those_who_ask_share_a_judge(encoder: EditEncoder) -> None:
    assert remembering_judge(encoder) is remembering_judge(encoder)
    assert remembering_judge(encoder, checked=False).checks == ()


def test_checks_are_part_of_the_signature(encoder: EditEncoder) -> None:
    checks: Any = (NoDogs(),)
    plain, checked = (judge_signature(encoder.card, held) for held in ((), checks))
    assert "|checks:none|" in plain
    assert checked == plain.replace("|checks:none|", "|checks:dogs|")
