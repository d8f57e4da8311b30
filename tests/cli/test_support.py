"""`paraphrast support`: what it prints, its formats, its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

SOURCE, TEXT = "The cat sat on the mat. He ran.", "He ran. Big dogs never said bad!"


@pytest.fixture
def cli(with_model: Callable[[str], Cli]) -> Cli:
    return with_model("support")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "s.txt").write_text(f"{SOURCE}\n{SOURCE}\n", encoding="utf-8")
    (tmp_path / "t.txt").write_text(f"{TEXT}\nHe ran.\n", encoding="utf-8")
    return "s.txt", "t.txt"


def test_two_texts(cli: Cli) -> None:
    code, out, err = cli(SOURCE, TEXT)
    assert (code, err) == (0, "")
    assert out.startswith("1 of 2 sentences follows from the source.")
    assert " 100 %  He ran." in out
    assert "not in the source: " in out
    assert "support|model:" in out


def test_files_name_what_is_not_supported(cli: Cli, files: tuple[str, str]) -> None:
    code, out, _ = cli(*files)
    assert code == 0
    assert out.startswith("row 1: 1 of 2 sentences follows")
    assert "row 2" not in out
    assert "2 texts, 3 sentences, 1 not supported; faithfulness 0." in out


def test_formats(cli: Cli, files: tuple[str, str]) -> None:
    lines = [json.loads(line) for line in cli(*files, "-f", "jsonl")[1].splitlines()]
    assert [line["row"] for line in lines] == [1, 2]
    assert [claim["supported"] for claim in lines[0]["claims"]] == [True, False]
    header, *rows = cli(*files, "-f", "tsv")[1].splitlines()
    assert header.split("\t")[:4] == ["row", "sentence", "text", "probability"]
    assert len(rows) == 3
    assert cli(*files, "-o", "out.jsonl")[0] == 0
    assert [json.loads(x) for x in Path("out.jsonl").read_text().splitlines()] == lines


def test_required_support(cli: Cli, files: tuple[str, str]) -> None:
    code, _, err = cli(*files, "--require")
    assert code == 3
    assert "1 of 2 texts are not supported: row 1" in err
    assert cli(SOURCE, "He ran.", "--require")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("s.txt", TEXT), "give two files or two texts"),
        ((SOURCE, TEXT, "--chunk", "0"), "chunk must be at least 1"),
        ((SOURCE, TEXT, "-f", "html"), "--format is one of"),
        ((SOURCE, TEXT, "--input-format", "txt"), "goes with files"),
    ],
)
def test_wrong_usage(
    cli: Cli, files: tuple[str, str], arguments: tuple[str, ...], says: str
) -> None:
    code, _, err = cli(*arguments)
    assert code == 2
    assert says in err
