"""Faulty plug-ins are named; memory stays bounded; what was found by fresh eyes stays found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import sacrebleu

import paraphrast
from paraphrast import Batch, Card, Metric
from paraphrast.errors import ConfigError, InputError, ParaphrastError
from paraphrast.metrics import bleu, diversity, run
from paraphrast.metrics.catalogue import make_metric
from paraphrast.text.ngrams import slices
from paraphrast.types import Chunk, Floats

CARD = Card("Faulty", "A metric gone wrong.", "none", "none", (0, 1), "higher", "none")


@dataclass(frozen=True, kw_only=True)
class Faulty(Metric):
    name: ClassVar[str] = "faulty"
    card: ClassVar[Card] = CARD
    rows: ClassVar[Callable[[int], object]] = lambda n: np.ones((n, 1))
    result: ClassVar[Callable[[Floats], Floats]] = lambda points: points

    def stats(self, batch: Batch) -> Floats:
        return type(self).rows(len(batch))  # type: ignore[return-value]

    def value(self, points: Floats) -> Floats:
        return type(self).result(points)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (lambda n: np.ones((n - 1, 1)), r"stats\(\) gave 1 rows for 2 segments"),
        (lambda n: np.ones(n), r"stats\(\) must give a table of numbers.*ndarray \(2,\)"),
        (lambda n: [[1.0]] * n, r"stats\(\) must give a table of numbers.*it gave list"),
        (lambda n: np.full((n, 1), np.nan), "gave a statistic that is not a number"),
    ],
)
def test_faulty_statistics_are_named(
    monkeypatch: pytest.MonkeyPatch, rows: Callable[[int], object], message: str
) -> None:
    monkeypatch.setattr(Faulty, "rows", rows)
    with pytest.raises(ParaphrastError, match=message):
        paraphrast.score(["a", "b"], ["a", "b"], metrics=[Faulty()])


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda p: np.full((len(p), 1), np.nan), "its value is not a number"),
        (lambda p: np.ones((len(p), 3)), r"value\(\) must give 1 columns.*\(1, 3\)"),
    ],
)
def test_faulty_values_are_named(
    monkeypatch: pytest.MonkeyPatch, result: Callable[[Floats], Floats], message: str
) -> None:
    monkeypatch.setattr(Faulty, "result", result)
    with pytest.raises(ParaphrastError, match=message):
        paraphrast.score(["a", "b"], ["a", "b"], metrics=[Faulty()])


def test_slices_respect_the_limit() -> None:
    found = list(slices(np.array([3, 3, 9, 1, 1, 1]), 6))
    assert [(part.start, part.stop) for part in found] == [(0, 2), (2, 3), (3, 6)]
    assert list(slices(np.zeros(0, dtype=np.int64), 6)) == []


def test_sets_are_compared_in_slices_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = [["a b c d", "a b c", "b c d e f"], ["x"], ["p q", "p r", "q r s", "p q"]]
    names = ["ds_bow", "self_bleu_pairwise"]
    whole = paraphrast.score(sets, metrics=names)
    monkeypatch.setattr(bleu, "_TOKENS", 5)
    monkeypatch.setattr(diversity, "_TOKENS", 5)
    cut = paraphrast.score(sets, metrics=names)
    for name in names:
        assert cut[name] == whole[name]
        np.testing.assert_array_equal(cut.segment_values[name], whole.segment_values[name])


def test_distinct_is_condensed_while_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"word{n % 7} and word{n % 5}" for n in range(50)]
    whole = paraphrast.score(texts, metrics="distinct_2")["distinct_2"].score
    monkeypatch.setattr(run, "_PENDING", 3)
    small = [Chunk(n, {"": [[text]]}) for n, text in enumerate(texts)]
    plan = run.Plan((make_metric("distinct_2"),))
    (fitted,) = run.fit(run.tally(small, plan)[""], plan)
    assert run.corpus_values(fitted)[0, 0] == pytest.approx(whole)
    assert len(run.tally(small, plan)[""].rows[0]) < 12


def test_one_or_two_segments_prove_nothing() -> None:
    for size in (1, 2):
        found = paraphrast.compare(
            {"a": ["a b c d"] * size, "b": ["q"] * size},
            ["a b c d"] * size,
            metrics=["bleu", "ter"],
        )
        assert not any(test.significant for test in found.tests)
        assert "fewer than 30 segments" in found.notes[0]


def test_references_are_normalised_twice_as_in_sacrebleu() -> None:
    text = "&quot;x&quot; <skipped> 1,000.50-3 ..5,,6"
    theirs = sacrebleu.TER(normalized=True).sentence_score(text, [text]).score
    ours = paraphrast.score([text], [text], metrics="ter:normalized=true")["ter"].score
    assert ours == pytest.approx(theirs)
    assert ours > 0


def test_the_size_of_sets_is_in_the_signature() -> None:
    two = paraphrast.score([["a", "b"]], metrics="ds_bow")["ds_bow"].signature
    three = paraphrast.score([["a", "b", "c"]], metrics="ds_bow")["ds_bow"].signature
    assert "ncands:2" in two
    assert "ncands:3" in three


def test_no_interval_where_no_resample_is_defined() -> None:
    sets = [["a", "b"], *([["a"]] * 300)]
    report = paraphrast.score(sets, metrics=["ds_bow"], ci=True, samples=2, seed=1)
    assert report["ds_bow"].ci is None


def test_twins_have_different_names() -> None:
    report = paraphrast.score(["a b"], ["a c"], metrics=["bleu", "bleu:lowercase=true"], ci=True)
    assert [score.metric for score in report.scores] == ["bleu", "bleu#2"]
    assert set(report.segment_values) >= {"bleu", "bleu#2"}
    assert report.intervals == "bootstrap|samples:1000|seed:12345|level:0.95"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": 3}, "metrics must be a list of names; got int"),
        ({"metrics": []}, "metrics is an empty list"),
        ({"metrics": "bleu:tokenize=zh,tokenize=char"}, "'tokenize' is given twice"),
        ({"samples": "x"}, "samples must be a whole number"),
    ],
)
def test_wrong_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        paraphrast.score(["a"], ["a"], **options)  # type: ignore[call-overload]


@pytest.mark.parametrize("metric", ["rougeL", "wer", "levenshtein", "ter", "rougeLsum", "meteor"])
def test_a_pair_too_long_to_compare_names_its_segment(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("long_pairs.WORD_CELLS", "long_pairs.CHARACTER_CELLS"):
        monkeypatch.setattr(f"paraphrast.text.alignment.{limit}", 100)
    monkeypatch.setattr("paraphrast.metrics.edit.CHARACTER_CELLS", 100)
    monkeypatch.setattr("paraphrast.text.alignment.tercom._MOST_CELLS", 100)
    monkeypatch.setattr("paraphrast.text.alignment.lcs._UNION_CELLS", 100)
    monkeypatch.setattr("paraphrast.metrics.meteor.match._MOST_MATCHES", 8)
    long = "a b c d e f g h i j k l"
    other = "l k j i h g f e d c b a"
    with pytest.raises(InputError, match=rf"^segment 3: {metric}: the candidate has \d+ tokens"):
        paraphrast.score(
            ["a", "a", long], [["a"], ["a", "b"], ["c", other]], ["s", "s", "s"], metrics=[metric]
        )
