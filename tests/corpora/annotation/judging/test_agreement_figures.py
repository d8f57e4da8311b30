"""Agreement against scikit-free numbers worked by hand, and the alarm."""

from __future__ import annotations

import pytest

from paraphrast.corpora.annotation.judging.agreement_figures import (
    SharedItem,
    figures,
    live_agreement,
)
from paraphrast.corpora.annotation.judging.answer_comparison import compare_answers, disagreement
from paraphrast.corpora.annotation.pair_item import PairAnswer, ranges_of
from paraphrast.corpora.annotation.project_settings import ProjectSettings
from tests.corpora.annotation.desk import pair

LABELS = ProjectSettings(name="x")
SPANS = ProjectSettings(name="x", task="spans")
RATING = ProjectSettings(name="x", task="rating")


def _labelled(rows: list[tuple[str, str]]) -> list[SharedItem]:
    return [
        SharedItem(
            pair(f"p{n}"),
            {"ana": PairAnswer(label=one), "bo": PairAnswer(label=other)},
            at=float(n),
        )
        for n, (one, other) in enumerate(rows)
    ]


def test_kappa_of_labels() -> None:
    # 20 + 15 agree of 50; chance agrees on .5·.6 + .5·.4 = .5: κ = (.7 − .5) / .5 = .4
    yes, no = "positive", "negative"
    rows = [(yes, yes)] * 20 + [(yes, no)] * 5 + [(no, yes)] * 10 + [(no, no)] * 15
    found = figures(_labelled(rows), LABELS)
    assert found.kappa == pytest.approx(0.4)
    # α: D_o = 15/50; D_e = 2·55·45 / (100·99) → α = 1 − .3 / .5
    assert found.alpha == pytest.approx(1 - 0.3 / (2 * 55 * 45 / (100 * 99)))
    assert (found.items, found.answers, found.word_f1) == (50, 100, None)


def test_kappa_that_is_undefined_is_none() -> None:
    assert figures(_labelled([("positive", "positive")] * 3), LABELS).kappa is None


def test_words_and_spans() -> None:
    text = pair("p", "a b c d", "e f g h")
    one = PairAnswer(spans1=ranges_of([1, 1, 0, 0]), spans2=ranges_of([0, 0, 0, 1]))
    two = PairAnswer(spans1=ranges_of([1, 0, 0, 0]), spans2=ranges_of([0, 0, 0, 1]))
    found = figures([SharedItem(text, {"ana": one, "bo": two}, 0.0)], SPANS)
    assert found.word_f1 == pytest.approx(2 * 2 / (3 + 2))
    assert found.span_f1 == pytest.approx(1 / 2)  # of two and two spans one is alike
    assert found.accuracy == pytest.approx(7 / 8)
    # κ: agree 7/8; chance .375·.25 + .625·.75
    chance = 3 / 8 * 2 / 8 + 5 / 8 * 6 / 8
    assert found.word_kappa == pytest.approx((7 / 8 - chance) / (1 - chance))
    assert found.alpha is None


def test_two_that_mark_nothing_agree() -> None:
    seen = compare_answers(pair("p"), PairAnswer(), PairAnswer())
    assert (seen.word_f1, seen.span_f1) == (1.0, 1.0)
    seen = compare_answers(pair("p"), PairAnswer(), PairAnswer(spans1=((0, 1),)))
    assert (seen.word_f1, seen.span_f1) == (0.0, 0.0)


def test_ratings() -> None:
    shared = [
        SharedItem(
            pair(f"p{n}"), {"ana": PairAnswer(rating=a), "bo": PairAnswer(rating=b)}, float(n)
        )
        for n, (a, b) in enumerate([(10.0, 10.0), (50.0, 50.0), (90.0, 90.0)])
    ]
    assert figures(shared, RATING).rating_alpha == pytest.approx(1.0)
    answers = [PairAnswer(rating=20.0), PairAnswer(rating=70.0)]
    assert disagreement(pair("p"), answers, RATING) == pytest.approx(0.5)


def test_one_person_is_held_against_the_others() -> None:
    yes, no = PairAnswer(label="positive"), PairAnswer(label="negative")
    shared = [
        SharedItem(pair(f"p{n}"), {"ana": one, "bo": one, "cy": other}, float(n))
        for n, (one, other) in enumerate([(yes, no), (no, yes)] * 5)
    ]
    found = live_agreement(shared, LABELS)
    assert found.couples["ana", "bo"].kappa == pytest.approx(1.0)
    assert found.couples["ana", "cy"].kappa == pytest.approx(-1.0)
    cy, ana = found.annotators["cy"].kappa, found.annotators["ana"].kappa
    assert cy == pytest.approx(-1.0)
    assert ana == pytest.approx(0.0)


def test_agreement_over_time_and_the_alarm() -> None:
    yes, no = ("positive", "positive"), ("negative", "negative")
    unlike = [("positive", "negative"), ("negative", "positive")]
    rows = [yes, no] * 6 + unlike * 5
    settings = ProjectSettings(name="x", alarm=0.4, alarm_items=10)
    found = live_agreement(_labelled(rows), settings)
    assert [one.items for _, one in found.timeline] == [10, 10]
    assert found.timeline[0][1].alpha == pytest.approx(1.0)
    assert found.timeline[1][1].alpha == pytest.approx(-0.9)
    assert [one.alpha for _, one in found.personal["ana"]] == [
        one.alpha for _, one in found.timeline
    ]
    assert len(found.alarms) == 3  # all, ana and bo
    assert "all: α of the last 10 shared items is -0.90, below 0.40" in found.alarms
    calm = live_agreement(_labelled(rows[:12]), settings)
    assert calm.alarms == ()


def test_the_filter_leaves_what_is_close() -> None:
    far, near = PairAnswer(spans1=((0, 1),)), PairAnswer(spans1=((1, 2),))
    shared = [
        SharedItem(pair("p1"), {"ana": near, "bo": near}, 1.0),
        SharedItem(pair("p2"), {"ana": near, "bo": far}, 2.0),
    ]
    found = live_agreement(shared, SPANS)
    assert (found.overall.items, found.close.items) == (2, 1)
    assert found.overall.word_f1 == pytest.approx(0.5)
    assert found.close.word_f1 == pytest.approx(1.0)
