"""Reports and comparisons as Python values: equality, membership, tables, notebooks."""

from __future__ import annotations

from typing import Any

import pytest

import paraphrast
from paraphrast import Comparison, Report
from paraphrast.render.score_table import ScoreTable

CANDIDATES = ["the cat sat on the mat", "a dog ran home today", "it rains a lot here"]
REFERENCES = ["the cat sat on a mat", "a dog ran to its home", "it often rains here"]
OTHERS = ["a cat sat", "the dog ran to its home", "rain falls here"]
THIRD = ["cats sit", "dogs run home", "it often rains"]


def report(**options: Any) -> Report:
    return paraphrast.score(CANDIDATES, REFERENCES, metrics=["bleu", "rouge1"], **options)


def comparison(**options: Any) -> Comparison:
    systems = {"a": CANDIDATES, "b": OTHERS, "c": THIRD}
    metrics = ["bleu", "rouge1"]
    return paraphrast.compare(systems, REFERENCES, metrics=metrics, samples=20, **options)


def test_a_report_is_equal_to_one_of_the_same_texts() -> None:
    assert report() == report()
    assert hash(report()) == hash(report())
    assert report() != report(ci=True, samples=9)
    assert report() != report(segments=False)
    assert report() != paraphrast.score(OTHERS, REFERENCES, metrics=["bleu", "rouge1"])
    assert report() != "a report"


def test_undefined_segments_are_equal_too() -> None:
    sets = [["a b", "a c"], ["x"]]
    assert paraphrast.score(sets, metrics="ds_bow") == paraphrast.score(sets, metrics="ds_bow")


def test_membership_and_iteration() -> None:
    found = report()
    assert "bleu" in found
    assert "ter" not in found
    assert [score.metric for score in found] == ["bleu", "rouge1"]
    assert len(found) == 2
    systems = comparison()
    assert "b" in systems
    assert list(systems) == ["a", "b", "c"]
    assert len(systems) == 3
    with pytest.raises(KeyError, match="'x' is not one of the systems"):
        systems["x"]


def test_a_metric_is_found_by_its_name_where_only_a_part_was_scored() -> None:
    found = paraphrast.score(CANDIDATES, REFERENCES, metrics="rouge1.recall")
    assert found["rouge1"] is found["rouge1.recall"]
    both = paraphrast.score(CANDIDATES, REFERENCES, metrics=["rouge1.recall", "rouge1.precision"])
    with pytest.raises(KeyError):
        both["rouge1"]


def test_a_comparison_is_a_data_frame() -> None:
    frame = comparison().to_pandas()
    assert list(frame["system"]) == ["a", "a", "b", "b", "c", "c"]
    assert list(frame["metric"]) == ["bleu", "rouge1"] * 3
    assert {"score", "ci_low", "ci_high", "difference", "p", "p_holm", "significant"} <= {*frame}
    assert frame["p"].isna().tolist() == [True, True, False, False, False, False]


def test_all_pairs_are_tested_with_one_correction() -> None:
    found = comparison(all_pairs=True)
    pairs = [(test.system, test.baseline) for test in found.tests[::2]]
    assert pairs == [("b", "a"), ("c", "a"), ("c", "b")]
    assert len(found.tests) == 6
    baseline = comparison()
    for mine, theirs in zip(found.tests[:4], baseline.tests, strict=True):
        assert (mine.difference, mine.p) == (theirs.difference, theirs.p)
        assert mine.p_holm >= theirs.p_holm
    assert found.all_pairs
    assert not baseline.all_pairs
    text = str(found)
    assert "c − b" in text
    assert "* differs significantly: bootstrap|" in text
    assert "p" not in found.to_pandas()


def test_every_form_holds_the_scores() -> None:
    found = comparison(all_pairs=True)
    value = f"{found['a']['rouge1'].score:.4f}"
    for text in (str(found), found.to_markdown(), found.to_latex(), found._repr_html_()):
        assert value in text
        assert found["a"]["bleu"].signature in text
    assert f"{report()['bleu'].score:.2f}" in report()._repr_html_()
    assert report().to_markdown().startswith("|  | score |\n| :-- | --: |\n| bleu ↑ |")
    assert report().to_latex().splitlines()[1] == r"\begin{tabular}{lr}"


def test_latex_sets_numbers_and_says_what_the_asterisk_means() -> None:
    assert "{l}{\\footnotesize * differs significantly from 'a'} \\\\" in comparison().to_latex()
    latex = comparison(all_pairs=True).to_latex()
    assert "\\end{tabular}\n\n\\bigskip\n\n\\begin{tabular}" in latex
    assert latex.count("footnotesize * differs significantly}") == 1
    cell = ScoreTable([["", "x-1"], ["m-1", "-0.5 [-0.7, 0.1]"]], 1, []).latex().splitlines()[3:6]
    assert cell == [" & x-1 \\\\", "\\midrule", "m-1 & $-$0.5 [$-$0.7, 0.1] \\\\"]
