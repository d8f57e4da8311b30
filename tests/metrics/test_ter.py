"""TER against sacrebleu 2.6, to 1e-9."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER

import paraphrast
from paraphrast.metrics.ter import Ter

NAMES = ("normalized", "no_punct", "asian_support", "case_sensitive")
OPTIONS = [dict(zip(NAMES, flags, strict=True)) for flags in product((False, True), repeat=4)]
WORDS = ["the", "The", "cat", "sat", "on", "mat.", "1,000", "it's", "漢字", "。", ","]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
PAIRS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=4)


@pytest.mark.parametrize(
    "options", OPTIONS, ids=lambda o: "+".join(n for n in NAMES if o[n]) or "-"
)
@given(pairs=PAIRS)
@settings(max_examples=20, deadline=None)
def test_equals_sacrebleu(pairs: list[tuple[str, list[str]]], options: dict[str, bool]) -> None:
    candidates, references = [text for text, _ in pairs], [refs for _, refs in pairs]
    ours = paraphrast.score(candidates, references, metrics=[Ter(**options)])
    oracle = TER(**options)
    most = max(map(len, references))
    nested = [[refs[n] if n < len(refs) else None for refs in references] for n in range(most)]
    corpus = oracle.corpus_score(candidates, nested)
    assert ours["ter"].score == pytest.approx(corpus.score, abs=1e-9)
    assert ours["ter"].parts == pytest.approx(
        {"edits": corpus.num_edits, "ref_len": corpus.ref_length}, abs=1e-9
    )
    values = [
        oracle.sentence_score(text, refs).score
        for text, refs in zip(candidates, references, strict=True)
    ]
    assert ours.segment_values["ter"] == pytest.approx(values, abs=1e-9)


def test_mrpc(mrpc: tuple[list[str], list[str]]) -> None:
    """49.63: Patil et al., Understanding Metrics for Paraphrasing, Table 5, and sacrebleu 2.6.0."""
    candidates, references = mrpc
    assert round(paraphrast.score(candidates, references, metrics="ter")["ter"].score, 2) == 49.63


@pytest.mark.parametrize(
    ("candidate", "reference", "value"),
    [("", "", 0), ("a b", "", 100), ("", "a b", 100), ("a", "a", 0), ("b c a", "a b c", 100 / 3)],
)
def test_edges(candidate: str, reference: str, value: float) -> None:
    found = paraphrast.score([candidate], [reference], metrics="ter")
    assert found["ter"].score == pytest.approx(value)
