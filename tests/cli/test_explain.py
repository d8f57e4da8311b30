"""`paraphrast explain`: a table, JSON, Markdown or a page of one pair."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paraphrast
from paraphrast.cli.main import run
from tests.encoders import make_encoder

REFERENCE, CANDIDATE = "The cat sat on the mat.", "The dog sat on a mat."
Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], model: str, tmp_path: Path, monkeypatch: Any) -> Cli:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(["explain", "--model", model, "--threads", "1", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_python_and_cli_are_one_door(cli: Cli, model: str) -> None:
    found = paraphrast.explain(REFERENCE, CANDIDATE, model=model, threads=1)
    code, out, err = cli(REFERENCE, CANDIDATE, "-f", "json")
    assert (code, err) == (0, "")
    assert json.loads(out) == found.to_dict()
    assert cli(REFERENCE, CANDIDATE) == (0, f"{found}\n", "")


def test_the_table_has_everything_side_by_side(cli: Cli) -> None:
    _, out, _ = cli(REFERENCE, CANDIDATE)
    lines = out.splitlines()
    assert lines[:3] == [
        "reference  The [cat] sat on the mat.",
        "candidate  The [dog] sat on [a] mat.",
        "[word]: the other text does not say it",
    ]
    heads = [line.split("  ")[0] for line in lines[4:10]]
    assert heads == [
        *("score", "reference ⇒ candidate", "candidate ⇒ reference"),
        *("candidate's words", "reference's words", "all words"),
    ]
    assert "of human ratings (WMT16 validation split)" in lines[4]
    for metric in ("sentence_bleu ↑", "chrf++ ↑", "ter ↓", "rougeL ↑", "pinc ↑"):
        assert any(line.startswith(metric) for line in lines)


def test_markdown_and_files(cli: Cli) -> None:
    code, out, _ = cli(REFERENCE, CANDIDATE, "-f", "markdown", "--html", "page.html")
    assert code == 0
    assert "| reference | The <b>cat</b> sat on the mat. |" in out
    assert "| metric | value |" in out
    assert cli(REFERENCE, CANDIDATE, "-f", "markdown", "-o", "pair.md") == (0, "", "")
    assert Path("pair.md").read_text() == out
    page = Path("page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "reference ⇒ candidate" in page


def test_quiet_leaves_the_notes_out(cli: Cli) -> None:
    assert "\nnote: " in cli("猫", "犬")[1]
    assert "\nnote: " not in cli("猫", "犬", "-q")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-f", "xml"], "--format is one of table, json, markdown; got 'xml'"),
        (["-o", "x", "--html", "x"], "-o and --html name the same file"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str], message: str, cli: Cli) -> None:
    assert cli(REFERENCE, CANDIDATE, *arguments) == (2, "", f"error: {message}\n")


def test_one_text_is_not_enough(cli: Cli) -> None:
    code, _, err = cli(REFERENCE)
    assert code == 2
    assert "Missing argument 'CANDIDATE'" in err


def test_missing_weights_end_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", REFERENCE, CANDIDATE, "--model", "./nowhere"]) == 1
    _, err = capsys.readouterr()
    assert err == "error: there is no directory './nowhere' to load a model from\n"
