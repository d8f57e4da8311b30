"""The scorer for loops gives what `score` gives for the segment."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paraphrast
from paraphrast import Scorer
from paraphrast.errors import ConfigError, InputError

METRICS = ["bleu", "sentence_bleu", "chrf++", "ter", "rougeL.recall", "pinc", "wer"]
METRICS += ["rouge_p:benchmark=0.5", "distinct_1"]
TEXTS = st.text("ab ,.é", max_size=12)


@given(candidate=TEXTS, references=st.lists(TEXTS, min_size=1, max_size=3), source=TEXTS)
def test_one_call_is_one_segment(candidate: str, references: list[str], source: str) -> None:
    found = Scorer(METRICS).score(candidate, references, source)
    report = paraphrast.score([candidate], [references], [source], metrics=METRICS)
    assert list(found) == [score.metric for score in report]
    for name, value in found.items():
        assert value == pytest.approx(report.segment_values[name][0], abs=1e-12, nan_ok=True)


def test_a_reference_may_be_one_text() -> None:
    scorer = Scorer("bleu")
    assert scorer.score("a b c d", "a b c d") == {"bleu": pytest.approx(100)}
    assert scorer.score("a b c d", ["x", "a b c d"]) == {"bleu": pytest.approx(100)}


def test_lists_give_a_report() -> None:
    scorer = Scorer(["bleu", "pinc"])
    arguments: tuple[Any, ...] = (["a b", "c"], ["a b", "d"], ["a", "c"])
    assert scorer.score_all(*arguments) == paraphrast.score(*arguments, metrics=["bleu", "pinc"])


@pytest.mark.parametrize(
    ("metric", "arguments", "message"),
    [
        ("bleu", ("a",), "metric 'bleu' needs references"),
        ("pinc", ("a", "b"), "metric 'pinc' needs sources"),
        ("bleu", ("a", []), "references is empty"),
        ("bleu", (1, "a"), "a text is needed; got int 1"),
        ("bleu", ("a", [None]), "a text is needed; got NoneType"),
        ("bleu", ("\ud800", "a"), "half a surrogate pair"),
    ],
)
def test_wrong_texts_are_refused(metric: str, arguments: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Scorer(metric).score(*arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("ds_bow", "scores sets of candidates"),
        ("bertscore:idf=references", "references of a whole corpus"),
        ("blue", "unknown metric 'blue'"),
    ],
)
def test_metrics_that_need_more_are_refused(metric: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Scorer(metric)
    assert message in str(caught.value)
