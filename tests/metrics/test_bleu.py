"""BLEU and its family against sacrebleu 2.6, to 1e-9."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

import paraphrast
from paraphrast.errors import ConfigError
from paraphrast.metrics.bleu import Bleu, IBleu, SelfBleuPairwise, SelfBleuSource, SentenceBleu

WORDS = [
    "the",
    "cat",
    "The",
    "sat",
    "on",
    "a",
    "mat",
    ".",
    ",",
    "1,000",
    "it's",
    "-",
    "漢字",
    "です。",
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
References = list[list[str]]


@st.composite
def corpora(draw: st.DrawFn, most: int = 3) -> tuple[list[str], References]:
    size = draw(st.integers(1, 5))
    candidates = draw(st.lists(TEXTS, min_size=size, max_size=size))
    each = st.lists(TEXTS, min_size=1, max_size=most)
    return candidates, draw(st.lists(each, min_size=size, max_size=size))


def by_reference(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """Nest as sacrebleu wants it: one list per reference, None where a segment has fewer."""
    most = max(map(len, references))
    return [[refs[n] if n < len(refs) else None for refs in references] for n in range(most)]


def check(candidates: list[str], references: References, **options: Any) -> None:
    ours = paraphrast.score(candidates, references, metrics=[Bleu(**options)])
    oracle = BLEU(**options, force=True)
    corpus = oracle.corpus_score(candidates, by_reference(references))
    assert ours["bleu"].score == pytest.approx(corpus.score, abs=1e-9)
    parts = ours["bleu"].parts
    precisions = [parts[f"precision_{n}"] for n in range(1, len(corpus.precisions) + 1)]
    assert precisions == pytest.approx(corpus.precisions, abs=1e-9)
    assert parts["bp"] == pytest.approx(corpus.bp, abs=1e-9)
    assert (parts["sys_len"], parts["ref_len"]) == (corpus.sys_len, corpus.ref_len)
    if corpus.ref_len:
        assert parts["ratio"] == pytest.approx(corpus.ratio, abs=1e-12)
    sentence = BLEU(**{**options, "effective_order": True})
    values = [
        sentence.sentence_score(text, refs).score
        for text, refs in zip(candidates, references, strict=True)
    ]
    assert ours.segment_values["bleu"] == pytest.approx(values, abs=1e-9)


SMOOTHINGS = [
    {"smooth_method": "exp"},
    {"smooth_method": "none"},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 0.01},
    {"smooth_method": "floor", "smooth_value": 0.0},
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k", "smooth_value": 2.5},
]


@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=str)
@given(corpus=corpora(), effective=st.booleans(), order=st.sampled_from([4, 1, 2, 6]))
@settings(max_examples=40, deadline=None)
def test_smoothing_and_order(
    corpus: tuple[list[str], References], smoothing: dict[str, Any], effective: bool, order: int
) -> None:
    check(*corpus, **smoothing, effective_order=effective, max_ngram_order=order)


@pytest.mark.parametrize("tokenize", ["13a", "intl", "char", "none", "zh", "ja-mecab"])
@given(corpus=corpora(), lowercase=st.booleans())
@settings(max_examples=40, deadline=None)
def test_tokenisers(corpus: tuple[list[str], References], tokenize: str, lowercase: bool) -> None:
    check(*corpus, tokenize=tokenize, lowercase=lowercase)


@pytest.mark.parametrize(
    ("candidates", "references"),
    [
        ([""], [[""]]),
        (["", "a b c d"], [["a b c d"], [""]]),
        (["a"], [["a"]]),
        (["a b c"], [["a b c", "a b", "a b c d"]]),
        (["a b c"], [["a b", "a b c d"]]),  # two lengths equally close: the shorter counts
    ],
)
def test_edges(candidates: list[str], references: References) -> None:
    for smoothing in SMOOTHINGS:
        check(candidates, references, **smoothing)


@pytest.mark.parametrize("effective", [False, True])
@given(corpus=corpora())
@settings(max_examples=40, deadline=None)
def test_sentence_bleu_is_the_mean_of_sacrebleus(
    corpus: tuple[list[str], References], effective: bool
) -> None:
    candidates, references = corpus
    oracle = BLEU(effective_order=effective)
    values = []
    for text, refs in zip(candidates, references, strict=True):
        stats = oracle._extract_corpus_statistics([text], [[ref] for ref in refs])
        values.append(oracle._aggregate_and_compute(stats).score)
    metric = SentenceBleu(effective_order=effective)
    ours = paraphrast.score(candidates, references, metrics=[metric])
    assert ours.segment_values["sentence_bleu"] == pytest.approx(values, abs=1e-9)
    assert ours["sentence_bleu"].score == pytest.approx(np.mean(values), abs=1e-9)


def test_mrpc(mrpc: tuple[list[str], list[str]]) -> None:
    """47.45: Patil et al., Understanding Metrics for Paraphrasing, Table 2, and sacrebleu 2.6.0."""
    candidates, references = mrpc
    report = paraphrast.score(candidates, references, metrics=["bleu", "sentence_bleu"])
    assert round(report["bleu"].score, 2) == 47.45
    assert report["bleu"].signature == (
        "bleu|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|order:4"
        f"|version:{paraphrast.__version__}"
    )
    check(candidates[:300], [[text] for text in references[:300]])
    check(candidates[:300], [[text] for text in references[:300]], tokenize="intl", lowercase=True)


# --- the family ----------------------------------------------------------------------------------


@given(corpus=corpora(), alpha=st.sampled_from([0.0, 0.3, 0.8, 1.0]), data=st.data())
@settings(max_examples=40, deadline=None)
def test_ibleu_and_self_bleu_source(
    corpus: tuple[list[str], References], alpha: float, data: st.DataObject
) -> None:
    candidates, references = corpus
    size = len(candidates)
    sources = data.draw(st.lists(TEXTS, min_size=size, max_size=size))
    metrics = [IBleu(alpha=alpha), SelfBleuSource()]
    ours = paraphrast.score(candidates, references, sources, metrics=metrics)
    target = BLEU().corpus_score(candidates, by_reference(references)).score
    copied = BLEU().corpus_score(candidates, [sources]).score
    assert ours["ibleu"].score == pytest.approx(alpha * target - (1 - alpha) * copied, abs=1e-9)
    assert ours["ibleu"].parts == pytest.approx({"bleu": target, "self_bleu": copied}, abs=1e-9)
    assert ours["self_bleu_source"].score == pytest.approx(copied, abs=1e-9)
    sentence = BLEU(effective_order=True)
    for row, (text, refs, source) in enumerate(zip(candidates, references, sources, strict=True)):
        near = sentence.sentence_score(text, refs).score
        copy = sentence.sentence_score(text, [source]).score
        expected = alpha * near - (1 - alpha) * copy
        assert ours.segment_values["ibleu"][row] == pytest.approx(expected, abs=1e-9)


@given(sets=st.lists(st.lists(TEXTS, min_size=1, max_size=4), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_self_bleu_pairwise(sets: list[list[str]]) -> None:
    if all(len(texts) == 1 for texts in sets):
        sets = [*sets, ["the cat", "a cat"]]
    ours = paraphrast.score(sets, metrics=[SelfBleuPairwise()])
    oracle = BLEU(effective_order=True)
    values = [
        np.mean(
            [
                oracle.sentence_score(text, texts[:number] + texts[number + 1 :]).score
                for number, text in enumerate(texts)
            ]
        )
        if len(texts) > 1
        else np.nan
        for texts in sets
    ]
    found = ours.segment_values["self_bleu_pairwise"]
    np.testing.assert_allclose(found, values, rtol=0, atol=1e-9)
    assert ours["self_bleu_pairwise"].score == pytest.approx(np.nanmean(values), abs=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokenize": "v14"}, "tokenize must be one of 13a, intl, char, none,"),
        ({"smooth_method": "log"}, "smooth_method must be one of none, floor, add-k, exp"),
        ({"smooth_value": -1.0}, "smooth_value must not be negative; got -1.0"),
        ({"max_ngram_order": 0}, "max_ngram_order must be at least 1; got 0"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Bleu(**options)
    assert str(caught.value).startswith(message)
    with pytest.raises(ConfigError, match="alpha must be between 0 and 1; got 2"):
        IBleu(alpha=2)
