"""`paraphrast explain`: a table, JSON, Markdown or a page of one pair."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import paraphrast
from paraphrast.cli.main import run

REFERENCE, CANDIDATE = "The cat sat on the mat.", "The dog sat on a mat."
Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cli(with_model: Callable[[str], Cli]) -> Cli:
    return with_model("explain")


def test_python_and_cli_are_one_door(cli: Cli, model: str) -> None:
    found = paraphrast.explain(REFERENCE, CANDIDATE, model=model, threads=1)
    code, out, err = cli(REFERENCE, CANDIDATE, "-f", "json")
    assert (code, err) == (0, "")
    assert json.loads(out) == found.to_dict()
    assert cli(REFERENCE, CANDIDATE) == (0, f"{found}\n", "")


def test_the_table_begins_with_the_verdict(cli: Cli) -> None:
    _, out, _ = cli(REFERENCE, CANDIDATE)
    lines = out.splitlines()
    assert lines[0].endswith(" % sure)")
    assert lines[2:5] == [
        "reference  The [cat] sat on the mat.",
        "candidate  The [dog] sat on [a] mat.",
        "[word]: the other text does not say it",
    ]
    heads = ["reference ⇒ candidate", "candidate ⇒ reference", "ParaBLEU"]
    heads += ["sentence_bleu ↑", "chrf++ ↑", "ter ↓", "rougeL ↑", "pinc ↑", "paratag ↑"]
    found = [line.split("  ")[0] for line in lines]
    places = [found.index(head) for head in heads]
    assert places == sorted(places)
    assert "of human ratings (WMT16 validation split)" in lines[places[2]]


def test_markdown_and_files(cli: Cli) -> None:
    code, out, _ = cli(REFERENCE, CANDIDATE, "-f", "markdown", "--html", "page.html")
    assert code == 0
    assert "| reference | The <b>cat</b> sat on the mat. |" in out
    assert out.startswith("**")
    assert "| metric | value |" in out
    assert cli(REFERENCE, CANDIDATE, "-f", "markdown", "-o", "pair.md") == (0, "", "")
    assert Path("pair.md").read_text() == out
    page = Path("page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "reference ⇒ candidate" in page
    assert "What the judge answers." in page
    assert "paratag ↑" in page


def test_quiet_leaves_the_notes_out(cli: Cli) -> None:
    assert "\nnote: " in cli("猫", "犬")[1]
    assert "\nnote: " not in cli("猫", "犬", "-q")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-f", "xml"], "--format is one of table, json, markdown; got 'xml'"),
        (["-o", "x.html"], "x.html: --html x.html writes a page, -o does not"),
        (
            ["-o", "x.csv"],
            "x.csv: the name tells no format; end it in one of .txt, .json, .md, .markdown, or "
            "add -f",
        ),
        (["-o", "x", "--html", "x"], "-o and --html name the same file"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str], message: str, cli: Cli) -> None:
    assert cli(REFERENCE, CANDIDATE, *arguments) == (2, "", f"error: {message}\n")


def test_the_name_of_the_file_tells_the_format(cli: Cli) -> None:
    assert cli(REFERENCE, CANDIDATE, "-o", "pair.json") == (0, "", "")
    assert Path("pair.json").read_text() == cli(REFERENCE, CANDIDATE, "-f", "json")[1]


def test_one_text_is_not_enough(cli: Cli) -> None:
    code, _, err = cli(REFERENCE)
    assert code == 2
    assert "Missing argument 'CANDIDATE'" in err


def test_missing_weights_end_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", REFERENCE, CANDIDATE, "--model", "./nowhere"]) == 1
    _, err = capsys.readouterr()
    assert err == "error: there is no directory './nowhere' to load a model from\n"
