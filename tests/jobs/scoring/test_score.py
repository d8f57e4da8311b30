"""The Python door: what goes in, what comes out, and what is refused in which words."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import sacrebleu

import paraphrast
from paraphrast.errors import ConfigError, InputError, MissingExtra
from paraphrast.jobs.scoring import text_columns as inputs
from paraphrast.metrics.bleu import Bleu

CANDIDATES = ["the cat sat on the mat", "a dog ran home today", "it rains a lot here"]
REFERENCES = ["the cat sat on a mat", "a dog ran to its home", "it often rains here"]
SOURCES = ["a cat was sitting on the mat", "the dog went home", "there is much rain here"]
TREES = ["(S (NP (DT the) (NN cat)) (VP (VBZ sits)))", "(S (NP (NNP Rex)) (VP (VBZ is)))"]
NESTED = (
    "they are nested by reference, as sacrebleu wants them. Here references[i] holds the "
    "references of segment i: pass references_by='reference', or turn them round with "
    "list(zip(*references))"
)
HALF = "half a surrogate pair (\\ud800), which is no character; mend the program that wrote it"
ONE_EACH = "give one string, or one list of strings, per segment"


def bleu(candidates: Any, references: Any = ("a b",), **options: Any) -> Any:
    return paraphrast.score(candidates, references, **{"metrics": "bleu", **options})


# --- bad input -----------------------------------------------------------------------------------

BAD_INPUT: dict[str, tuple[Callable[[], Any], str]] = {
    "half a surrogate pair": (
        lambda: bleu(["a", "b\ud800"], ["a", "b"]),
        f"candidates, segment 2 holds {HALF}",
    ),
    "half a surrogate pair of a system": (
        lambda: bleu({"x": ["a"], "y": ["\ud800"]}, ["a"]),
        f"candidates of 'y', segment 1 holds {HALF}",
    ),
    "half a surrogate pair among references": (
        lambda: bleu(["a", "b"], [["a"], ["b", "\ud800"]]),
        f"references, segment 2 holds {HALF}",
    ),
    "half a surrogate pair by reference": (
        lambda: bleu(["a", "b"], [["a", "\ud800"]], references_by="reference"),
        f"references, segment 2 holds {HALF}",
    ),
    "half a surrogate pair among sources": (
        lambda: paraphrast.score(["a"], sources=["\ud800"], metrics="pinc"),
        f"sources, segment 1 holds {HALF}",
    ),
    "an array without a dimension": (
        lambda: bleu(np.array("a b"), ["a b"]),
        "candidates must be a list of strings; got an array without a dimension",
    ),
    "references without a dimension": (
        lambda: bleu(["a b"], np.array("a b")),
        "references must be a list of strings; got an array without a dimension",
    ),
    "fewer references": (
        lambda: bleu(["a", "b"], ["a"]),
        f"there are 2 segments but references has 1 entries; {ONE_EACH}",
    ),
    "nested by reference": (
        lambda: bleu(["a", "b", "c"], [["a", "b", "c"], ["d", "e", "f"]]),
        f"there are 3 segments but references has 2 entries, each of 3 texts: {NESTED}",
    ),
    "nested by reference, only one": (
        lambda: bleu(["a", "b", "c"], [["a", "b", "c"]]),
        f"there are 3 segments but references has 1 entries, each of 3 texts: {NESTED}",
    ),
    "nested by reference, in arrays": (
        lambda: bleu(["a", "b", "c"], np.array([["a", "b", "c"], ["d", "e", "f"]])),
        f"there are 3 segments but references has 2 entries, each of 3 texts: {NESTED}",
    ),
    "several references of one segment, flat": (
        lambda: bleu(["a"], ["a", "b"]),
        "there are 1 segments but references has 2 entries; for several references of one segment "
        "write references=[[...]]",
    ),
    "a string of candidates": (
        lambda: bleu("a b", ["a"]),
        "candidates must be a list of strings, not one string: write ['a b']",
    ),
    "a string of references": (
        lambda: bleu(["a"], "a b"),
        "references must be a list of strings, not one string: write ['a b']",
    ),
    "a string of sources": (
        lambda: paraphrast.score(["a"], sources="a b", metrics="pinc"),
        "sources must be a list of strings, not one string: write ['a b']",
    ),
    "a string for a system": (
        lambda: bleu({"x": "a b"}),
        "candidates of 'x' must be a list of strings, not one string: write ['a b']",
    ),
    "bytes": (lambda: bleu(b"a"), "candidates must be a list of strings; got bytes"),
    "no list at all": (lambda: bleu(None), "candidates must be a list of strings; got NoneType"),
    "a set, which has no order": (
        lambda: bleu({"a", "b"}, ["a", "b"]),
        "candidates must be a list of strings; got set",
    ),
    "a table": (
        lambda: bleu(pandas.DataFrame({"x": ["a"]})),
        "candidates must be a list of strings, not a table; choose a column",
    ),
    "None": (
        lambda: bleu(["a", None], ["a", "b"]),
        "candidates, segment 2: expected text, got None; give an empty string if the text is empty",
    ),
    "None among references": (
        lambda: bleu(["a"], [["a", None]]),
        "references, segment 1: expected text, got None; give an empty string if the text is empty",
    ),
    "None among sources": (
        lambda: paraphrast.score(["a"], sources=[None], metrics="pinc"),
        "sources, segment 1: expected text, got None; give an empty string if the text is empty",
    ),
    "NaN": (
        lambda: bleu(["a", float("nan")], ["a", "b"]),
        "candidates, segment 2: expected text, got NaN; a missing value in a table? Drop the "
        "row or give an empty string",
    ),
    "NaN of numpy": (
        lambda: bleu(["a"], [np.float64("nan")]),
        "references, segment 1: expected text, got NaN; a missing value in a table? Drop the "
        "row or give an empty string",
    ),
    "NaN in a series": (
        lambda: bleu(pandas.Series(["a", np.nan]), ["a", "b"]),
        "candidates, segment 2: expected text, got NaN; a missing value in a table? Drop the "
        "row or give an empty string",
    ),
    "a number": (lambda: bleu([3]), "candidates, segment 1: expected text, got int 3"),
    "a number of numpy": (
        lambda: bleu([np.int64(3)]),
        f"candidates, segment 1: expected text, got int64 {np.int64(3)!r}",
    ),
    "bytes in a list": (
        lambda: bleu([b"a"]),
        "candidates, segment 1: expected text, got bytes b'a'",
    ),
    "nested too deep": (
        lambda: bleu(["a"], [[["a"]]]),
        "references, segment 1: expected text, got list ['a']",
    ),
    "no candidates": (lambda: bleu([], []), "candidates is empty: there is nothing to score"),
    "no references": (lambda: bleu(["a"], []), "references is empty: there is nothing to score"),
    "no systems": (lambda: bleu({}), "candidates: no system given"),
    "a segment without references": (
        lambda: paraphrast.score(["a", "b"], [["a"], []], metrics=["bleu", "wer", "distinct_1"]),
        "segment 2 has no reference, but bleu, wer needs one",
    ),
    "a segment without candidates": (
        lambda: paraphrast.score([["a"], []], metrics="distinct_1"),
        "segment 2 has no candidate; give an empty string",
    ),
    "sets for a metric of single texts": (
        lambda: bleu([["a"], ["b", "c"]], ["a", "b"]),
        "segment 2 has 2 candidates, but bleu scores one; sets are for self_bleu_pairwise, ds_bow, "
        "ds_tree, vocabulary_diversity, distinct_1, distinct_2",
    ),
    "systems of different length": (
        lambda: bleu({"x": ["a", "b"], "y": ["a"]}, ["a", "b"]),
        "system 'y' has 1 candidates but 'x' has 2; every system must answer the same segments",
    ),
    "systems with one name": (
        lambda: bleu({1: ["a"], "1": ["b"]}),
        "candidates: two systems have the same name as text: [1, '1']",
    ),
    "more sources": (
        lambda: paraphrast.score(["a"], sources=["a", "b"], metrics="pinc"),
        "there are 1 segments but sources has 2 entries",
    ),
    "several sources of a segment": (
        lambda: paraphrast.score(["a"], sources=[["a", "b"]], metrics="pinc"),
        "sources, segment 1: expected text, got list ['a', 'b']",
    ),
    "metric without references": (
        lambda: paraphrast.score(["a"], metrics="bleu"),
        "metric 'bleu' needs references; none were given",
    ),
    "metric without sources": (
        lambda: paraphrast.score(["a"], ["a"], metrics=["bleu", "pinc"]),
        "metric 'pinc' needs sources; none were given",
    ),
    "metric without trees": (
        lambda: paraphrast.score([["a", "b"]], metrics="ds_tree"),
        "metric 'ds_tree' needs constituency trees of the candidates; none were given",
    ),
    "fewer trees": (
        lambda: paraphrast.score([["a", "b"]], trees=[TREES[:1]], metrics="ds_tree"),
        "segment 1 has 2 candidates but 1 trees",
    ),
    "more segments of trees": (
        lambda: paraphrast.score([["a", "b"]], trees=[TREES, TREES], metrics="ds_tree"),
        "there are 1 segments but 2 entries of trees",
    ),
    "trees of another system": (
        lambda: paraphrast.score({"x": [["a", "b"]]}, trees={"y": [TREES]}, metrics="ds_tree"),
        "trees are for systems ['y'], candidates for ['x']",
    ),
    "an empty candidate": (
        lambda: bleu(["a", " \t"], ["a", "b"], empty="error"),
        "segment 2: the candidate is empty (empty='score' would score it)",
    ),
    "an empty candidate of a system": (
        lambda: bleu({"x": ["a"], "y": [""]}, ["a"], empty="error"),
        "segment 1: the candidate of system 'y' is empty (empty='score' would score it)",
    ),
    "an empty reference": (
        lambda: bleu(["a", "b"], [["a"], ["b", ""]], empty="error"),
        "segment 2: the reference is empty (empty='score' would score it)",
    ),
    "an empty source": (
        lambda: paraphrast.score(["a"], sources=[""], metrics="pinc", empty="error"),
        "segment 1: the source is empty (empty='score' would score it)",
    ),
    "reference lists of different length": (
        lambda: bleu(["a", "b"], [["a", "b"], ["a"]], references_by="reference"),
        "reference list 2 has 1 texts but there are 2 segments",
    ),
    "a flat list by reference": (
        lambda: bleu(["a", "b"], ["a", "b"], references_by="reference"),
        "reference list 1 must be a list of strings, not one string: write ['a']",
    ),
}


@pytest.mark.parametrize("case", list(BAD_INPUT))
def test_bad_input_is_named_with_its_place(case: str) -> None:
    call, message = BAD_INPUT[case]
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message


BAD_REQUESTS: dict[str, tuple[Callable[[], Any], str]] = {
    "unknown option": (
        lambda: bleu(["a"], metrics="chrf:char_ordre=3"),
        "metric 'chrf' has no option 'char_ordre' (did you mean 'char_order'?); options: "
        "char_order, word_order, beta, lowercase, whitespace, eps_smoothing",
    ),
    "option without a value": (
        lambda: bleu(["a"], metrics="bleu:lowercase"),
        "metric 'bleu:lowercase': write options as name:option=value,option=value",
    ),
    "no truth value": (
        lambda: bleu(["a"], metrics="bleu:lowercase=perhaps"),
        "metric 'bleu': option 'lowercase' takes bool; got 'perhaps'",
    ),
    "no whole number": (
        lambda: bleu(["a"], metrics="bleu:max_ngram_order=2.5"),
        "metric 'bleu': option 'max_ngram_order' takes int; got '2.5'",
    ),
    "no number": (
        lambda: bleu(["a"], metrics="bleu:smooth_value=nan"),
        "metric 'bleu': option 'smooth_value' takes float; got 'nan'",
    ),
    "a metric twice": (
        lambda: bleu(["a"], metrics=["bleu", "bleu:lowercase=no"]),
        "a metric is listed twice with the same options",
    ),
    "no metric": (
        lambda: bleu(["a"], metrics=[3]),
        "a metric is a name or a Metric object; got 3",
    ),
    "empty": (
        lambda: bleu(["a"], empty="skip"),
        "empty must be 'score' or 'error'; got 'skip'",
    ),
    "references_by": (
        lambda: bleu(["a"], references_by="row"),
        "references_by must be 'segment' or 'reference'; got 'row'",
    ),
    "samples": (lambda: bleu(["a"], samples=1), "a resampling test needs at least 2 samples"),
    "seed": (lambda: bleu(["a"], seed=-1), "the seed must not be negative; got -1"),
    "jobs": (lambda: bleu(["a"], jobs=0), "jobs must be at least 1; got 0"),
    "compare one list": (
        lambda: paraphrast.compare(["a"], ["a"]),  # type: ignore[arg-type]
        "compare needs a mapping of at least two systems: {'a': [...], 'b': [...]}",
    ),
    "compare one system": (
        lambda: paraphrast.compare({"a": ["a"]}, ["a"]),
        "compare needs a mapping of at least two systems: {'a': [...], 'b': [...]}",
    ),
    "test": (
        lambda: paraphrast.compare({"a": ["a"], "b": ["b"]}, ["a"], test="t"),
        "test must be 'bootstrap' or 'randomisation'; got 't'",
    ),
    "alpha": (
        lambda: paraphrast.compare({"a": ["a"], "b": ["b"]}, ["a"], alpha=1),
        "alpha must lie between 0 and 1; got 1",
    ),
}


@pytest.mark.parametrize("case", list(BAD_REQUESTS))
def test_bad_requests_are_named(case: str) -> None:
    call, message = BAD_REQUESTS[case]
    with pytest.raises(ConfigError) as caught:
        call()
    assert str(caught.value) == message


def test_an_unknown_metric_suggests_the_nearest() -> None:
    with pytest.raises(ConfigError) as caught:
        bleu(["a"], metrics="rogue1")
    message = str(caught.value)
    assert message.startswith("unknown metric 'rogue1' (did you mean 'rouge1'?); known: bleu, sent")


def test_an_unknown_baseline_is_refused() -> None:
    systems = {"x": ["a"], "y": ["b"]}
    with pytest.raises(ConfigError, match="the baseline 'z' is not one of the systems: x, y"):
        paraphrast.compare(systems, ["a"], metrics="bleu", baseline="z")


def test_errors_name_segments_of_later_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "CHUNK", 2)
    with pytest.raises(InputError, match=r"^segment 5 has no reference"):
        bleu(["a"] * 6, [["a"]] * 4 + [[], ["a"]])
    with pytest.raises(InputError, match=r"^segment 6: the candidate is empty"):
        bleu(["a"] * 5 + [""], ["a"] * 6, empty="error")


def test_half_a_surrogate_pair_is_named_in_later_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "CHUNK", 2)
    with pytest.raises(InputError, match=r"^references, segment 4 holds half a surrogate pair"):
        bleu(list("abcde"), ["a", "b", "c", "\udfff", "e"])


def test_the_number_of_references_spans_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "CHUNK", 1)
    references = [["a", "b"], ["a", "b", "c"], ["a"], ["a", "b"]]
    assert "|nrefs:1-3|" in bleu(["a"] * 4, references)["bleu"].signature


# --- nesting of references -----------------------------------------------------------------------


def test_what_sacrebleu_gets_silently_wrong_is_an_error() -> None:
    """sacrebleu 2.6 gives 100.0 to wrongly nested references: it stops at the shorter list."""
    candidates = ["the cat sat on the mat", "all of this is wrong", "and so is that"]
    references = [["the cat sat on the mat"], ["no word agrees with it"], ["nor with these"]]
    assert sacrebleu.corpus_bleu(candidates, references).score == pytest.approx(100)
    right = sacrebleu.corpus_bleu(candidates, list(zip(*references, strict=True))).score
    ours = bleu(candidates, references)  # here it is the right nesting
    assert ours["bleu"].score == pytest.approx(right)
    assert ours["bleu"].score < 60
    with pytest.raises(InputError, match="nested by reference"):
        bleu(candidates, list(zip(*references, strict=True)))


def test_the_square_case_has_an_explicit_argument() -> None:
    """As many references as segments: both nestings are possible, and only the caller knows."""
    candidates, square = ["a b c d", "e f g h"], [["a b c d", "e f g h"], ["x x", "y y"]]
    by_segment = bleu(candidates, square)
    by_reference = bleu(candidates, square, references_by="reference")
    assert by_reference["bleu"].score == pytest.approx(100)
    assert by_segment["bleu"].score < 60
    turned = bleu(candidates, list(zip(*square, strict=True)))
    assert turned.to_dict() == by_reference.to_dict()


def test_none_leaves_a_reference_out_when_nested_by_reference() -> None:
    lists = [["a b", "c d"], ["a c", None]]
    ours = bleu(["a b", "c d"], lists, references_by="reference")
    assert "|nrefs:1-2|" in ours["bleu"].signature
    assert ours.to_dict() == bleu(["a b", "c d"], [["a b", "a c"], ["c d"]]).to_dict()
    with pytest.raises(InputError, match="segment 2 has no reference"):
        bleu(["a", "b"], [["a", None]], references_by="reference")


def test_every_kind_of_list_is_a_list() -> None:
    expected = bleu(CANDIDATES, [[text, "x y"] for text in REFERENCES]).to_dict()
    assert bleu(tuple(CANDIDATES), [(text, "x y") for text in REFERENCES]).to_dict() == expected
    array = np.array([[text, "x y"] for text in REFERENCES])
    assert bleu(np.array(CANDIDATES), array).to_dict() == expected
    series = pandas.Series([[text, "x y"] for text in REFERENCES])
    assert bleu(pandas.Series(CANDIDATES), series).to_dict() == expected
    assert bleu(iter(CANDIDATES), ([text, "x y"] for text in REFERENCES)).to_dict() == expected


def test_columns_of_arrow_and_polars_are_lists() -> None:
    def polars_series(values: list[Any]) -> polars.Series:
        return polars.Series(values)

    lists = [[text, "x y"] for text in REFERENCES]
    expected = bleu(CANDIDATES, lists)
    for column in (pyarrow.array, lambda values: pyarrow.chunked_array([values]), polars_series):
        assert bleu(column(CANDIDATES), column(lists)) == expected
        pinc = paraphrast.score(column(CANDIDATES), sources=column(SOURCES), metrics="pinc")
        assert pinc == paraphrast.score(CANDIDATES, sources=SOURCES, metrics="pinc")


# --- what comes out ------------------------------------------------------------------------------


def test_the_report() -> None:
    report = paraphrast.score(CANDIDATES, REFERENCES, metrics=["bleu", "rouge1"], ci=True)
    assert isinstance(report, paraphrast.Report)
    assert report.segments == 3
    assert [score.metric for score in report.scores] == ["bleu", "rouge1"]
    low, high = report["rouge1"].ci or (0, 0)
    assert low <= report["rouge1"].score <= high
    assert list(report["rouge1"].parts) == ["precision", "recall"]
    assert report.segment_values["rouge1"].shape == (3,)
    assert report.notes == ()
    with pytest.raises(KeyError, match="'ter' is not in this report"):
        report["ter"]


def test_to_dict_and_to_json() -> None:
    report = bleu(CANDIDATES, REFERENCES)
    found = report.to_dict()
    assert list(found) == ["segments", "scores", "notes"]
    (score,) = found["scores"]
    assert score["metric"] == "bleu"
    assert score["score"] == pytest.approx(sacrebleu.corpus_bleu(CANDIDATES, [REFERENCES]).score)
    assert score["ci"] is None
    assert score["signature"].startswith("bleu|nrefs:1|")
    assert json.loads(report.to_json()) == found
    assert "\n" not in report.to_json(indent=None)
    with_interval = bleu(CANDIDATES, REFERENCES, ci=True)
    assert len(json.loads(with_interval.to_json())["scores"][0]["ci"]) == 2


def test_to_arrow_and_to_pandas() -> None:
    report = paraphrast.score(CANDIDATES, REFERENCES, metrics=["rouge1", "wer"])
    names = [
        "segment",
        "rouge1",
        "rouge1.precision",
        "rouge1.recall",
        "wer",
        "wer.edits",
        "wer.ref_len",
    ]
    table = report.to_arrow()
    assert table.column_names == names
    assert table["segment"].to_pylist() == [1, 2, 3]
    frame = report.to_pandas()
    assert list(frame) == names
    assert frame["rouge1"].tolist() == table["rouge1"].to_pylist()
    assert frame["rouge1"].mean() == pytest.approx(report["rouge1"].score)


@pytest.mark.parametrize(
    ("method", "module", "extra"),
    [("to_arrow", "pyarrow", "parquet"), ("to_pandas", "pandas", "pandas")],
)
def test_tables_need_their_extra(
    monkeypatch: pytest.MonkeyPatch, method: str, module: str, extra: str
) -> None:
    report = bleu(CANDIDATES, REFERENCES)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra) as caught:
        getattr(report, method)()
    assert str(caught.value) == (
        f"this needs the package '{module}', which is not installed; "
        f"run: pip install 'paraphrast[{extra}]'"
    )


def test_a_report_prints_as_a_table() -> None:
    text = str(paraphrast.score(CANDIDATES, REFERENCES, metrics=["bleu", "ter"]))
    assert "bleu ↑" in text
    assert "ter ↓" in text
    assert "3 segments" in text
    systems = {"one": CANDIDATES, "two": REFERENCES}
    table = str(paraphrast.score(systems, REFERENCES, metrics="bleu")).splitlines()
    assert table[0].split() == ["one", "two"]


def test_empty_texts_are_scored_and_noted() -> None:
    report = paraphrast.score(
        ["", "a b", " "], [["a"], ["", "b"], ["c"]], ["a", "", "b"], metrics=["bleu", "pinc"]
    )
    assert report.notes == (
        "2 empty candidates, scored as the metric's card says",
        "1 empty reference, scored as the metric's card says",
        "1 empty source, scored as the metric's card says",
    )
    assert report.segment_values["bleu"][0] == 0


def test_default_metrics_follow_the_inputs() -> None:
    def names(**given: Any) -> list[str]:
        return [score.metric for score in paraphrast.score(CANDIDATES, **given).scores]

    assert names(references=REFERENCES) == ["bleu", "chrf++", "rougeL"]
    both = names(references=REFERENCES, sources=SOURCES)
    assert both == ["bleu", "chrf++", "rougeL", "rouge_p"]
    assert names(sources=SOURCES) == ["pinc", "self_bleu_source"]
    assert names() == ["distinct_1", "distinct_2"]


def test_a_metric_with_two_sets_of_options() -> None:
    report = paraphrast.score(["A b"], ["a b"], metrics=["rouge1", "wer", "wer:lowercase=true"])
    assert report.segment_values["wer"].tolist() == [0.5]
    assert report.segment_values["wer#2"].tolist() == [0.0]
    assert len({score.signature for score in report.scores}) == 3


def test_metric_objects_and_names_agree() -> None:
    by_name = bleu(CANDIDATES, REFERENCES, metrics="bleu:lowercase=true,smooth_value=none")
    by_object = bleu(CANDIDATES, REFERENCES, metrics=[Bleu(lowercase=True)])
    assert by_name.to_dict() == by_object.to_dict()


def test_a_line_of_one_megabyte() -> None:
    rng = np.random.default_rng(3)
    words = [f"w{n}" for n in rng.integers(0, 5000, size=180_000)]
    long = " ".join(words)
    assert len(long) > 1_000_000 - 100_000
    changed = " ".join([*words[:90_000], "new", *words[90_000:]])
    metrics = ["bleu", "chrf", "rouge1", "rougeL", "wor", "wer", "ter", "levenshtein", "distinct_2"]
    report = paraphrast.score([changed, "a"], [long, "a"], metrics=metrics)
    assert report["wer"].parts["edits"] == 1
    assert report["ter"].parts["edits"] == 1
    assert report.segment_values["rougeL"][0] == pytest.approx(360_000 / 360_001)


# --- several systems -----------------------------------------------------------------------------


def test_a_mapping_of_systems_is_each_system() -> None:
    systems = {"one": CANDIDATES, "two": REFERENCES, "three": SOURCES}
    metrics = ["bleu", "chrf", "rougeL", "rouge_p", "distinct_1"]
    together = paraphrast.score(systems, REFERENCES, SOURCES, metrics=metrics, ci=True)
    assert isinstance(together, paraphrast.Comparison)
    assert list(together.systems) == list(systems)
    for name, texts in systems.items():
        alone = paraphrast.score(texts, REFERENCES, SOURCES, metrics=metrics, ci=True)
        assert together[name].to_dict() == alone.to_dict()
    assert list(together.to_dict()) == ["systems"]
    assert json.loads(together.to_json()) == together.to_dict()


@pytest.fixture(scope="module")
def outputs() -> tuple[dict[str, list[str]], list[str]]:
    """A base system, its twin, and one that is clearly worse, on forty segments."""
    rng = np.random.default_rng(9)
    vocabulary = [f"w{n}" for n in range(60)]
    references = [" ".join(rng.choice(vocabulary, 12)) for _ in range(40)]
    base = [" ".join(w for w in text.split() if rng.random() > 0.1) for text in references]
    worse = [" ".join(w for w in text.split() if rng.random() > 0.3) for text in base]
    return {"base": base, "twin": list(base), "worse": worse}, references


@pytest.mark.parametrize("method", ["bootstrap", "randomisation"])
def test_compare(outputs: tuple[dict[str, list[str]], list[str]], method: str) -> None:
    systems, references = outputs
    metrics = ["bleu", "ter"]
    result = paraphrast.compare(systems, references, metrics=metrics, test=method, trials=500)
    assert [(t.system, t.metric) for t in result.tests] == [
        ("twin", "bleu"),
        ("twin", "ter"),
        ("worse", "bleu"),
        ("worse", "ter"),
    ]
    twin, _, worse, edits = result.tests
    assert {t.baseline for t in result.tests} == {"base"}
    assert (twin.difference, twin.p, twin.p_holm, twin.significant) == (0, 1, 1, False)
    expected = result["worse"]["bleu"].score - result["base"]["bleu"].score
    assert worse.difference == pytest.approx(expected)
    assert worse.difference < 0 < edits.difference
    assert worse.p == pytest.approx(1 / 501)
    assert worse.p_holm == pytest.approx(4 / 501)  # the smallest of four
    assert worse.significant
    assert result.method == f"{method}|trials:500|seed:12345|alpha:0.05|correction:holm"
    assert all(score.ci for report in result.systems.values() for score in report.scores)
    found = json.loads(result.to_json())
    assert found["test"] == result.method
    assert found["tests"][0] == twin.to_dict()


def test_compare_with_another_baseline(outputs: tuple[dict[str, list[str]], list[str]]) -> None:
    systems, references = outputs
    first = paraphrast.compare(systems, references, metrics="bleu")
    other = paraphrast.compare(systems, references, metrics="bleu", baseline="worse")
    assert [t.system for t in other.tests] == ["base", "twin"]
    assert other.tests[0].difference == pytest.approx(-first.tests[1].difference)
    assert other.tests[0].p == pytest.approx(first.tests[1].p, abs=0.01)


@pytest.mark.parametrize(("method", "default"), [("bootstrap", 1000), ("randomisation", 10_000)])
def test_compare_has_the_usual_number_of_trials(
    outputs: tuple[dict[str, list[str]], list[str]], method: str, default: int
) -> None:
    systems, references = outputs
    result = paraphrast.compare(systems, references, metrics="wer", test=method)
    assert f"|trials:{default}|" in result.method
    assert result.tests[1].p == pytest.approx(1 / (default + 1))


def test_every_system_sees_the_same_resamples(
    outputs: tuple[dict[str, list[str]], list[str]],
) -> None:
    base, references = outputs[0]["base"], outputs[1]
    slightly = [text if n % 4 else text.rpartition(" ")[0] for n, text in enumerate(base)]
    systems = {"base": base, "slightly": slightly}
    (test,) = paraphrast.compare(systems, references, metrics="wer", samples=400).tests
    (again,) = paraphrast.compare(systems, references, metrics="wer", trials=400).tests
    assert test == again
    assert test.p < 0.05  # unpaired, so small a difference would drown


def test_the_seed_decides(outputs: tuple[dict[str, list[str]], list[str]]) -> None:
    systems, references = outputs

    def run(seed: int) -> dict[str, Any]:
        return paraphrast.compare(
            systems, references, metrics=["bleu", "ds_bow"][:1], seed=seed
        ).to_dict()

    assert run(1) == run(1)
    assert run(1)["systems"] != run(2)["systems"]
    draws = [
        paraphrast.score(systems["base"], references, ci=True, seed=s).to_json() for s in (4, 4, 5)
    ]
    assert draws[0] == draws[1] != draws[2]


def test_trees_of_systems() -> None:
    sets = {"x": [["a", "b"]], "y": [["a", "c"]]}
    trees = {"x": [TREES], "y": [TREES[:1] * 2]}
    result = paraphrast.compare(sets, trees=trees, metrics=["ds_tree", "ds_bow"])
    assert result["y"]["ds_tree"].score == 0
    assert result["x"]["ds_tree"].score > 0
