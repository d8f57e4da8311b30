"""Quality estimation: BLEU+1 by hand and by brute force, and the step's rows."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.build.steps.round_trip_quality import NO_BACK, EstimateStep, bleu_plus_one
from paraphrast.engine.step import Dropped
from paraphrast.errors import ConfigError
from paraphrast.metrics.catalogue import make_metric

WORDS = st.lists(st.sampled_from("abc"), max_size=9).map(" ".join)


def brute(candidate: str, reference: str) -> float:
    """BLEU+1 with smoothed brevity, straight from the formula."""
    left, right = candidate.split(), reference.split()
    logs = 0.0
    for n in range(1, 5):
        ours, theirs = (
            Counter(tuple(side[at : at + n]) for at in range(len(side) - n + 1))
            for side in (left, right)
        )
        hits, total = sum((ours & theirs).values()), sum(ours.values())
        if n == 1 and hits == 0:
            return 0.0
        logs += math.log((hits + (n > 1)) / (total + (n > 1))) / 4
    return math.exp(logs + min(0.0, 1 - (len(right) + 1) / len(left)))


@pytest.mark.parametrize(
    ("candidate", "reference", "score"),
    [
        # 5/6 · (3+1)/(5+1) · (1+1)/(4+1) · (0+1)/(3+1) = 1/18; brevity exp(1 − 7/6)
        ("the cat sat on the mat", "the cat is on the mat", 0.410960),
        # a copy: all precisions 1, brevity exp(1 − 6/5)
        ("a b c d e", "a b c d e", 0.818731),
        # 1/2 · (0+1)/(1+1) · 1 · 1 = 1/4; one token longer than the reference: no penalty
        ("a b", "a", 0.707107),
        # 1 · (1+1)/(1+1) · 1 · 1 = 1; brevity exp(1 − 5/2)
        ("a b", "a b c d", 0.223130),
        ("a b", "c d", 0.0),
        ("", "a", 0.0),
        ("a", "", 0.0),
        ("", "", 0.0),
    ],
)
def test_worked_by_hand(candidate: str, reference: str, score: float) -> None:
    assert bleu_plus_one([candidate], [reference]).tolist() == pytest.approx([score], abs=1e-6)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=12))
def test_equals_brute_force(pairs: list[tuple[str, str]]) -> None:
    found = bleu_plus_one([a for a, _ in pairs], [b for _, b in pairs], tokenize="none")
    assert found.tolist() == pytest.approx([brute(a, b) for a, b in pairs], abs=1e-12)


def run(step: EstimateStep, *rows: dict[str, Any]) -> list[Any]:
    with pickle.loads(pickle.dumps(step)).open() as work:  # as workers get it
        return list(work(rows))


def row(text: str, **back: str | None) -> dict[str, Any]:
    return {"id": "1", "text": text, "back": back}


def test_quality_is_the_product_over_systems() -> None:
    source = "the cat is on the mat"
    (found,) = run(EstimateStep(), row(source, a="the cat sat on the mat", b=source))
    copy = math.exp(-1 / 6)
    assert found["scores"] == pytest.approx({"sbleu.a": 0.410960, "sbleu.b": copy}, abs=1e-6)
    assert found["quality"] == pytest.approx(0.410960 * copy, abs=1e-6)
    assert found["text"] == source
    assert found["id"] == "1"


def test_a_back_translation_that_is_empty_or_missing_scores_nothing() -> None:
    first, second = run(
        EstimateStep(systems=("a", "b")), row("a b", a="a b"), row("a", a=" ", b=None)
    )
    assert first["scores"]["sbleu.b"] == 0
    assert first["quality"] == second["quality"] == 0
    (by_metric,) = run(EstimateStep(metric="chrf"), row("a b", a="", b="a b"))
    assert by_metric["scores"] == {"chrf.a": 0.0, "chrf.b": 100.0}


def test_rows_without_back_translations_are_dropped() -> None:
    found = run(EstimateStep(), row("a", a="a"), row("b"), {"id": "3", "text": "c"})
    assert [one.reason for one in found if isinstance(one, Dropped)] == [NO_BACK, NO_BACK]
    assert run(EstimateStep()) == []


def test_other_metrics_keep_their_scale_and_give_a_quality_up_to_1() -> None:
    source, back = "the cat is on the mat", "the cat sat on the mat"
    (found,) = run(EstimateStep(metric="chrf"), row(source, a=back, b=source))
    assert found["scores"]["chrf.b"] == 100
    assert 0 < found["scores"]["chrf.a"] < 100
    assert found["quality"] == pytest.approx(found["scores"]["chrf.a"] / 100)


def test_scores_of_before_are_kept() -> None:
    (found,) = run(EstimateStep(), {**row("a b", a="a b"), "scores": {"perplexity": 3.5}})
    assert list(found["scores"]) == ["perplexity", "sbleu.a"]


def test_a_row_does_not_depend_on_the_others() -> None:
    rows = [row(f"the {n} cats sat", a=f"{n} cats sat", b="the cats") for n in range(30)]
    for metric in ("sbleu", "chrf"):
        step = EstimateStep(metric=metric)
        assert run(step, *rows) == [one for alone in rows for one in run(step, alone)]


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("ter", "metric 'ter' cannot estimate quality: a product of scores needs one of which more "
         "is better, up to a fixed highest; sbleu, chrf or embedding_cosine will do"),
        ("ds_tree", "metric 'ds_tree' cannot estimate quality: it needs set, trees"),
        ("bertscore:idf=references", "metric 'bertscore' cannot estimate quality with these "
         "options: its score of one row depends on the others"),
    ],
)  # fmt: skip
def test_metrics_that_cannot_estimate_quality(metric: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        EstimateStep(metric=metric)
    assert str(error.value) == said


def test_the_signature_holds_what_the_result_depends_on() -> None:
    steps = [
        EstimateStep(),
        EstimateStep(tokenize="none"),
        EstimateStep(metric="chrf"),
        EstimateStep(metric="chrf:beta=1"),
        EstimateStep(systems=("a",)),
    ]
    assert len({str(step.signature) for step in steps}) == len(steps)
    assert EstimateStep(threads=1).signature == EstimateStep().signature
    assert make_metric("chrf").signature("1") in str(steps[2].signature)


def test_an_unknown_tokeniser() -> None:
    with pytest.raises(ConfigError, match="unknown tokeniser '13b'"):
        EstimateStep(tokenize="13b")
