"""What every metric of the catalogue promises, whatever it measures."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from math import isfinite, isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paraphrast
from paraphrast.errors import ConfigError, MissingExtra
from paraphrast.jobs.scoring import text_columns as inputs
from paraphrast.jobs.scoring.score import score_chunks
from paraphrast.jobs.scoring.score_options import Options
from paraphrast.jobs.scoring.text_columns import python_chunks
from paraphrast.metrics.base import Metric, batches
from paraphrast.metrics.catalogue import METRICS, make_metric, metric_class, option_names
from paraphrast.metrics.run import takes_sets
from paraphrast.models.embedder import state_cache as statecache
from paraphrast.models.encoder import pair_summary as summary
from tests.embedders import install_embedder
from tests.encoders import install_encoder

Row = dict[str, Any]
NAMES = list(METRICS.table)
LEARNED = ("parableu", "entailment", "paratag", "faithfulness")
EMBEDDING = ("bertscore", "moverscore", "embedding_cosine")
LIKELIHOOD = ("perplexity", "generation_score")
MODELS = (*LEARNED, *EMBEDDING, *LIKELIHOOD)
# the benchmark of a corpus may be 0 or 1, and its segments depend on each other through it
REQUESTS = {"rouge_p": "rouge_p:benchmark=0.4"}
TREES = [
    "(S (NP (DT the) (NN cat)) (VP (VBZ sits)))",
    "(S (NP (NNP Rex)) (VP (VBZ sees) (NP (DT the) (NN cat))))",
    "(S (VP (VB go)))",
    "(NN dog)",
]
PIECES = [
    *["the", "cat", "Cat", "sat", "on", "mat.", "1,000", "it's", "-", "&quot;", "e\u0301", "हिन्दी"],
    *["猫", "です。", "\n", "\0", "\x85", "\ud7ff", "\ue000", "😀", "  "],
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=7).map(" ".join)


@pytest.fixture(params=NAMES)
def metric(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Metric:
    name = request.param
    if name in LEARNED:
        install_encoder(tmp_path, monkeypatch)
        monkeypatch.setattr(summary, "MOST", 0)  # nothing is remembered from one call to the next
    if name in EMBEDDING:
        monkeypatch.setattr(statecache.Recent, "get", lambda *_: None)
        install_embedder(tmp_path, monkeypatch)
    if name in LIKELIHOOD:
        request.getfixturevalue("install_generator")()
    if name == "meteor":
        pytest.importorskip("paraphrast.metrics.meteor.metric", reason="METEOR is not there yet")
    made = make_metric(REQUESTS.get(name, name))
    try:
        score(made, [row("a"), row("b")])
    except MissingExtra as error:
        pytest.skip(str(error))
    return made


def row(*texts: str, references: tuple[str, ...] = ("a b c",), source: str = "a b d") -> Row:
    mine = list(texts) if len(texts) > 1 else [*texts, *texts]
    trees = TREES[: len(mine)]
    return {"candidates": mine, "references": list(references), "source": source, "trees": trees}


@st.composite
def rows(draw: st.DrawFn) -> Row:
    size = draw(st.integers(2, 3))
    return {
        "candidates": draw(st.lists(TEXTS, min_size=size, max_size=size)),
        "references": draw(st.lists(TEXTS, min_size=1, max_size=3)),
        "source": draw(TEXTS),
        "trees": draw(st.lists(st.sampled_from(TREES), min_size=size, max_size=size)),
    }


CORPORA = st.lists(rows(), min_size=1, max_size=5)
REAL = [
    row(
        f"the cat {a} on the mat",
        f"a {b} cat, on {a} mats",
        references=(f"the cat {b} on a mat", f"a cat {a} here")[: 1 + n % 2],
        source=f"there was a {b} cat which {a} on the mat",
    )
    for n, (a, b) in enumerate(
        zip("sat lay was ran sat lay".split() * 2, "abcdef" * 2, strict=True)
    )
]


def given_to(metric: Metric, corpus: list[Row]) -> dict[str, Any]:
    """The corpus as arguments of `score`; a set per segment only for a metric that takes one."""
    if metric.name in (*EMBEDDING, *LIKELIHOOD):
        corpus = [known(one) for one in corpus]
    if metric.name == "perplexity":  # of an empty text there is none
        corpus = [r | {"candidates": [t.strip() or "a" for t in r["candidates"]]} for r in corpus]
    kept = [r["candidates"] if takes_sets(metric) else r["candidates"][:1] for r in corpus]
    arguments = {
        "candidates": kept,
        "references": [r["references"] for r in corpus],
        "sources": [r["source"] for r in corpus],
    }
    if "trees" in metric.required():
        arguments["trees"] = [r["trees"] for r in corpus]
    return arguments


def known(one: Row) -> Row:
    """Add a word that the weights know to texts that hold any: without it they are undefined."""
    sides = ("candidates", "references")
    return one | {
        side: [f"{text} cat" if text.strip() else text for text in one[side]] for side in sides
    }


def score(metric: Metric, corpus: list[Row], **options: Any) -> paraphrast.Report:
    report = paraphrast.score(**given_to(metric, corpus), metrics=[metric], **options)
    assert isinstance(report, paraphrast.Report)
    return report


def assert_same(ours: paraphrast.Report, theirs: paraphrast.Report, at: list[int]) -> None:
    """Demand that the segments of `ours` at these places have the values that `theirs` has."""
    for name, column in theirs.segment_values.items():
        rel, close = (1e-5, 1e-4) if name.partition(".")[0] in MODELS else (1e-9, 1e-9)
        np.testing.assert_allclose(ours.segment_values[name][at], column, rtol=rel, atol=close)


def assert_same_report(ours: paraphrast.Report, theirs: paraphrast.Report) -> None:
    """Demand equal reports; what a model says may differ by 1e-4 with its batch."""
    mine, other = ours.to_dict(), theirs.to_dict()
    for one, two in zip(mine["scores"], other["scores"], strict=True):
        if one["metric"] in MODELS:
            for key in ("score", "ci", "parts"):
                assert one.pop(key) == pytest.approx(two.pop(key), rel=1e-5, abs=1e-4)
    assert mine == other


def test_the_name_is_the_metrics_own(metric: Metric) -> None:
    assert METRICS.table[metric.name].endswith(f":{type(metric).__name__}")
    assert metric_class(metric.name).__doc__


def test_the_card_is_complete(metric: Metric) -> None:
    card = metric.card
    for text in (card.title, card.summary, card.formula, card.paper, card.empty):
        assert len(text.strip()) >= 3
    low, high = card.range
    assert low < high
    assert card.better in ("higher", "lower", "near 1")
    assert all(card.parts.values())
    assert set(metric.parts()) == set(card.parts)


def test_parts_match_the_values(metric: Metric) -> None:
    chunks = python_chunks(
        *(given_to(metric, REAL).get(k) for k in ("candidates", "references", "sources", "trees")),
        "segment",
    )[1]
    batch = batches(next(iter(chunks)))[""]
    statistics = metric.stats(batch)
    points = metric.fit(statistics).points(statistics)
    assert points.shape[0] == len(REAL)
    width = 1 + len(metric.parts())
    assert metric.value(points.sum(axis=0, keepdims=True)).shape == (1, width)
    assert metric.segment_value(points).shape == (len(REAL), width)


def test_values_lie_in_the_declared_range(metric: Metric) -> None:
    low, high = metric.card.range

    @given(corpus=CORPORA)
    @settings(max_examples=20, deadline=None)
    def check(corpus: list[Row]) -> None:
        report = score(metric, corpus, ci=True, samples=20)
        (found,) = report.scores
        assert found.ci is not None
        values = [found.score, *found.ci, *report.segment_values[metric.name]]
        assert all(low - 1e-9 <= value <= high + 1e-9 for value in values)
        assert all(map(isfinite, found.parts.values()))

    check()


def test_a_batch_is_its_segments_one_by_one_in_any_order(metric: Metric) -> None:
    @given(corpus=CORPORA, seed=st.integers(0, 99))
    @settings(max_examples=15, deadline=None)
    def check(corpus: list[Row], seed: int) -> None:
        together = score(metric, corpus)
        for number, one in enumerate(corpus):
            assert_same(together, score(metric, [one]), [number])
        order = random.Random(seed).sample(range(len(corpus)), len(corpus))
        shuffled = score(metric, [corpus[i] for i in order])
        assert_same(together, shuffled, order)
        close = 1e-4 if metric.runs_model else 1e-9
        assert shuffled.scores[0].score == pytest.approx(
            together.scores[0].score, rel=close / 10, abs=close
        )

    check()


def test_chunks_processes_and_streams_change_nothing(
    metric: Metric, monkeypatch: pytest.MonkeyPatch
) -> None:
    if metric.name == "rouge_p":
        metric = make_metric("rouge_p")  # the benchmark is gathered over all chunks
    whole = score(metric, REAL, ci=True, samples=50)
    monkeypatch.setattr(inputs, "CHUNK", 5)
    for jobs in (1, 2):
        cut = score(metric, REAL, ci=True, samples=50, jobs=jobs)
        assert_same_report(cut, whole)
        assert_same(whole, cut, list(range(len(REAL))))
    arguments = given_to(metric, REAL)
    _, chunks = python_chunks(
        arguments["candidates"],
        arguments["references"],
        arguments["sources"],
        arguments.get("trees"),
        "segment",
    )
    (stream,) = score_chunks(chunks, (metric,), Options(segments=False)).systems.values()
    assert stream.segment_values == {}
    close = 1e-4 if metric.runs_model else 1e-9
    assert stream.scores[0].score == pytest.approx(whole.scores[0].score, rel=close / 10, abs=close)
    assert stream.scores[0].signature == whole.scores[0].signature


EFFECTIVE = ("bleu", "self_bleu_source", "ibleu")  # a segment stops at the orders that it has


def test_a_corpus_of_one_segment_is_that_segment(metric: Metric) -> None:
    report = score(metric, REAL[:1])
    assert isfinite(report.scores[0].score)
    for part, value in {"": report.scores[0].score, **report.scores[0].parts}.items():
        column = report.segment_values[f"{metric.name}.{part}" if part else metric.name]
        assert value == pytest.approx(column[0])
    short = score(metric, [row("a b")])
    same = short.scores[0].score == pytest.approx(short.segment_values[metric.name][0])
    assert same == (metric.name not in EFFECTIVE)


IDENTICAL = {
    # candidate = reference: the best value there is
    **dict.fromkeys(["bleu", "sentence_bleu", "chrf", "chrf++"], 100),
    **dict.fromkeys(["rouge1", "rouge2", "rougeL", "rougeLsum", "meteor"], 1),
    **dict.fromkeys(["wor", "levenshtein", "length_ratio"], 1),
    **dict.fromkeys(["ter", "wer"], 0),
    # candidate = source: the worst
    "pinc": 0,
    "rouge_p": 0,
    "self_bleu_source": 100,
    # all candidates of a set the same: the worst
    "ds_tree": 0,
    "self_bleu_pairwise": 100,
    "ds_bow": 1 / 7,  # 6 shared types over a mean of 7 tokens: not 0 where a word is repeated
    # 0.8 · 100 − 0.2 · 100
    "ibleu": 60,
    # 7 words, of which 6 are different, in source, reference and two candidates
    "vocabulary_diversity": 6 / 28,
    "distinct_1": 6 / 14,
    "distinct_2": 6 / 12,
}


def test_identical_texts(metric: Metric) -> None:
    text = "the cat sat on the mat today"
    corpus = [row(text, references=(text,), source=text)]
    corpus[0]["trees"] = TREES[:1] * 2
    report = score(metric, corpus)
    found = report.scores[0].score
    if metric.name == "perplexity":  # it reads the candidate alone
        assert found == score(metric, [row(text, references=("he bought a car",))]).scores[0].score
        return
    if metric.name == "generation_score":  # weights without training like no text best
        assert report.scores[0].parts["P"] == pytest.approx(report.scores[0].parts["R"], abs=1e-4)
        return
    if metric.runs_model:  # it has no best value, but an unlike text must be worse
        assert found > score(metric, [row("he bought a car", references=(text,))]).scores[0].score
        return
    assert found == pytest.approx(IDENTICAL[metric.name], abs=1e-9)


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u3000"])
def test_empty_texts_give_finite_values(metric: Metric, blank: str) -> None:
    for mine in (("a b", "a c"), (blank, blank), (blank, "a")):
        for references in (("a b",), (blank,), (blank, "a")):
            for source in ("a c", blank):
                corpus = [row(*mine, references=references, source=source)]
                for one in (corpus, corpus + REAL[:2]):
                    report = score(metric, one, ci=True, samples=5)
                    (found,) = report.scores
                    assert found.ci is not None
                    values = [found.score, *found.ci, *found.parts.values()]
                    values += [v for column in report.segment_values.values() for v in column]
                    assert all(map(isfinite, values))


# --- signatures ----------------------------------------------------------------------------------

OTHER: dict[str, list[Any]] = {
    "tokenize": ["char", "intl"],
    "preset": ["google", "13a"],
    "combine": ["mean"],
    "split": ["sentences"],
    "smooth_method": ["none", "add-k"],
    "smooth_value": [0.0, 0.25],
    "benchmark": [0.3, 0.31],
    "alpha": [0.0, 0.5],
    "sigma": [1.0],
    "decay": [1.0],
    "model": ["base", "org/name"],
    "direction": ["candidate", "both"],
    "scale": ["logit"],
    "norm": ["sum"],
    "layer": [0],
    "idf": ["references", "texts.txt"],
}


def others(metric: Metric, name: str) -> list[Any]:
    value = getattr(metric, name)
    if name == "part":
        return [part for part in metric.parts() if part != value]
    if name in OTHER:
        return OTHER[name]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1]
    pytest.fail(f"say in OTHER what else {name} may be than {value!r}")


def test_every_option_is_in_the_signature(metric: Metric) -> None:
    base = metric
    if "smooth_value" in {option.name for option in fields(metric)}:
        base = replace(metric, smooth_method="floor")  # the others take no value
    changed = [base] + [
        replace(base, **{option: value})
        for option in option_names(type(metric))
        for value in others(base, option)
    ]
    assert len({m.signature("1") for m in changed}) == len(changed)
    assert replace(base).signature("1") == base.signature("1")
    assert len({base.signature(n) for n in (None, "1", "2", "1-2")}) == 4
    assert base.signature().startswith(f"{base.name}|")
    assert base.signature().endswith(f"|version:{paraphrast.__version__}")


def test_no_two_metrics_share_a_signature() -> None:
    names = [name for name in NAMES if name != "meteor"]
    assert len({make_metric(name).signature("1") for name in names}) == len(names)


def test_options_given_as_text_are_the_options(metric: Metric) -> None:
    for option in option_names(type(metric)):
        for value in others(metric, option):
            made = make_metric(f"{metric.name}:{option}={value}")
            assert made == replace(make_metric(metric.name), **{option: value})
    for part in set(metric.parts()) - {metric.part}:
        assert make_metric(f"{metric.name}.{part}") == make_metric(f"{metric.name}:part={part}")


def test_a_part_is_the_score_where_it_is_asked_for(metric: Metric) -> None:
    (whole,) = score(metric, REAL[:3], ci=True, samples=5).scores
    for part in metric.parts():
        report = score(replace(metric, part=part), REAL[:3], ci=True, samples=5)
        (found,) = report.scores
        assert found.score == found.parts[part]
        assert found.metric == (metric.name if part == metric.part else f"{metric.name}.{part}")
        assert f"|part:{part}|" in found.signature
        assert next(iter(report.segment_values)) == found.metric
        if metric.part is None:  # else the best reference is that with the best part
            assert found.parts == whole.parts


def test_parts_that_are_not_there_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"'rouge1' has no part 'recal' .did you mean 'recall'"):
        make_metric("rouge1.recal")
    with pytest.raises(ConfigError, match="'pinc' has no parts"):
        make_metric("pinc.P")
    with pytest.raises(ConfigError, match="'part' is given twice"):
        make_metric("paratag.P:part=R")


def test_the_references_count_only_where_they_are_used(metric: Metric) -> None:
    (found,) = score(metric, REAL[:2]).scores
    assert ("|nrefs:1-2|" in found.signature) == ("references" in metric.required())


def test_undefined_segments_stay_out_of_intervals() -> None:
    sets = [["a b", "a c"], *[["x"]] * 9]
    report = paraphrast.score(sets, metrics="ds_bow", ci=True)
    assert report["ds_bow"].ci == (0.5, 0.5)
    assert [isnan(value) for value in report.segment_values["ds_bow"]] == [False] + [True] * 9
