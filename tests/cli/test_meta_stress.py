"""`paraphrast meta stress` at the command line."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import paraphrast
from paraphrast.cli.main import run
from paraphrast.meta.stress.edge_cases import edge_cases
from paraphrast.meta.stress.suite import stress_pairs

Cli = Callable[..., tuple[int, str, str]]
IDS = [pair.id for pair in stress_pairs()]
GOLD = [float(pair.same) for pair in stress_pairs()]


@pytest.fixture
def stress(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Cli:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(["meta", "stress", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_python_and_command_line_agree(stress: Cli) -> None:
    arguments = ["-m", "bleu", "-m", "ter", "--samples", "50", "--seed", "7"]
    code, out, err = stress(*arguments, "-f", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    expected = paraphrast.stress_metrics(["bleu", "ter"], samples=50, seed=7).to_dict()
    command = found.pop("command")
    assert command.startswith("paraphrast")
    assert found == {key: value for key, value in expected.items() if key != "command"}
    assert stress(*arguments, "-f", "json")[1] == out  # the same again


def test_the_table_has_all_that_was_measured(stress: Cli) -> None:
    code, out, _ = stress("-m", "chrf", "-m", "wor", "--samples", "20")
    assert code == 0
    for text in ("chrf", "wor", "time_order", "2,000 words", "10 before and after", "> 5"):
        assert text in out
    single = stress("-m", "chrf", "--samples", "20", "--no-edges")[1]
    assert "18" in single.splitlines()[-1]  # pairs of the last kind
    assert "words" not in single


@pytest.mark.parametrize("form", ["tsv", "csv"])
def test_rows_as_a_table(stress: Cli, form: str) -> None:
    assert stress("-m", "chrf", "--samples", "20", "-o", f"r.{form}")[0] == 0
    with Path(f"r.{form}").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t" if form == "tsv" else ","))
    assert (rows[0]["group"], rows[0]["row"], rows[0]["pairs"]) == ("suite", "all", "288")
    assert 0.4 <= float(rows[0]["auc_low"]) + 0.1 <= float(rows[0]["auc"]) + 0.1
    assert rows[-1]["group"] == "added context"
    assert float(rows[-1]["kept"]) == 1.0


def test_the_page_is_one_file_that_escapes(stress: Cli) -> None:
    Path("<b>.txt").write_text("".join(f"{value}\n" for value in GOLD))
    assert stress("-m", "chrf", "--scores", "<b>.txt", "--samples", "20", "-o", "r.html")[0] == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;" in page
    assert "<b>.txt" not in page
    assert "<script" not in page
    assert "http:" not in page.replace("http://www.w3.org", "")
    assert page.count('class="heat"') == 3  # accuracy, AUC, edge cases
    assert "attachment" in page
    assert "1.000" in page


def test_pairs_go_out_and_scores_come_back(stress: Cli) -> None:
    assert stress("--pairs", "-o", "pairs.tsv") == (0, "", "")
    lines = Path("pairs.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "id\ttext1\ttext2"
    assert [line.split("\t")[0] for line in lines[1:]] == IDS
    scored = ["score", "-c", "pairs.tsv:text2", "-r", "pairs.tsv:text1", "-m", "chrf"]
    assert run([*scored, "--segments", "theirs.jsonl", "-o", "report.json"]) == 0
    code, out, err = stress("--scores", "theirs.jsonl", "--samples", "20", "-f", "json")
    assert (code, err) == (0, "")
    expected = paraphrast.stress_metrics(["chrf"], samples=20, edges=False)["chrf"]
    assert json.loads(out)["metrics"][0]["overall"] == expected.overall.to_dict()


@pytest.mark.parametrize("form", ["tsv", "jsonl", "csv"])
def test_edge_pairs_go_out_after_the_pairs(stress: Cli, form: str) -> None:
    code, out, _ = stress("--pairs", "--edge-pairs", "-f", form)
    ids = [*IDS, *(case.id for case in edge_cases())]
    lines = out.splitlines()[form != "jsonl" :]
    assert (code, len(lines)) == (0, len(ids))
    assert all(name in line for name, line in zip(ids, lines, strict=True))
    assert len(stress("--edge-pairs", "-f", "jsonl")[1].splitlines()) == len(edge_cases())


def test_options_of_metrics_as_in_score(stress: Cli) -> None:
    arguments = ["--samples", "20", "--no-edges", "-f", "json"]
    flag = json.loads(stress("-m", "chrf", "--chrf-word-order", "2", *arguments)[1])
    request = json.loads(stress("-m", "chrf:word_order=2", *arguments)[1])
    assert flag["metrics"] == request["metrics"]
    assert "nw:2" in flag["metrics"][0]["signature"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "nothing to test: name a metric with -m, or a file with --scores"),
        (["-m", "blue"], 2, "did you mean 'bleu'"),
        (["-m", " "], 2, "-m names no metric"),
        (["-m", "bleu bleu"], 2, "the metric 'bleu' is listed twice"),
        (["-m", "rouge_p"], 2, "metric 'rouge_p' needs references and source"),
        (["-m", "bleu", "--chrf-beta", "1"], 2, "--chrf-beta is for chrf and chrf++"),
        (["-m", "good", "--scores", "good.txt"], 2, "unknown metric 'good'"),
        (["-m", "bleu", "--scores", "bleu.txt"], 2, "'bleu' is a metric and the name of scores"),
        (["--scores", "few.txt"], 1, "few.txt: few: 2 scores for the 576 pairs of the stress"),
        (["--scores", "nan.txt"], 1, f"nan.txt: nan: the score of {IDS[0]} is nan, not a number"),
        (["--scores", "unknown.tsv"], 1, "the stress suite has no pair 'no-1'"),
        (["--scores", "twice.tsv"], 1, f"a second score by 'score' for item '{IDS[0]}'"),
        (["--scores", "gone.txt"], 1, "gone.txt"),
        (["--scores", "good.txt", "--lower", "x"], 2, "lower: no scores by 'x' were given"),
        (["--lower", "x", "-m", "bleu"], 2, "lower: no scores by 'x' were given; there are: none"),
        (["--scores", "good.txt", "-o", "good.txt"], 2, "is an input and would be written over"),
        (["-m", "bleu", "-f", "xml"], 2, "--format is one of table, json, tsv, csv, html"),
        (["-m", "bleu", "-o", "r.doc"], 2, "the name tells no format"),
        (["--pairs", "-m", "bleu"], 2, "--pairs and --edge-pairs score nothing: leave -m and"),
        (["--edge-pairs", "--scores", "good.txt"], 2, "score nothing: leave -m and --scores out"),
        (["--pairs", "-f", "html"], 2, "--format is one of tsv, jsonl, csv, parquet"),
        (["--pairs", "-f", "parquet"], 2, "--format parquet needs a file: add -o FILE.parquet"),
        (["-m", "bleu", "--samples", "1"], 2, "at least 2 samples"),
    ],
)
def test_bad_requests(stress: Cli, arguments: list[str], code: int, message: str) -> None:
    good = "".join(f"{value}\n" for value in GOLD)
    rows = [f"{name}\t1" for name in IDS]
    Path("good.txt").write_text(good)
    Path("bleu.txt").write_text(good)
    Path("few.txt").write_text("1\n2\n")
    Path("nan.txt").write_text("nan\n" + good.partition("\n")[2])
    Path("unknown.tsv").write_text("\n".join(["id\tscore", *rows, "no-1\t1"]) + "\n")
    Path("twice.tsv").write_text("\n".join(["id\tscore", *rows, rows[0]]) + "\n")
    found, out, err = stress(*arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err
    assert Path("good.txt").read_text() == good
