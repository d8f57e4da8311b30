"""Word-overlap rate and length ratio against sets and counts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paraphrast

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "é", "!"]), max_size=6).map(" ".join)
PAIRS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=4)


def jaccard(left: str, right: str) -> float:
    mine, theirs = ({word for word in text.split() if word != "!"} for text in (left, right))
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0


@pytest.mark.parametrize("combine", ["best", "mean"])
@given(pairs=PAIRS)
@settings(max_examples=80, deadline=None)
def test_wor(pairs: list[tuple[str, list[str]]], combine: str) -> None:
    report = paraphrast.score(
        [text for text, _ in pairs], [refs for _, refs in pairs], metrics=f"wor:combine={combine}"
    )
    for row, (text, refs) in enumerate(pairs):
        each = [jaccard(text, ref) for ref in refs]
        expected = max(each) if combine == "best" else sum(each) / len(each)
        assert report.segment_values["wor"][row] == pytest.approx(expected)


@given(pairs=PAIRS)
@settings(max_examples=80, deadline=None)
def test_length_ratio_takes_the_closest_reference(pairs: list[tuple[str, list[str]]]) -> None:
    report = paraphrast.score(
        [text for text, _ in pairs], [refs for _, refs in pairs], metrics="length_ratio"
    )
    mine = theirs = 0
    for row, (text, refs) in enumerate(pairs):
        length = len(text.split())
        closest = min((abs(len(r.split()) - length), len(r.split())) for r in refs)[1]
        mine, theirs = mine + length, theirs + max(closest, 1)
        assert report.segment_values["length_ratio"][row] == length / max(closest, 1)
    assert report["length_ratio"].score == mine / theirs
    assert report["length_ratio"].parts == {"sys_len": mine, "ref_len": theirs}
