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
    code, out, err = cli("meta", "tasks")
    assert (code, err) == (0, "")
    assert (
        "the data folder nope (--data) does not exist" in cli("meta", "tasks", "--data", "nope")[2]
    )
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
        (["correlate", "scores.jsonl", "ratings.jsonl", "--dimension", "x"], 2, "nobody rated 'x'"),
        (["correlate", "scores.jsonl", "ratings.jsonl", "--threshold", "-5"], 2, "got -5"),
        (["correlate", "scores.jsonl", "ratings.jsonl", "--threshold", "nan"], 2, "got nan"),
        (["compare", "wmt17", "bleu", "bleu"], 2, "compared with itself"),
        (["correlate", "scores.jsonl", "ratings.jsonl", "-o", "scores.jsonl"], 2, "is an input"),
        (["correlate", "scores.jsonl", "ratings.jsonl", "-o", "t.tex"], 2, "tells no format"),
        (["correlate", "scores.jsonl", "ratings.jsonl", "-o", "t.doc"], 2, "or add -f"),
        (["run", "wmt17", "-m", "bleu", "-o", "t.doc"], 2, "tells no format"),
        (["compare", "wmt17", "bleu", "ter", "-o", "t.csv"], 2, "end it in one of .txt, .json"),
        (["sizes", "wmt17", "-m", "bleu", "-o", "t.tex"], 2, "tells no format"),
        (["references", "wmt17", "more.jsonl", "-o", "t.tex"], 2, "tells no format"),
    ],
)
def test_bad_requests(files: Path, cli: Any, arguments: list[str], code: int, message: str) -> None:
    found, out, err = cli("meta", *arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ratings with their texts, and scores of the same outputs by two other metrics."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARAPHRAST_DATA", raising=False)
    words = "the old cat sat on a red mat by the door of our house".split()
    rows, scores = [], []
    for n in range(2, 12):
        for system, step in (("a", 1), ("b", 2)):
            text = " ".join(words[:n:step])
            row = {"item": str(n), "system": system, "candidate": text, "value": n / step}
            rows.append(row | {"references": [" ".join(words)]})
            scores.append({"item": str(n), "system": system, "x": n, "y": -n / step + n % 3})
    for name, many in (("mine.jsonl", rows), ("scores.jsonl", scores)):
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in many))
    Path("extra.jsonl").write_text(json.dumps({"item": "5", "references": ["the cat on red"]}))
    return tmp_path


def test_own_texts_can_be_run_compared_and_given_references(judged: Path, cli: Any) -> None:
    code, out, err = cli("meta", "run", "mine.jsonl", "-m", "chrf", "-q", "-f", "json")
    assert (code, err) == (0, "")
    assert json.loads(out)["rows"][0]["metric"] == "chrf"
    code, out, _ = cli("meta", "compare", "mine.jsonl", "chrf", "bleu", "--samples", "50")
    assert code == 0
    assert out.startswith("mine, segment level, pearson\n")
    code, out, _ = cli("meta", "references", "mine.jsonl", "extra.jsonl", "--samples", "50")
    assert code == 0
    assert "extra references" in out
    code, out, _ = cli("meta", "sizes", "mine.jsonl", "-m", "chrf", "--size", "10", "-f", "json")
    assert code == 0
    assert list(json.loads(out)["curves"]) == ["chrf"]


def test_own_scores_can_be_compared_and_sized(judged: Path, cli: Any) -> None:
    arguments = ["compare", "mine.jsonl", "x", "y", "--scores", "scores.jsonl", "--samples", "50"]
    code, out, err = cli("meta", *arguments, "--lower", "y", "-f", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["values"]["y"] > found["values"]["x"] > 0
    code, out, _ = cli("meta", "sizes", "mine.jsonl", "--scores", "scores.jsonl", "--size", "10")
    assert code == 0
    assert {line.split()[0] for line in out.splitlines()[2:]} == {"x", "y"}
    code, _, err = cli("meta", "compare", "mine.jsonl", "x", "z", "--scores", "scores.jsonl")
    assert code == 2
    assert "scores.jsonl: no metric 'z' in it; it has: x, y" in err


def test_the_page_of_sizes_says_what_it_shows(
    judged: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["meta", "sizes", "mine.jsonl", "-m", "chrf", "--size", "10", "-o", "curve.html"]
    monkeypatch.setattr("sys.argv", ["paraphrast", *arguments])
    assert cli(*arguments)[0] == 0
    page = Path("curve.html").read_text()
    assert "the bands go from the 5th to the 95th percentile of the subsets" in page
    assert "mean over 20 random subsets (seed 12345)" in page
    assert "paraphrast meta sizes mine.jsonl -m chrf --size 10" in page


def test_the_name_of_the_output_chooses_the_format(files: Path, cli: Any) -> None:
    arguments = ["meta", "correlate", "scores.jsonl", "ratings.jsonl", "-o"]
    starts = {"o.html": "<!doctype html>", "o.md": "# Meta", "o.csv": "task,", "o.json": "{"}
    for name, start in starts.items():
        assert cli(*arguments, name)[0] == 0
        assert Path(name).read_text().startswith(start)
    code, _, err = cli("meta", "sizes", "ratings.jsonl", "--scores", "scores.jsonl", "-o", "x.csv")
    assert code == 2
    assert "x.csv: the name tells no format that is written here" in err


def test_several_score_files_and_pairwise_p(files: Path, cli: Any) -> None:
    Path("more.tsv").write_text("item\tmore\n" + "".join(f"{n}\t{n % 4}\n" for n in range(10)))
    code, out, _ = cli(
        *("meta", "correlate", "scores.jsonl", "more.tsv", "ratings.jsonl", "-f", "json")
    )
    assert code == 0
    p = json.loads(out)["p"]["pearson"]
    assert set(p["metrics"]) == {"good", "bad", "more"}
    assert [len(row) for row in p["matrix"]] == [3, 3, 3]


def test_the_data_folder_can_be_named(
    files: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PARAPHRAST_DATA", raising=False)
    code, _, err = cli("meta", "run", "wmt17", "-m", "bleu")
    assert code == 2
    assert "no data folder: name it with --data, or set PARAPHRAST_DATA" in err
    code, _, err = cli("meta", "run", "wmt17", "-m", "bleu", "--data", "here")
    assert code == 1
    assert "is not under here" in err


def test_a_column_of_segments_names_the_items(files: Path, cli: Any) -> None:
    rows = [f"{n},{n + n % 3 / 2}\n" for n in range(10)]
    Path("ratings.csv").write_text("".join(["segment,value\n", *rows]))
    code, out, _ = cli("meta", "correlate", "scores.jsonl", "ratings.csv", "-f", "json")
    assert code == 0
    assert json.loads(out)["rows"][0]["metric"] == "good"
    Path("ratings.csv").write_text("".join(["place,value\n", *rows]))
    code, _, err = cli("meta", "correlate", "scores.jsonl", "ratings.csv")
    assert code == 1
    assert "no column 'item' (or 'segment') or 'system'" in err
    assert "it has: place, value" in err


def test_mirror_images_are_compared_without_williams(files: Path, cli: Any) -> None:
    rows = [{"item": str(n), "a": n * 7 % 10, "mirrored": -(n * 7 % 10)} for n in range(10)]
    Path("two.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["compare", "ratings.jsonl", "a", "mirrored", "--scores", "two.jsonl"]
    code, out, _ = cli("meta", *arguments, "-f", "json")
    found = json.loads(out)
    assert code == 0
    assert found["by"][""]["williams"] is None
    assert 0 < found["p"]["bootstrap"] <= 1
    assert 0 < found["p"]["permutation"] <= 1
    assert any("mirror image" in note for note in found["notes"])


def test_a_data_folder_that_does_not_exist_is_named(
    files: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARAPHRAST_DATA", "/nope")
    code, out, err = cli("meta", "tasks")
    assert (code, "wmt17" in out) == (0, True)
    assert "the data folder /nope (PARAPHRAST_DATA) does not exist" in err
    assert "gone (--data) does not exist" in cli("meta", "tasks", "--data", "gone")[2]
    assert cli("meta", "tasks", "--data", ".")[2] == ""
    monkeypatch.delenv("PARAPHRAST_DATA")
    assert "no data folder is named" in cli("meta", "tasks")[2]
