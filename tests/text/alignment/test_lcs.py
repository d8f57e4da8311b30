"""LCS length and union-LCS hits against rouge_score 0.1.2: small alphabets, real summaries."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.text.alignment.lcs import union_hits
from paraphrast.text.alignment.long_pairs import lcs_lengths

DATA = Path(os.environ.get("PARAPHRAST_DATA", Path(__file__).parents[2].joinpath("../shared/data")))
Summary = list[list[int]]


@pytest.fixture(scope="module")
def rouge() -> Any:
    return pytest.importorskip("rouge_score.rouge_scorer", reason="rouge_score is the oracle")


def rouge_hits(rouge: Any, reference: Summary, candidate: Summary) -> int:
    recall: float = rouge._summary_level_lcs(reference, candidate).recall
    return round(recall * sum(map(len, reference)))


def summaries(letters: int, longest: int = 9) -> st.SearchStrategy[Summary]:
    tokens = st.integers(0, letters - 1)
    return st.lists(st.lists(tokens, max_size=longest), max_size=4)


def test_length_golden() -> None:
    # "MJAU", the textbook example of Crochemore et al.
    left = ["XMJYAUZ", "", "\ud800\U0010ffff"]
    right = ["MZJAWXU", "a", "\U0010ffff\ud800"]
    assert lcs_lengths(left, right).tolist() == [4, 0, 1]
    assert lcs_lengths([], []).tolist() == []


@pytest.mark.parametrize(
    ("reference", "candidate", "hits"),
    [
        # Lin 2004, section 3.2: r = w1..w5; c1 = w1 w2 w6 w7 w8, c2 = w1 w3 w8 w9 w5: 4 hits of 5.
        ([[1, 2, 3, 4, 5]], [[1, 2, 6, 7, 8], [1, 3, 8, 9, 5]], 4),
        # a token of the candidate pays once, however many reference sentences hold it
        ([[1, 2], [1, 3]], [[1]], 1),
        ([[1, 2], [1, 3]], [[1], [1]], 2),
        ([[1, 2]], [[3, 4]], 0),
        ([], [[1]], 0),
        ([[]], [[]], 0),
        ([[1]], [], 0),
    ],
)
def test_hits_golden(reference: Summary, candidate: Summary, hits: int) -> None:
    assert union_hits(reference, candidate) == hits


def test_which_subsequence_is_taken_matters(rouge: Any) -> None:
    """[0] matches the second 0 and [0, 2] the first; one fixed choice would give one hit."""
    reference = [[0, 0]]
    assert union_hits(reference, [[0], [0, 2]]) == 2
    assert union_hits(reference, [[0, 2], [0, 2]]) == 1
    for candidate in ([[0], [0, 2]], [[0, 2], [0, 2]], [[2, 0], [0, 2], [2]]):
        assert union_hits(reference, candidate) == rouge_hits(rouge, reference, candidate)


@settings(max_examples=600, deadline=None)
@given(a=st.text("abcd", max_size=30), b=st.text("abcd", max_size=30))
def test_length_equals_rouge_score(rouge: Any, a: str, b: str) -> None:
    assert lcs_lengths([a], [b])[0] == rouge._lcs_table(a, b)[-1][-1]


@settings(max_examples=1500, deadline=None)
@given(data=st.data(), letters=st.sampled_from([2, 3, 5, 12]))
def test_hits_equal_rouge_score(rouge: Any, data: st.DataObject, letters: int) -> None:
    reference = data.draw(summaries(letters))
    candidate = data.draw(summaries(letters))
    assert union_hits(reference, candidate) == rouge_hits(rouge, reference, candidate)


@settings(max_examples=100, deadline=None)
@given(reference=summaries(6, longest=90), candidate=summaries(6, longest=90))
def test_hits_equal_rouge_score_beyond_one_machine_word(
    rouge: Any, reference: Summary, candidate: Summary
) -> None:
    assert union_hits(reference, candidate) == rouge_hits(rouge, reference, candidate)


@pytest.mark.parametrize("name", ["sum_summeval", "sum_qags_cnn"])
def test_real_summaries_equal_rouge_score(rouge: Any, name: str) -> None:
    path = DATA / f"judgements/{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no data under PARAPHRAST_DATA ({DATA})")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for _, line in zip(range(25), lines, strict=False)]
    for row in rows:
        ids: dict[str, int] = {}
        article = _encode(row["source"], ids)
        for system in row["systems"][:3]:
            summary = _encode(system["hypothesis"], ids)
            assert union_hits(article, summary) == rouge_hits(rouge, article, summary)
            assert union_hits(summary, article) == rouge_hits(rouge, summary, article)


def _encode(text: str, ids: dict[str, int]) -> Summary:
    sentences = re.split(r"(?<=[.!?])\s", text.lower())
    return [[ids.setdefault(w, len(ids)) for w in re.findall(r"[a-z0-9]+", s)] for s in sentences]
