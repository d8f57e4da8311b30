"""Distinct n-grams, pooled over the corpus, against a set."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paraphrast
from paraphrast.jobs.scoring import text_columns as inputs

WORDS = ["a", "b", "c", "猫", "e\u0301", "ab"]
SETS = st.lists(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=3),
    min_size=1,
    max_size=6,
)


def grams(text: str, n: int) -> list[tuple[str, ...]]:
    words = text.replace("e\u0301", "é").split()
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def check(sets: list[list[str]], n: int, **options: int) -> None:
    name = f"distinct_{n}"
    report = paraphrast.score(sets, metrics=name, **options)
    everything = [gram for texts in sets for text in texts for gram in grams(text, n)]
    assert report[name].score == pytest.approx(len({*everything}) / max(len(everything), 1))
    assert report[name].parts == pytest.approx(
        {"types": len({*everything}), "tokens": len(everything)}
    )
    for row, texts in enumerate(sets):
        own = [gram for text in texts for gram in grams(text, n)]
        expected = len({*own}) / max(len(own), 1)
        assert report.segment_values[name][row] == pytest.approx(expected)


@pytest.mark.parametrize("n", [1, 2])
@given(sets=SETS)
@settings(max_examples=80, deadline=None)
def test_pooled_over_the_corpus(sets: list[list[str]], n: int) -> None:
    check(sets, n)


@pytest.mark.parametrize("n", [1, 2])
def test_chunks_and_processes_share_types(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    monkeypatch.setattr(inputs, "CHUNK", 3)
    sets = [[f"a b {i % 4}", f"b a {i % 3}"] for i in range(11)]
    check(sets, n)
    check(sets, n, jobs=2)


def test_a_repeated_corpus_is_less_distinct() -> None:
    once = paraphrast.score(["a b c"], metrics=["distinct_1", "distinct_2"])
    twice = paraphrast.score(["a b c"] * 2, metrics=["distinct_1", "distinct_2"], ci=True)
    assert [score.score for score in once.scores] == [1, 1]
    assert [score.score for score in twice.scores] == [0.5, 0.5]
    assert twice.segment_values["distinct_1"].tolist() == [1, 1]
    assert twice["distinct_1"].ci == (0.5, 0.5)
