"""ROUGE against rouge_score 0.1.2, and the scripts that it cannot read."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

import paraphrast
from paraphrast.errors import ConfigError
from paraphrast.metrics.rouge import Rouge1, Rouge2, RougeL, RougeLsum

KINDS: dict[str, Any] = {
    "rouge1": Rouge1,
    "rouge2": Rouge2,
    "rougeL": RougeL,
    "rougeLsum": RougeLsum,
}
WORDS = [
    "the",
    "cats",
    "Cat",
    "ran",
    "running",
    "runs",
    ".\n",
    "\n",
    "—",
    "on",
    "mats",
    "a.b",
    "is",
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join)
PAIRS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=4)


def rows(report: Any, name: str) -> list[tuple[float, float, float]]:
    """Precision, recall and F of each segment, in rouge_score's order."""
    table = report.segment_values
    columns = (table[f"{name}.precision"], table[f"{name}.recall"], table[name])
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("stemmer", [False, True])
@given(pairs=PAIRS)
@example(pairs=[("", [""]), ("the", ["", "cat the"]), ("a\nb\nc", ["c\nb\na", "b\nc"])])
@settings(max_examples=150, deadline=None)
def test_google_preset_is_rouge_score(pairs: list[tuple[str, list[str]]], stemmer: bool) -> None:
    candidates, references = [text for text, _ in pairs], [refs for _, refs in pairs]
    metrics = [kind(preset="google", stemmer=stemmer) for kind in KINDS.values()]
    ours = paraphrast.score(candidates, references, metrics=metrics)
    oracle = RougeScorer(list(KINDS), use_stemmer=stemmer)
    expected = [
        oracle.score_multi(refs, text) for text, refs in zip(candidates, references, strict=True)
    ]
    for name in KINDS:
        theirs = np.array([scores[name] for scores in expected])
        np.testing.assert_allclose(rows(ours, name), theirs, rtol=0, atol=1e-9)
        assert ours[name].score == pytest.approx(theirs[:, 2].mean(), abs=1e-9)
        assert ours[name].parts["recall"] == pytest.approx(theirs[:, 1].mean(), abs=1e-9)


@pytest.mark.parametrize("name", list(KINDS))
@given(pairs=PAIRS)
@settings(max_examples=40, deadline=None)
def test_mean_over_references(name: str, pairs: list[tuple[str, list[str]]]) -> None:
    candidates, references = [text for text, _ in pairs], [refs for _, refs in pairs]
    metric = KINDS[name](preset="google", combine="mean")
    ours = paraphrast.score(candidates, references, metrics=[metric])
    oracle = RougeScorer([name])
    theirs = [
        np.mean([oracle.score(ref, text)[name] for ref in refs], axis=0)
        for text, refs in zip(candidates, references, strict=True)
    ]
    np.testing.assert_allclose(rows(ours, name), theirs, rtol=0, atol=1e-9)
    assert "|refs:mean" in ours[name].signature


@pytest.mark.parametrize("stemmer", [False, True])
def test_mrpc_is_rouge_score(mrpc: tuple[list[str], list[str]], stemmer: bool) -> None:
    candidates, references = mrpc[0][:200], mrpc[1][:200]
    metrics = [kind(preset="google", stemmer=stemmer) for kind in KINDS.values()]
    ours = paraphrast.score(candidates, references, metrics=metrics)
    oracle = RougeScorer(list(KINDS), use_stemmer=stemmer)
    pairs = zip(candidates, references, strict=True)
    expected = [oracle.score(reference, text) for text, reference in pairs]
    for name in KINDS:
        theirs = np.array([scores[name] for scores in expected])
        np.testing.assert_allclose(rows(ours, name), theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "text", ["यह एक अच्छा वाक्य है।", "吾輩は猫である。", "ประโยคภาษาไทย", "Это хорошее предложение."]
)
@pytest.mark.parametrize("name", list(KINDS))
def test_identical_texts_of_any_script_score_one(name: str, text: str) -> None:
    assert RougeScorer([name]).score(text, text)[name].fmeasure == 0  # the defect we do not copy
    google = paraphrast.score([text], [text], metrics=f"{name}:preset=google")
    assert google[name].score == 0
    report = paraphrast.score([text], [unicodedata.normalize("NFD", text)], metrics=name)
    assert report[name].score == 1


def test_accents_are_letters() -> None:
    # Google's tokeniser cuts "été" to "t", which then matches "tê" cut to "t"
    report = paraphrast.score(["été"], ["tê"], metrics=["rouge1", "rouge1:preset=google"])
    assert [score.score for score in report.scores] == [0, 1]


def test_lsum_splits_sentences_where_there_are_no_newlines() -> None:
    candidate, reference = "A b. C d.", "C d. A b."
    newline = paraphrast.score([candidate], [reference], metrics="rougeLsum")
    split = paraphrast.score([candidate], [reference], metrics="rougeLsum:split=sentences")
    assert newline["rougeLsum"].score == 0.5  # one line: the longest common subsequence is "a b"
    assert split["rougeLsum"].score == 1
    assert "|split:newline" in newline["rougeLsum"].signature
    assert "|split:sentences" in split["rougeLsum"].signature


def test_several_references_take_the_best() -> None:
    report = paraphrast.score(["a b"], [["c", "a b c d", "a b"]], metrics="rouge1")
    assert report["rouge1"].score == 1
    # best F wins even where another reference has the higher recall
    report = paraphrast.score(["a b c d"], [["a", "a b c x y"]], metrics="rouge1")
    assert report["rouge1"].parts["recall"] == pytest.approx(3 / 5)


@pytest.mark.parametrize("option", ["preset=ascii", "combine=worst", "split=words"])
def test_wrong_options(option: str) -> None:
    with pytest.raises(ConfigError, match=f"{option.split('=')[0]} must be one of"):
        paraphrast.score(["a"], ["a"], metrics=f"rougeLsum:{option}")
