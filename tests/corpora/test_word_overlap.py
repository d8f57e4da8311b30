from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.word_overlap import BINS, bin_names, bin_of, bins_of, overlap, rates
from paraphrast.errors import InputError
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.run import Plan, tally
from paraphrast.types import Chunk


@pytest.mark.parametrize(
    ("shared", "union", "place"),
    [  # each boundary as a fraction that floats write differently, and just below it
        (0, 1, 0), (1, 10, 1), (3, 30, 1), (1, 11, 0), (2, 10, 2), (1, 5, 2), (199, 1000, 1),
        (3, 10, 3), (9, 30, 3), (299, 1000, 2), (4, 10, 4), (6, 15, 4), (5, 10, 5), (7, 14, 5),
        (499, 1000, 4), (6, 10, 6), (9, 15, 6), (21, 35, 6), (7, 10, 7), (49, 70, 7),
        (699, 1000, 6), (8, 10, 8), (28, 35, 8), (9, 10, 9), (63, 70, 9), (899, 1000, 8),
        (999, 1000, 9), (10, 10, 10), (1, 1, 10), (0, 0, 10),
    ],
)  # fmt: skip
def test_bins_begin_at_tenths(shared: int, union: int, place: int) -> None:
    counts = np.array([shared]), np.array([union])
    assert bins_of(*counts).tolist() == [place]
    assert bin_of(float(rates(*counts)[0])) == place


@given(union=st.integers(1, 10_000), data=st.data())
def test_floats_and_counts_agree_on_the_bin(union: int, data: st.DataObject) -> None:
    shared = data.draw(st.integers(0, union))
    place = int(bins_of(np.array([shared]), np.array([union]))[0])
    assert bin_of(shared / union) == place
    assert place * union <= 10 * shared < (place + 1) * union


def test_bins_have_names_and_exact_matches_are_the_last() -> None:
    names = bin_names()
    assert len(names) == BINS == 11
    assert (names[0], names[3], names[9], names[10]) == ("[0, 0.1)", "[0.3, 0.4)", "[0.9, 1)", "1")


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_what_is_no_overlap_is_refused(value: float) -> None:
    with pytest.raises(InputError, match="a word overlap is between 0 and 1"):
        bin_of(value)


def test_words_are_counted_once_and_without_case() -> None:
    shared, union = overlap(["The cat, the mat", "", "", "a"], ["the CAT sat sat", "", "a", "b"])
    assert shared.tolist() == [2, 0, 0, 0]
    assert union.tolist() == [4, 0, 1, 2]
    assert rates(shared, union).tolist() == [0.5, 1.0, 0.0, 0.0]


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="there are 1 first texts for 2 second ones"):
        overlap(["a"], ["a", "b"])


def test_no_pairs_have_no_overlap() -> None:
    shared, union = overlap([], [])
    assert (len(shared), len(union)) == (0, 0)


def test_it_is_the_metric_wor_on_real_pairs(
    mrpc: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paraphrast.corpora.word_overlap._BLOCK", 100)
    metric = make_metric("wor")
    chunk = Chunk(0, {"": [[text] for text in mrpc[0]]}, [[text] for text in mrpc[1]])
    rows = tally([chunk], Plan(metrics=(metric,), keep_rows=True))[""].rows[0]
    wanted = metric.segment_value(np.concatenate(rows))[:, 0]
    assert rates(*overlap(*mrpc)).tolist() == wanted.tolist()


def test_overlap_of_japanese_words(data: Callable[[str], Path]) -> None:
    """The words of the corpus of Suzuki et al. are told apart, not its characters."""
    pytest.importorskip("fugashi", reason="the extra ja is not installed")
    shared, union = overlap(["猫が魚を食べた。"], ["犬が魚を食べる"], "ja")
    assert (shared.tolist(), union.tolist()) == ([3], [8])
    with gzip.open(data("japanese/jsts.valid.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:300]
    found = rates(*overlap([r["text1"] for r in rows], [r["text2"] for r in rows], "ja"))
    near = found[[row["score"] >= 4 for row in rows]].mean()
    far = found[[row["score"] < 1 for row in rows]].mean()
    assert near > 2 * far
