"""Edit distances against the textbook table."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paraphrast
from paraphrast.text import column

TEXTS = st.text(alphabet="ab c\ud7ff\U0001f600", max_size=8)
PAIRS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=4)


def distance(a: Sequence[str], b: Sequence[str]) -> int:
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        above, row = row, [i]
        for j, right in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (left != right)))
    return row[-1]


@pytest.mark.parametrize("combine", ["best", "mean"])
@given(pairs=PAIRS)
@settings(max_examples=80, deadline=None)
def test_levenshtein(pairs: list[tuple[str, list[str]]], combine: str) -> None:
    report = paraphrast.score(
        [text for text, _ in pairs],
        [refs for _, refs in pairs],
        metrics=f"levenshtein:combine={combine}",
    )
    for row, (text, refs) in enumerate(pairs):
        each = [1 - distance(text, ref) / (max(len(text), len(ref)) or 1) for ref in refs]
        expected = max(each) if combine == "best" else sum(each) / len(each)
        assert report.segment_values["levenshtein"][row] == pytest.approx(expected)


@given(pairs=PAIRS)
@settings(max_examples=80, deadline=None)
def test_wer_takes_the_reference_with_the_lowest_rate(pairs: list[tuple[str, list[str]]]) -> None:
    report = paraphrast.score([t for t, _ in pairs], [refs for _, refs in pairs], metrics="wer")
    edits = words = 0
    for row, (text, refs) in enumerate(pairs):
        costs = [(distance(text.split(), ref.split()), len(ref.split())) for ref in refs]
        rates = [cost / max(length, 1) for cost, length in costs]
        best = costs[rates.index(min(rates))]
        edits, words = edits + best[0], words + max(best[1], 1)
        assert report.segment_values["wer"][row] == pytest.approx(min(rates))
    assert report["wer"].score == pytest.approx(edits / words)
    assert report["wer"].parts == {"edits": edits, "ref_len": words}


def test_wer_options() -> None:
    texts = ["The cat."], ["the cat ."]
    assert paraphrast.score(*texts, metrics="wer")["wer"].score == 1
    assert paraphrast.score(*texts, metrics="wer:tokenize=13a")["wer"].score == pytest.approx(1 / 3)
    lower = paraphrast.score(*texts, metrics="wer:tokenize=13a,lowercase=true")
    assert lower["wer"].score == 0


def test_more_words_than_code_points(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a b c", "d e f g"], ["b c x", "d f y g"]
    metrics = ["wer", "rougeL"]
    expected = paraphrast.score(*texts, metrics=metrics).to_dict()
    monkeypatch.setattr(column, "_CODE_POINTS", 2)
    assert paraphrast.score(*texts, metrics=metrics).to_dict() == expected
