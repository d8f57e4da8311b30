"""Inverse document frequencies: what is counted, who reads it, and what cannot be read twice."""

from __future__ import annotations

import gzip
import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import paraphrast
from paraphrast.cli.main import run
from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Rows
from paraphrast.jobs.meta import evaluate_metrics
from paraphrast.jobs.scoring.judged_scores import judge_scores
from paraphrast.meta import tasks
from paraphrast.meta.judgements import Judgements, Output, Rating
from paraphrast.meta.tasks import EvaluationTask
from paraphrast.metrics import corpus_fitting as surveys
from paraphrast.metrics.base import Metric, Place
from paraphrast.metrics.bertscore import BertScore
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.idf import Counting, Idf
from paraphrast.models.embedder.text_embedder import Embedder
from tests.embedders import install_embedder

CAT, RUG, DOG = "the cat sat on the mat", "the cat sat on a rug", "he bought an old red car"


@pytest.fixture(autouse=True)
def minilm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return install_embedder(tmp_path / "site", monkeypatch)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run([*arguments, "--threads", "1"])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def score(candidates: Any, references: Any, *metrics: Any, **options: Any) -> paraphrast.Report:
    found = paraphrast.score(candidates, references, metrics=list(metrics), threads=1, **options)
    assert isinstance(found, paraphrast.Report)
    return found


def counted(*blocks: list[str]) -> Idf:
    """Count texts as a survey does, a block at a time."""
    found: list[Idf] = []

    def keep(idf: Idf) -> Metric:
        found.append(idf)
        return BertScore(idf=idf)

    counting = Counting(Embedder.load(threads=1), keep)
    for block in blocks:
        counting.add(block)
    counting.done()
    return found[0]


def test_weights_are_logarithms_of_counts() -> None:
    embedder = Embedder.load(threads=1)
    idf = counted([CAT, RUG], [], [DOG, CAT, ""])
    assert idf.documents == 5
    ids = embedder.subwords(["the cat mat rug zzz woman"])[0]
    # [CLS], the, cat, mat, rug, three times z, woman, [SEP]
    held = [5, 3, 3, 2, 1, 0, 0, 0, 0, 5]
    assert idf.weights(ids) == pytest.approx([math.log(6 / (n + 1)) for n in held])
    assert idf.weights(np.array([10**6])) == pytest.approx([math.log(6)])


def test_the_hash_is_of_the_counts() -> None:
    idf = counted([CAT, RUG, DOG])
    assert idf == counted([DOG], [RUG, CAT])
    assert len({idf, counted([CAT, RUG]), counted([CAT, RUG, DOG, DOG]), counted([CAT])}) == 4
    assert len(idf.digest) == 12
    longer = Idf.of(3, np.append(idf.counts, [0, 0, 0]))
    assert longer == idf


# --- doors ---------------------------------------------------------------------------------------

CANDIDATES, REFERENCES = [RUG, DOG, "the dog"], [[CAT, RUG], [DOG], [CAT, "a dog ran"]]
NAME = "bertscore:idf=references"


def write(path: str, texts: list[str]) -> None:
    Path(path).write_text("".join(f"{text}\n" for text in texts))


@pytest.fixture
def files() -> None:
    write("c.txt", CANDIDATES)
    rows = [{"references": many} for many in REFERENCES]
    write("r.jsonl", [json.dumps(row) for row in rows])
    write("idf.txt", [text for many in REFERENCES for text in many])


@pytest.mark.usefixtures("files")
def test_references_and_a_file_of_them_are_the_same_at_every_door(cli: Any) -> None:
    expected = score(CANDIDATES, REFERENCES, NAME).to_dict()
    assert score(CANDIDATES, REFERENCES, "bertscore:idf=idf.txt").to_dict() == expected
    Path("idf.txt.gz").write_bytes(gzip.compress(Path("idf.txt").read_bytes()))
    for idf in ("references", "idf.txt", "idf.txt.gz", "r.jsonl", "r.jsonl:references"):
        code, out, err = cli(
            *["score", "-c", "c.txt", "-r", "r.jsonl", "-m", f"bertscore:idf={idf}", "-f", "json"]
        )
        assert (code, err) == (0, "")
        assert json.loads(out) == expected
    both = paraphrast.score({"a": CANDIDATES, "b": [CAT] * 3}, REFERENCES, metrics=NAME, threads=1)
    assert both["a"].to_dict() == expected


def test_a_file_named_references_needs_its_folder() -> None:
    write("references", [CAT, DOG])
    literal = score([RUG, DOG], [CAT, RUG], NAME)["bertscore"].signature
    file = score([RUG, DOG], [CAT, RUG], "bertscore:idf=./references")["bertscore"].signature
    assert literal != file
    assert f"|idf:{counted([CAT, DOG]).digest}|" in file
    assert f"|idf:{counted([CAT, RUG]).digest}|" in literal


def test_weights_change_the_score_and_none_is_plain() -> None:
    values = [
        score(CANDIDATES, REFERENCES, name).segment_values["bertscore"]
        for name in ("bertscore", "bertscore:idf=none", NAME)
    ]
    assert values[0] == pytest.approx(values[1])
    assert np.abs(values[2] - values[0]).max() > 1e-3


def test_each_corpus_is_read_once_and_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real = Rows.__init__

    def init(self: Rows, fields: Any) -> None:
        opened.extend(field.path for field in fields)
        real(self, fields)

    monkeypatch.setattr(Rows, "__init__", init)
    monkeypatch.setattr(surveys, "_ROWS", 2)
    write("idf.txt", [CAT, RUG, DOG] * 3)
    names = ("bertscore", "bertscore:part=P", "moverscore")
    pytest.importorskip("ot")
    requests = [f"{n}{',' if ':' in n else ':'}idf=idf.txt" for n in names]
    report = score([RUG], [CAT], *requests)
    assert opened == ["idf.txt"]
    digest = counted([CAT, RUG, DOG] * 3).digest
    assert all(f"|idf:{digest}|" in one.signature for one in report.scores)


@pytest.mark.usefixtures("files")
def test_what_is_mended_in_the_file_is_noted(cli: Any) -> None:
    Path("idf.txt").write_bytes(f"\ufeff{CAT}\r\n{DOG}\r\n".encode())
    notes = (
        "idf.txt: removed a byte-order mark",
        "idf.txt: removed a trailing carriage return from 2 lines",
    )
    assert score([RUG], [CAT], "bertscore:idf=idf.txt").notes == notes
    write("d.txt", [CAT] * 3)
    _, out, _ = cli(
        *["score", "-c", "c.txt", "-c", "d.txt", "-r", "r.jsonl", "-m", "bertscore:idf=idf.txt"],
        *["-f", "json"],
    )
    assert tuple(json.loads(out)["notes"]) == notes


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.usefixtures("files")
def test_what_can_be_read_only_once_is_refused(cli: Any) -> None:
    message = (
        "error: bertscore with idf=references reads the references twice, and {} can be read "
        "only once; save them to a file, or give idf=FILE with the texts to count\n"
    )
    code, out, err = cli("score", "-c", "c.txt", "-r", "-", "-m", NAME)
    assert (code, out, err) == (2, "", message.format("standard input"))
    os.mkfifo("pipe")
    code, out, err = cli("compare", "-c", "c.txt", "-c", "x=c.txt", "-r", "pipe", "-m", NAME)
    assert (code, out, err) == (2, "", message.format("pipe"))


@pytest.mark.usefixtures("files")
def test_a_pipe_serves_where_one_reading_is_enough() -> None:
    pytest.importorskip("ot")
    os.mkfifo("pipe")
    texts = Path("idf.txt").read_bytes()
    writer = Thread(target=lambda: Path("pipe").write_bytes(texts))
    writer.start()
    report = score(CANDIDATES, REFERENCES, "bertscore:idf=pipe", "moverscore:idf=pipe")
    writer.join()
    assert report["bertscore"] == score(CANDIDATES, REFERENCES, NAME)["bertscore"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read idf.jsonl: No such file or directory"),
        ("", "idf.jsonl is empty: there are no rows in it"),
        ('{"reference": null}\n', "idf.jsonl holds no text to count"),
        (
            '{"text": "a"}\n',
            "idf.jsonl, line 1: no column named 'references' or 'reference' for the reference; "
            "it has: text; choose one with idf.jsonl:COLUMN",
        ),
    ],
)
def test_a_bad_file_is_an_error_before_scoring(
    content: str | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paraphrast.jobs.scoring.score.tally", None)
    if content is not None:
        Path("idf.jsonl").write_text(content)
    with pytest.raises(InputError) as caught:
        score([RUG], [CAT], "bertscore:idf=idf.jsonl")
    assert str(caught.value) == message


def test_references_that_are_all_missing_are_named_by_their_segment(cli: Any) -> None:
    write("c.txt", [RUG])
    write("r.jsonl", ['{"references": null}'])
    code, _, err = cli("score", "-c", "c.txt", "-r", "r.jsonl", "-m", NAME)
    assert (code, err) == (1, "error: segment 1 has no reference, but bertscore needs one\n")


@pytest.mark.usefixtures("files")
def test_the_file_is_not_written_over(cli: Any) -> None:
    code, _, err = cli(
        *["score", "-c", "c.txt", "-r", "r.jsonl", "-m", "bertscore:idf=idf.txt", "-o", "idf.txt"]
    )
    assert (code, err) == (2, "error: idf.txt is an input and would be written over\n")


def test_a_metric_that_was_not_told_does_not_guess() -> None:
    metric = make_metric(NAME)
    assert "|idf:references|" in metric.signature("1")
    with pytest.raises(ConfigError, match=r"^bertscore: the corpus for idf was not counted"):
        surveys.survey([metric], Place())[0].stats(_batch())
    with pytest.raises(ConfigError, match=r"^metric 'bleu' surveys no corpus$"):
        make_metric("bleu").survey(Place())


def _batch() -> Any:
    from paraphrast.metrics.base import batches
    from paraphrast.types import Chunk

    return batches(Chunk(0, {"": [[RUG]]}, [[CAT]]))[""]


# --- meta-evaluation -----------------------------------------------------------------------------


def judgements(level: str) -> Judgements:
    texts = {"a": [RUG, "the dog"], "b": [DOG, "the cat"]}
    outputs = tuple(
        Output(group, str(item), system, text, (f"{CAT} {group}", DOG)[: 1 + item], None)
        for group in ("x", "y")
        for system, many in texts.items()
        for item, text in enumerate(many)
    )
    ratings = tuple(
        Rating(o.group, "" if level == "system" else o.item, o.system, "da", 1.0) for o in outputs
    )
    return Judgements("toy", outputs, tuple(dict.fromkeys(ratings)))


@pytest.mark.parametrize("level", ["segment", "system"])
def test_meta_evaluation_counts_the_references_of_each_item_once(level: str) -> None:
    pytest.importorskip("ot")
    requests = [f"{name}:idf=references" for name in ("bertscore", "bertscore.P", "moverscore")]
    found = judge_scores(judgements(level), requests, level, threads=1)
    references = [[f"{CAT} {group}", DOG][: 1 + item] for group in "xy" for item in (0, 1)]
    digest = counted([text for many in references for text in many]).digest
    assert all(f"|idf:{digest}|" in one.signature for one in found)
    if level == "segment":
        write("idf.txt", [text for many in references for text in many])
        alone = score([RUG], [[f"{CAT} x"]], "bertscore:idf=idf.txt")
        assert found[0].values["x", "0", "a"] == pytest.approx(alone["bertscore"].score, abs=1e-4)


def test_meta_evaluation_reads_a_file_once_for_all_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real = surveys._file

    def read(spec: str, notes: list[str] | None) -> Iterator[list[str]]:
        opened.append(spec)
        return real(spec, notes)

    monkeypatch.setattr(surveys, "_file", read)
    made = {
        name: EvaluationTask(name, name, "segment", "da", ("pearson", "kendall"), (), _rated)
        for name in ("one", "two")
    }
    monkeypatch.setattr(tasks, "TASKS", made)
    write("idf.txt", ["\ufeff" + CAT, DOG])
    report = evaluate_metrics(
        ["one", "two"], ["bertscore:idf=idf.txt"], samples=20, threads=1, cache="kept"
    )
    assert opened == ["idf.txt"]
    assert Path("kept").is_dir()
    assert len(report.tables) == 4
    for table in report.tables:
        assert table.notes[-1] == "idf.txt: removed a byte-order mark"


def _rated() -> Judgements:
    found = judgements("segment")
    ratings = [replace(one, value=float(n)) for n, one in enumerate(found.ratings)]
    return replace(found, ratings=tuple(ratings))
