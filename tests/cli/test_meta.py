"""`paraphrast meta` at the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paraphrast.cli.main import run


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("scores.jsonl").write_text(
        "".join(
            json.dumps({"item": str(n), "good": n, "bad": n * 7 % 10}) + "\n" for n in range(10)
        )
    )
    rows = [{"item": str(n), "dimension": "da", "value": n + n % 3 / 2} for n in range(10)]
    Path("ratings.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_correlate_prints_the_documented_json(files: Path, cli: Any) -> None:
    code, out, err = cli("meta", "correlate", "scores.jsonl", "ratings.jsonl", "-f", "json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["task"] == "ratings"
    assert result["level"] == "segment"
    best = result["rows"][0]
    assert best["metric"] == "good"
    assert best["statistic"] == "pearson"
    assert best["by"] == {"": best["value"]}
    assert best["ci"][0] <= best["value"] <= best["ci"][1]


@pytest.mark.parametrize("form", ["table", "csv", "markdown", "html"])
def test_every_format_names_every_metric(files: Path, cli: Any, form: str) -> None:
    arguments = ["meta", "correlate", "scores.jsonl", "ratings.jsonl", "-f", form, "-o", "out"]
    assert cli(*arguments)[0] == 0
    text = Path("out").read_text()
    assert "good" in text
    assert "bad" in text
    assert "nan" not in text.lower().replace("finance", "")


def test_tasks_are_listed_without_data(
    files: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARAPHRAST_DATA", str(files))
    code, out, _ = cli("meta", "tasks")
    assert code == 0
    assert any(line.split()[:2] == ["wmt17", "segment"] for line in out.splitlines())
    assert "missing" in out
    code, _, err = cli("meta", "run", "wmt17", "-m", "bleu")
    assert code == 1
    assert "name the folder that holds it with --data, or set PARAPHRAST_DATA" in err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run", "wmt71", "-m", "bleu"], 2, "did you mean 'wmt17'"),
        (["run", "wmt17", "-m", "blue"], 2, "did you mean 'bleu'"),
        (["run", "wmt17"], 2, "no metric to judge"),
        (["run", "wmt17", "-m", "bleu", "-f", "xml"], 2, "--format is one of"),
        (["correlate", "gone.jsonl", "ratings.jsonl"], 1, "gone.jsonl"),
        (["correlate", "scores.jsonl", "ratings.jsonl", "--missing", "x"], 2, "--missing is"),
        (["correlate", "scores.jsonl", "ratings.jsonl", "--column", "x"], 2, "OURS=THEIRS"),
        (["correlate", "scores.jsonl", "ratings.jsonl", "--lower", "x"], 2, "no metric 'x'"),
        (["correlate", "scores.jsonl", "ratings.jsonl", "--level", "x"], 2, "level must be one of"),
        (["correlate", "scores.jsonl", "ratings.jsonl", "--dimension", "x"], 1, "nobody rated 'x'"),
        (["compare", "wmt17", "bleu", "bleu"], 2, "compared with itself"),
        (["correlate", "scores.jsonl", "ratings.jsonl", "-o", "scores.jsonl"], 2, "is an input"),
    ],
)
def test_bad_requests(files: Path, cli: Any, arguments: list[str], code: int, message: str) -> None:
    found, out, err = cli("meta", *arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err
