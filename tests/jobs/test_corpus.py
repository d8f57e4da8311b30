"""Evaluation of labelled files: the numbers of the public corpora, and bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import paraphrast
from paraphrast.errors import ConfigError, InputError
from paraphrast.jobs.corpus import CorpusOptions, LabelledFile, evaluate_corpora

PUBLIC = {
    "MRPC": ("pairs/mrpc.train.jsonl.gz", "pairs/mrpc.test.jsonl.gz"),
    "QQP": ("pairs/qqp.train.jsonl.gz", "pairs/qqp.test.jsonl.gz"),
    "PAWS-Wiki": ("pairs/paws_wiki.train.jsonl.gz", "pairs/paws_wiki.test.jsonl.gz"),
}
TMUP = "name=TMUP,text1=sentence_A_ja,text2=sentence_B_ja,tokenize=none"


def test_the_non_trivial_corpora_are_the_harder_ones(data: Callable[[str], Path]) -> None:
    files = [f"{data('japanese/tmup.tsv')}:{TMUP}"]
    files += [f"{data(path)}:name={name}" for name, paths in PUBLIC.items() for path in paths]
    found = evaluate_corpora(files)
    assert [corpus.name for corpus in found.corpora] == ["TMUP", *PUBLIC]
    tmup = found["TMUP"]
    assert tmup.labels == {"positive": 363, "negative": 292, "unnatural": 0, "other": 0}
    # Table 1 of the paper has 2 11 20 24 27 34 38 53 81 73 0, counted with words of another
    # tokeniser, and 1 14 9 15 16 16 13 52 83 73 0 negatives
    assert tmup.bins["positive"] == (2, 12, 18, 25, 27, 34, 38, 53, 81, 73, 0)
    assert tmup.bins["negative"] == (0, 15, 10, 15, 15, 16, 13, 52, 83, 73, 0)
    best = {corpus.name: corpus.evaluation.best.accuracy for corpus in found.corpora}
    assert max(best["TMUP"], best["PAWS-Wiki"]) < min(best["MRPC"], best["QQP"])
    assert best == pytest.approx(
        {"TMUP": 0.557, "MRPC": 0.730, "QQP": 0.666, "PAWS-Wiki": 0.562}, abs=5e-4
    )
    assert found["PAWS-Wiki"].best.threshold is None
    assert found["MRPC"].majority == pytest.approx(3900 / 5801)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    rows = [
        {"text1": "a b", "text2": "a b", "label": 1, "second": "positive"},
        {"text1": "a b", "text2": "a c", "label": 0, "second": "paraphrase"},
        {"text1": "a b", "text2": "c d", "label": 0, "second": "negative"},
        {"text1": "a b", "text2": "c d", "label": None, "second": "other"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_two_annotators(pairs: Path) -> None:
    found = evaluate_corpora([str(pairs)], CorpusOptions(other_label="second"))
    agreed = found["pairs"].agreement
    assert agreed is not None
    # observed 2/3; by chance 1/3 · 2/3 + 2/3 · 1/3 = 4/9; κ = (6 − 4)/(9 − 4)
    assert agreed.kappa == pytest.approx(0.4)
    assert agreed.table == ((1, 0), (1, 1))
    assert found.notes == (
        "pairs: left out 1 pair without a label",
        "pairs: κ is without 1 pair that only one annotator labelled",
    )
    assert "κ" in str(found).splitlines()[0]
    assert "positive         1         0" in str(found)


def test_files_of_one_name_are_one_corpus(pairs: Path) -> None:
    more = pairs.with_name("more.jsonl")
    more.write_bytes(pairs.read_bytes())
    both = evaluate_corpora([f"{pairs}:name=x", f"{more}:name=x"])
    assert [corpus.name for corpus in both.corpora] == ["x"]
    assert both["x"].pairs == 8
    assert both.corpora[0].files == (str(pairs), str(more))
    with pytest.raises(ConfigError, match="the files of x differ in their tokenisers"):
        evaluate_corpora([f"{pairs}:name=x", f"{more}:name=x,tokenize=char"])


def test_a_file_that_is_named_twice_does_not_count_twice(pairs: Path) -> None:
    link = pairs.with_name("pairs.link")
    link.symlink_to(pairs)
    for again in (str(pairs), f"{link}:name=pairs"):
        with pytest.raises(ConfigError, match="is named twice in the corpus pairs, so its pairs"):
            evaluate_corpora([str(pairs), again])
    other = evaluate_corpora([str(pairs), f"{pairs}:label=second,name=second"])
    assert [corpus.name for corpus in other.corpora] == ["pairs", "second"]


def test_the_top_level_functions_are_those_of_the_command_line(pairs: Path) -> None:
    found = paraphrast.evaluate_corpora([str(pairs)])
    assert found.to_dict() == evaluate_corpora([str(pairs)]).to_dict()
    with pytest.raises(InputError, match="is not a finished corpus"):
        paraphrast.verify_corpus(pairs.parent)


def test_a_file_brings_its_options() -> None:
    options = CorpusOptions(label="gold", tokenize="char")
    file = LabelledFile.parse("a.tsv:text1=x, name = A", options)
    assert (file.path, file.name) == ("a.tsv", "A")
    assert file.options == CorpusOptions(label="gold", tokenize="char", text1="x", name="A")
    assert LabelledFile.parse("dir/b.c.jsonl.gz", options).name == "b.c"
    assert LabelledFile.parse("-", options).name == "standard input"


def test_reports_progress_and_prints_every_format(pairs: Path) -> None:
    seen: list[int] = []
    found = evaluate_corpora([str(pairs)], progress=seen.append)
    assert seen == [4]
    assert json.loads(found.to_json())["corpora"][0]["best"] == {"threshold": 1.0, "accuracy": 1.0}
    assert found.to_markdown().startswith("# Labelled corpora\n\n| corpus | pairs |")
    with pytest.raises(KeyError, match="'y' is not here: pairs"):
        found["y"]


@pytest.mark.parametrize(
    ("spec", "kind", "said"),
    [
        ("nothing.jsonl", InputError, "cannot read nothing.jsonl: No such file or directory"),
        ("a.tsv:txt1=x", ConfigError, "a.tsv:txt1=x: no option 'txt1=x' (did you mean 'text1'?)"),
        ("a.tsv:text1=", ConfigError, "a.tsv:text1=: no option 'text1='"),
        (":text1=a", ConfigError, "':text1=a' names no file; write FILE or FILE:OPTION=VALUE,…"),
        ("a.tsv:tokenize=unicod", ConfigError,
         "unknown tokeniser 'unicod' (did you mean 'unicode'?)"),
    ],
)  # fmt: skip
def test_wrong_requests(spec: str, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind) as error:
        evaluate_corpora([spec])
    assert str(error.value).startswith(said)


def test_no_files() -> None:
    with pytest.raises(ConfigError, match="there is nothing to evaluate"):
        evaluate_corpora([])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {"text1": "a", "text2": "b", "label": "maybe"},
            "{}, line 5: unknown label 'maybe'; known",
        ),
        (
            {"text1": "a", "text2": None, "label": 1},
            "{}, line 5, text2: text is needed; got nothing",
        ),
        ({"text1": 7, "text2": "b", "label": 1}, "{}, line 5, text1: text is needed; got 7"),
    ],
)
def test_bad_rows_are_named(pairs: Path, row: dict[str, object], said: str) -> None:
    with pairs.open("a") as file:
        file.write(json.dumps(row) + "\n")
    with pytest.raises(InputError) as error:
        evaluate_corpora([str(pairs)])
    assert str(error.value).startswith(said.format(pairs))
