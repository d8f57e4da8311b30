"""The stress test of metrics: golden numbers, directions, names, edge cases, bad requests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import paraphrast
from paraphrast.errors import ConfigError, InputError
from paraphrast.meta.stress.edge_cases import edge_cases
from paraphrast.meta.stress.suite import stress_pairs
from paraphrast.metrics.base import Batch, Card, MeanMetric, weighted
from paraphrast.types import Floats

GOLD = [float(pair.same) for pair in stress_pairs()]
ANSWERS = {(pair.text1, pair.text2): pair.same for pair in (*stress_pairs(), *edge_cases())}


@dataclass(frozen=True, kw_only=True)
class Oracle(MeanMetric):
    """Knows the answers, and fails on what its option names."""

    fails: str = "nowhere"
    name: ClassVar[str] = "oracle"
    card: ClassVar[Card] = Card(
        title="Oracle", summary="", formula="", paper="", range=(0, 1), better="lower", empty=""
    )

    def stats(self, batch: Batch) -> Floats:
        pairs = list(zip(batch.refs.texts, batch.candidates.texts, strict=True))
        if self.fails == "empty" and any(not text.strip() for pair in pairs for text in pair):
            raise ZeroDivisionError("no words")
        if self.fails == "long" and any(
            len(text.split()) > 1000 for pair in pairs for text in pair
        ):
            raise InputError("too long")
        undefined = -1.0 if self.fails == "suite" else 0.0
        values = np.array([1.0 - ANSWERS[pair] for pair in pairs])
        found = weighted(values)
        if undefined:
            found[3] = 0.0
        return found


def test_golden_numbers_of_chrf() -> None:
    """By sacrebleu 2.6, with the AUC counted pair by pair and each threshold tried in turn."""
    report = paraphrast.stress_metrics(["chrf"], edges=False)
    found = report["chrf"].overall
    assert found.pairs == 288
    assert found.auc == pytest.approx(0.4424190, abs=1e-7)
    assert found.accuracy == pytest.approx(151 / 288)
    assert report["chrf"].threshold == pytest.approx(54.8747449)
    assert report["chrf"].signature.startswith("chrf|nrefs:1|")


def test_chrf_tells_nothing_and_is_that_of_sacrebleu() -> None:
    from sacrebleu.metrics import CHRF

    chrf = CHRF()
    theirs = [chrf.sentence_score(p.text2, [p.text1]).score for p in stress_pairs()]
    report = paraphrast.stress_metrics(["chrf"], scores={"sacrebleu": theirs}, edges=False)
    ours, other = report["chrf"].overall, report["sacrebleu"].overall
    assert 0.40 <= ours.auc <= 0.55
    assert ours.auc == pytest.approx(other.auc, abs=1e-6)
    assert ours.accuracy == other.accuracy


def test_the_second_text_is_the_candidate() -> None:
    pairs = stress_pairs()
    report = paraphrast.score(
        [pair.text2 for pair in pairs], [pair.text1 for pair in pairs], metrics="rouge1.recall"
    )
    values = report.segment_values["rouge1.recall"].tolist()
    found = paraphrast.stress_metrics("rouge1.recall", scores={"again": values}, edges=False)
    assert found["rouge1.recall"].overall == found["again"].overall


def test_a_metric_of_a_source_has_the_first_text_as_its_source() -> None:
    pairs = stress_pairs()
    report = paraphrast.score(
        [pair.text2 for pair in pairs], sources=[pair.text1 for pair in pairs], metrics="pinc"
    )
    values = report.segment_values["pinc"].tolist()
    found = paraphrast.stress_metrics("pinc", scores={"again": values}, edges=False)
    assert found["pinc"].overall == found["again"].overall


def test_an_oracle_is_right_everywhere_and_lower_is_better() -> None:
    found = paraphrast.stress_metrics([Oracle()]).results[0]
    assert (found.metric, found.better) == ("oracle", "lower")
    assert (found.overall.accuracy, found.overall.auc) == (1.0, 1.0)
    assert found.threshold == pytest.approx(0.5)
    assert {edge.right for edge in found.edges} == {1.0}


@pytest.mark.parametrize(
    ("fails", "rows", "message"),
    [
        ("empty", {"both", "white space, and nothing", "the first", "the second"},
         "ZeroDivisionError: no words"),
        ("long", {"2,000 words"}, "too long"),
    ],
)  # fmt: skip
def test_a_metric_that_fails_at_an_edge_is_told_and_goes_on(
    fails: str, rows: set[str], message: str
) -> None:
    report = paraphrast.stress_metrics([Oracle(fails=fails)])
    edges = report["oracle"].edges
    assert {edge.row for edge in edges if edge.error} == rows
    assert {edge.error for edge in edges} == {"", message}
    assert {edge.right for edge in edges if not edge.error} == {1.0}
    assert f"note: oracle: {next(e.group for e in edges if e.error)}" in str(report)


def test_a_metric_that_is_undefined_on_the_suite_is_an_error() -> None:
    place = stress_pairs()[3].id
    with pytest.raises(InputError, match=f"oracle is undefined for 1 of 576 .* is {place}$"):
        paraphrast.stress_metrics([Oracle(fails="suite")])


def test_two_of_one_metric_go_by_their_requests() -> None:
    names = ["bleu", "chrf", "bleu:max_ngram_order=2"]
    report = paraphrast.stress_metrics(names, edges=False, samples=20)
    assert {one.metric for one in report} == set(names)
    named = paraphrast.stress_metrics({"a": "chrf", "b": Oracle()}, edges=False, samples=20)
    assert [one.metric for one in named] == ["b", "a"]


def test_directions_of_scores_that_were_given(tmp_path: Path) -> None:
    file = tmp_path / "ter.txt"
    file.write_text("".join(f"{1 - value}\n" for value in GOLD))
    options: dict[str, Any] = {"edges": False, "samples": 20}
    plain = paraphrast.stress_metrics(scores=file, **options)
    assert plain["ter"].overall.auc == 0.0
    assert plain.notes == (
        "ter: no signature says that lower is better, so higher was taken to be; if lower is, say "
        "--lower ter",
    )
    turned = paraphrast.stress_metrics(scores=[file], lower="ter", **options)
    assert (turned["ter"].overall.auc, turned.notes) == (1.0, ())
    given = {"x": [-value for value in GOLD]}
    assert paraphrast.stress_metrics(scores=given, lower=["x"], **options)["x"].overall.auc == 1.0


def test_edge_cases_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    values = [*GOLD, *(float(case.same) for case in edge_cases())]
    file.write_text("".join(f"{value}\n" for value in values))
    edges = paraphrast.stress_metrics(scores=file, samples=20)["mine"].edges
    assert {edge.right for edge in edges} == {1.0}
    assert paraphrast.stress_metrics(scores=file, samples=20, edges=False)["mine"].edges == ()


@pytest.mark.parametrize(
    ("metrics", "options", "message"),
    [
        (None, {}, "nothing to test: name a metric with -m, or a file with --scores"),
        ([], {}, "nothing to test"),
        (["blue"], {}, "did you mean 'bleu'"),
        (["bleu", "bleu"], {}, "the metric 'bleu' is listed twice"),
        (["ds_tree"], {}, "metric 'ds_tree' needs set and trees, and the stress suite has pairs"),
        (["rouge_p"], {}, "metric 'rouge_p' needs references and source, and the stress suite"),
        (["perplexity"], {}, "metric 'perplexity' looks at one text alone, and the stress suite"),
        (["bleu"], {"scores": {"bleu": GOLD}}, "'bleu' is a metric and the name of scores in a"),
        (["bleu"], {"samples": 1}, "at least 2 samples"),
        (["bleu"], {"seed": -1}, "the seed must not be negative"),
        (["bleu"], {"threads": 0}, "threads"),
        (["bleu"], {"edge": False}, "has no option 'edge' (did you mean 'edges'?)"),
        (None, {"scores": GOLD}, "scores are names of files, or a mapping from names to values, "
                                 "{'mine': [...]}; got float"),
        (None, {"scores": {"a": GOLD}, "lower": "b"}, "lower: no scores by 'b' were given; there"),
    ],
)  # fmt: skip
def test_bad_requests(metrics: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        paraphrast.stress_metrics(metrics, **options)
    assert message in str(caught.value)


def test_idf_is_counted_on_the_suite_and_kept_at_the_edges() -> None:
    """With idf of the references, a pair of the suite has one value, whatever else is scored."""
    report = paraphrast.stress_metrics(["bertscore:idf=references"], samples=20)
    moved = [edge.moved for edge in report["bertscore"].edges if edge.row == "another meaning"]
    assert moved == [pytest.approx(0.0, abs=1e-4)]  # the shipped embedder is uncased
    assert any("bertscore does not see case" in note for note in report.notes)
