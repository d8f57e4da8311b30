"""chrF and chrF++ against sacrebleu 2.6, to 1e-9."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

import paraphrast
from paraphrast.errors import ConfigError
from paraphrast.metrics.chrf import Chrf, ChrfPlusPlus

TEXTS = st.text(alphabet="abAB .,!'\n\x85漢é", max_size=14) | st.sampled_from(["", " ", "the cat."])
OPTIONS = st.fixed_dictionaries(
    {
        "char_order": st.sampled_from([6, 1, 3]),
        "word_order": st.sampled_from([0, 2, 1]),
        "beta": st.sampled_from([2, 1, 3]),
        "lowercase": st.booleans(),
        "whitespace": st.booleans(),
        "eps_smoothing": st.booleans(),
    }
)


def check(candidates: list[str], references: list[list[str]], options: dict[str, Any]) -> None:
    ours = paraphrast.score(candidates, references, metrics=[Chrf(**options)])
    oracle = CHRF(**options)
    most = max(map(len, references))
    nested = [[refs[n] if n < len(refs) else None for refs in references] for n in range(most)]
    expected = oracle.corpus_score(candidates, nested).score
    assert ours["chrf"].score == pytest.approx(expected, abs=1e-9)
    values = [
        oracle.sentence_score(text, refs).score
        for text, refs in zip(candidates, references, strict=True)
    ]
    assert ours.segment_values["chrf"] == pytest.approx(values, abs=1e-9)


@given(
    pairs=st.lists(
        st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=4
    ),
    options=OPTIONS,
)
@example(pairs=[("", [""]), ("a", ["", "a"]), ("b", ["", " "])], options={})
@settings(max_examples=250, deadline=None)
def test_equals_sacrebleu(pairs: list[tuple[str, list[str]]], options: dict[str, Any]) -> None:
    check([text for text, _ in pairs], [refs for _, refs in pairs], options)


def test_chrf_plus_plus_is_word_order_two(mrpc: tuple[list[str], list[str]]) -> None:
    candidates, references = mrpc
    report = paraphrast.score(candidates, references, metrics=["chrf", "chrf++"])
    assert report["chrf"].score == pytest.approx(
        CHRF().corpus_score(candidates, [references]).score, abs=1e-9
    )
    assert report["chrf++"].score == pytest.approx(
        CHRF(word_order=2).corpus_score(candidates, [references]).score, abs=1e-9
    )
    assert ChrfPlusPlus().describe() == {**Chrf().describe(), "nw": 2}


@pytest.mark.parametrize("options", [{"char_order": 0}, {"word_order": -1}, {"beta": 0}])
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="char_order must be at least 1, word_order at least 0"):
        Chrf(**options)
