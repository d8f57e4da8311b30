"""Diversity of sets: by hand, against direct formulas, and on human paraphrases."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import chain, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paraphrast
from paraphrast.errors import ConfigError, InputError
from paraphrast.jobs.scoring import text_columns as inputs

WORDS = st.lists(st.sampled_from("abcd"), max_size=5)
SETS = st.lists(st.lists(WORDS.map(" ".join), min_size=1, max_size=4), min_size=1, max_size=4)
CAT = "(S (NP (DT the) (NN cat)) (VP (VBZ sits)))"
BED = "(S (NP (DT the) (NN bed)) (VP (VBZ is)))"
DOG = "(S (NP (NNP Rex)) (VP (VBZ sees) (NP (DT the) (NN cat))))"


@given(sets=SETS)
@settings(max_examples=80, deadline=None)
def test_ds_bow_over_ordered_pairs(sets: list[list[str]]) -> None:
    sets = [*sets, ["a b", "b c"]]
    report = paraphrast.score(sets, metrics="ds_bow")
    values = []
    for texts in sets:
        pairs = [(a.split(), b.split()) for a, b in permutations(texts, 2)]
        each = [1 - (len({*a} & {*b}) / ((len(a) + len(b)) / 2) if a or b else 1) for a, b in pairs]
        values.append(np.mean(each) if each else np.nan)
    np.testing.assert_allclose(report.segment_values["ds_bow"], values, atol=1e-12)
    assert report["ds_bow"].score == pytest.approx(np.nanmean(values))


def test_ds_bow_of_the_human_paraphrases(data: Callable[[str], Path]) -> None:
    """0.50 on plain sentences; the 0.80 of Bawden et al. is of bracketed parse strings."""
    path = data("judgements/bawden_human_paraphrases_deen500.tsv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) == 500
    sets = [[row[f"paraphrase{n}"] for n in range(1, 6)] for row in rows]
    sets = [[text for text in texts if text and text.strip()] for texts in sets]
    report = paraphrast.score(sets, metrics="ds_bow")
    assert report["ds_bow"].score == pytest.approx(0.50, abs=0.005)


def test_ds_tree_ignores_words_and_sees_structure() -> None:
    texts = [["the cat sits", "the bed is"], ["the cat sits", "Rex sees the cat"]]
    report = paraphrast.score(texts, trees=[[CAT, BED], [CAT, DOG]], metrics="ds_tree")
    same, different = report.segment_values["ds_tree"]
    assert same == 0
    assert 0 < different < 1
    assert report["ds_tree"].score == pytest.approx((same + different) / 2)
    # by hand, λ = 1/2 and σ = 0: only NP → DT NN matches: 1/2.
    # K(CAT, CAT) = 1/2 + 1/2 + 1/8; K(DOG, DOG) = 1/2 + 1/2 + 1/4 + 1/16
    assert different == pytest.approx(1 - 0.5 / np.sqrt(1.125 * 1.3125))


def test_ds_tree_names_the_segment_of_a_bad_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "CHUNK", 2)
    trees = [[CAT, DOG]] * 4 + [[CAT, "(S (NP x)"]]
    with pytest.raises(InputError) as caught:
        paraphrast.score([["a", "b"]] * 5, trees=trees, metrics="ds_tree")
    assert str(caught.value) == "trees, segment 5: 1 '(' never closed: '(S (NP x)'"


@pytest.mark.parametrize("option", ["decay=0", "decay=1.5", "sigma=-1", "sigma=2"])
def test_ds_tree_options(option: str) -> None:
    with pytest.raises(ConfigError, match=r"decay must be in \(0, 1\] and sigma in \[0, 1\]"):
        paraphrast.score([["a", "b"]], trees=[[CAT, DOG]], metrics=f"ds_tree:{option}")


@pytest.mark.parametrize("metric", ["ds_bow", "self_bleu_pairwise"])
def test_sets_of_one_are_not_counted(metric: str) -> None:
    report = paraphrast.score([["a b", "a c"], ["x"]], metrics=metric)
    assert np.isnan(report.segment_values[metric]).tolist() == [False, True]
    assert report["ds_bow" if metric == "ds_bow" else metric].score == pytest.approx(
        report.segment_values[metric][0]
    )
    assert f"{metric}: undefined for 1 segment, not counted" in report.notes
    with pytest.raises(InputError, match=f"{metric}: no segment has two or more candidates"):
        paraphrast.score(["a", "b"], metrics=metric)


@given(
    rows=st.lists(
        st.tuples(
            st.lists(WORDS, min_size=1, max_size=3), st.lists(WORDS, min_size=1, max_size=2), WORDS
        ),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=60, deadline=None)
def test_vocabulary_diversity(
    rows: list[tuple[list[list[str]], list[list[str]], list[str]]],
) -> None:
    report = paraphrast.score(
        [[" ".join(text) for text in candidates] for candidates, _, _ in rows],
        [[" ".join(text) for text in references] for _, references, _ in rows],
        [" ".join(source) for _, _, source in rows],
        metrics="vocabulary_diversity",
    )
    for row, (candidates, references, source) in enumerate(rows):
        words = list(chain(source, *candidates, *references))
        value = report.segment_values["vocabulary_diversity"][row]
        assert value == pytest.approx(len({*words}) / max(len(words), 1))
