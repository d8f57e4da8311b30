"""`paraphrast judge`: two texts, two files or a file of pairs in; a verdict for each out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import paraphrast
from paraphrast.cli.main import run

A, B = "The cat sat on the mat.", "The dog sat on a mat."
Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cli(with_model: Callable[[str], Cli]) -> Cli:
    return with_model("judge")


def write(name: str, *rows: object) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_python_and_cli_are_one_door(cli: Cli, model: str) -> None:
    found = paraphrast.judge(A, B, model=model, threads=1)
    assert cli(A, B) == (0, f"{found}\n", "")
    code, out, err = cli(A, B, "-f", "jsonl")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"row": 1, **found.to_dict()}


def test_a_file_of_pairs_is_a_table(cli: Cli, model: str) -> None:
    write("p.jsonl", {"id": "x", "a": A, "b": B}, {"a": A, "b": A}, {"a": A, "b": ""})
    code, out, err = cli("p.jsonl")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    first = paraphrast.judge(A, B, model=model, threads=1)
    assert lines[0].split() == ["row", "relation", "sure", "first", "reason"]
    assert lines[1].split()[:2] == ["1", first.relation]
    assert lines[2].split() == ["2", "same", "100", "%"]
    assert lines[3].endswith("missing: The cat sat on the mat . → (nothing)")
    assert lines[5].startswith("3 pairs: ")
    assert lines[6] == first.signature


def test_two_files_or_columns_are_read_row_by_row(cli: Cli) -> None:
    Path("a.txt").write_text(f"{A}\n{B}\n")
    write("b.jsonl", {"text": B, "other": A}, {"text": A, "other": B})
    code, out, _ = cli("a.txt", "b.jsonl:other", "-f", "jsonl")
    assert code == 0
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["relation"] for row in rows] == ["same", "same"]
    assert cli("a.txt", "b.jsonl", "-f", "jsonl")[0] == 0  # the column "text"
    one = cli("a.txt", "a.txt", "-f", "table")[1]
    assert "2 pairs: 2 same" in one


def test_a_table_for_a_spreadsheet(cli: Cli) -> None:
    write("p.jsonl", {"a": "=A1", "b": B}, {"id": 7, "a": "a\tb", "b": B})
    code, _, err = cli("p.jsonl", "-o", "out.tsv", "--safe-cells")
    assert (code, err) == (0, "")
    head, first, second = (line.split("\t") for line in Path("out.tsv").read_text().splitlines())
    assert head == [
        *("row", "id", "a", "b", "relation", "confidence", "forward", "backward"),
        *("contradiction", "score", "reasons"),
    ]
    assert first[:3] == ["1", "", "'=A1"]
    assert second[:3] == ["2", "7", "a\\tb"]
    assert first[head.index("contradiction")] == ""  # weights of format 1 do not say


def test_a_page(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "<script>alert(1)</script> cat"
    write("p.jsonl", {"id": hostile, "a": hostile, "b": B}, {"a": A, "b": B})
    assert cli("p.jsonl", "-o", "page.html") == (0, "", "")
    page = Path("page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert cli(A, B, "-f", "html")[1].startswith("<!doctype html>")
    monkeypatch.setattr("paraphrast.cli.judge._MOST_ON_A_PAGE", 1)
    cli("p.jsonl", "-o", "page.html")
    assert "The page shows the first 1 of 2 pairs." in Path("page.html").read_text()


# --- requirements --------------------------------------------------------------------------------


def test_a_requirement_that_is_met_changes_nothing(cli: Cli) -> None:
    assert cli(A, A, "--require", "same") == cli(A, A)
    assert cli(A, "", "--require", "different")[0] == 0


def test_a_requirement_that_is_not_met_ends_with_3_after_the_output(cli: Cli) -> None:
    code, out, err = cli(A, "", "--require", "same")
    assert (code, err) == (3, "error: the pair is 'different', not 'same'\n")
    assert out == cli(A, "")[1]
    write("p.jsonl", {"a": A, "b": A}, *[{"a": A, "b": ""}] * 7)
    code, _, err = cli("p.jsonl", "--require", "same", "-o", "out.jsonl", "-q")
    assert (code, err) == (3, "error: 7 of 8 pairs not 'same': row 2, 3, 4, 5, 6, …\n")
    assert len(Path("out.jsonl").read_text().splitlines()) == 8


# --- notes ---------------------------------------------------------------------------------------


def test_foreign_letters_are_one_note_not_a_warning(cli: Cli) -> None:
    code, out, err = cli("猫", "犬")
    assert code == 0
    assert err.startswith("note: 100% of the letters are of scripts that the weights")
    assert err.count("note: ") == 1
    assert cli("猫", "犬", "-q") == (0, out, "")


def test_pairs_read_in_windows_are_noted(cli: Cli) -> None:
    long = "cat " * 90
    assert "\nnote: the pair is too long to be read at once" in cli(long, B)[1]
    assert "\nnote: " not in cli(long, B, "-q")[1]
    write("p.jsonl", {"a": A, "b": B}, {"a": long, "b": B})
    expected = "note: 1 pair was too long to be read at once, and read in windows: row 2\n"
    assert cli("p.jsonl", "-f", "jsonl")[2] == expected
    assert cli("p.jsonl", "-q")[2] == ""


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [A, B, "--require", "sam"],
            "--require is one of same, a_entails_b, b_entails_a, contradiction, different; got "
            "'sam' (did you mean 'same'?)",
        ),
        ([A, B, "-f", "xml"], "--format is one of table, jsonl, tsv, html; got 'xml'"),
        ([A, B, "--input-format", "tsv"], "--input-format goes with files, not with two texts"),
        (
            ["p.jsonl", B],
            "p.jsonl is a file and 'The dog sat on a mat.' is not; give two files, two texts, or "
            "one file of pairs",
        ),
        (
            [B, "p.jsonl:a"],
            "p.jsonl:a is a file and 'The dog sat on a mat.' is not; give two files, two texts, "
            "or one file of pairs",
        ),
        ([A], f"{A!r} is not a file; give two texts, two files, or a file of pairs"),
        (["p.jsonl", "-o", "./p.jsonl"], "p.jsonl is an input and would be written over"),
        (
            ["p.jsonl", "p.jsonl:a", "-o", "p.jsonl"],
            "p.jsonl is an input and would be written over",
        ),
        (
            ["p.jsonl", "-o", "x.csv"],
            "x.csv: the name tells no format; end it in one of .txt, .jsonl, .ndjson, .tsv, "
            ".html, or add -f",
        ),
        (["p.txt"], "p.txt: the name tells no format; pairs are read from jsonl or tsv"),
        ([A, B, "--device", "tpu"], "device must be cpu, cuda or cuda:N; got 'tpu'"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str], message: str, cli: Cli) -> None:
    write("p.jsonl", {"a": A, "b": B})
    write("p.txt", {"a": A, "b": B})
    before = sorted(Path().iterdir())
    assert cli(*arguments) == (2, "", f"error: {message}\n")
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "p.jsonl is empty: there are no rows in it"),
        ('{"a": "x"}\n', "p.jsonl, line 1: 'a' is there but 'b' is not"),
        ('{"a": "x", "b": 3}\n', "p.jsonl, line 1, b: text is needed; got 3"),
    ],
)
def test_bad_data_end_with_1_and_leave_no_file(content: str, message: str, cli: Cli) -> None:
    Path("p.jsonl").write_text(content)
    for output in ("out.jsonl", "out.txt", "out.html"):
        assert cli("p.jsonl", "-o", output) == (1, "", f"error: {message}\n")
        assert not Path(output).exists()


def test_what_cannot_be_written_is_refused_before_the_work(cli: Cli) -> None:
    code, out, err = cli(A, B, "-o", "no/such/out.jsonl")
    assert (code, out) == (1, "")
    assert err.startswith("error: cannot write no/such/out.jsonl: there is no folder")


def test_two_empty_files_are_refused(cli: Cli) -> None:
    for name in ("a.txt", "b.txt"):
        Path(name).write_text("")
    code, out, err = cli("a.txt", "b.txt")
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert "empty" in err


def test_missing_weights_end_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["judge", A, B, "--model", "./nowhere"]) == 1
    _, err = capsys.readouterr()
    assert err == "error: there is no directory './nowhere' to load a model from\n"
