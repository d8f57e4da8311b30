"""`paraphrast study`: pairs in, a table, JSON or a page out."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from paraphrast.cli.main import run
from paraphrast.studies.decoding.decoding_settings import PRESETS, StudyOptions
from paraphrast.studies.decoding.decoding_study import run_decoding_study
from tests.encoders import make_encoder
from tests.generators import make_generator

Cli = Callable[..., tuple[int, str, str]]

PAIRS = [
    ("the cat sat on the mat", "a cat lay on the rug"),
    ("the dog ran to <b>Paris</b> & London", "he ran to Paris"),
]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The directories of a small generator and a small encoder."""
    folder = tmp_path_factory.mktemp("study")
    return str(make_generator(folder / "generator")), str(make_encoder(folder / "encoder"))


@pytest.fixture
def cli(
    models: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Cli:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["folder/paraphrast", "study", "two words"])
    rows = [{"text1": a, "text2": b} for a, b in PAIRS]
    Path("pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    generator, encoder = models

    def call(*arguments: str) -> tuple[int, str, str]:
        given = ["--model", generator, "--judge", encoder, "--threads", "1"]
        code = run(["study", "decoding", *given, *arguments])
        return code, *capsys.readouterr()

    return call


def test_python_and_cli_are_one_door(cli: Cli, models: tuple[str, str]) -> None:
    code, out, err = cli(
        "pairs.jsonl", "--settings", "greedy, top-k", "--work", "work", "-f", "json"
    )
    assert (code, err) == (0, "")
    options = StudyOptions(
        model=models[0],
        judge=models[1],
        settings=["greedy", "top-k"],
        threads=1,
        work="work",  # whose pools hold how long decoding took, too
    )
    found = json.loads(out)
    assert found.pop("command") == "paraphrast study 'two words'"
    wanted = run_decoding_study("pairs.jsonl", options).to_dict()
    assert wanted.pop("command") == ""
    assert found == json.loads(json.dumps(wanted))
    assert [row["setting"] for row in found["rows"]] == ["human", "greedy", "top-k"]
    assert found["rows"][1]["decoding"]["method"] == "greedy"


def test_the_table(cli: Cli) -> None:
    code, out, _ = cli("pairs.jsonl", "--settings", "greedy", "--no-protect")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "pairs.jsonl: 2 pairs"
    assert "names and numbers not protected, no floor" in lines[1]
    assert lines[3].split()[:3] == ["setting", "BLEU", "TER"]
    assert [line.split()[0] for line in lines[4:]] == ["human", "greedy"]


class _Page(HTMLParser):
    """Counts tags, and sees that each that opens closes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page(cli: Cli) -> None:
    code, out, _ = cli("pairs.jsonl", "--settings", "greedy,top-k", "-o", "report.html")
    assert (code, out) == (0, "")
    text = Path("report.html").read_text(encoding="utf-8")
    page = _Page()
    page.feed(text)
    assert page.open == []
    # bars, a histogram for each of three rows, the plane
    assert page.seen.count("svg") == 5
    assert "script" not in page.seen
    assert "&lt;b&gt;Paris&lt;/b&gt; &amp; London" in text
    assert "Outputs to read" in text


def test_the_format_is_that_of_the_name(cli: Cli) -> None:
    assert cli("pairs.jsonl", "--settings", "greedy", "-o", "r.json")[0] == 0
    assert json.loads(Path("r.json").read_text())["pairs"] == 2
    assert cli("pairs.jsonl", "--settings", "greedy", "-o", "r.txt", "--limit", "1")[0] == 0
    assert Path("r.txt").read_text().startswith("pairs.jsonl: 1 pairs")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["missing.jsonl"], 1, "cannot read missing.jsonl"),
        (["pairs.jsonl", "--settings", "beem"], 2, "did you mean 'beam'"),
        (["pairs.jsonl", "-f", "xml"], 2, "--format is one of table, json, html"),
        (["pairs.jsonl", "-o", "pairs.jsonl"], 2, "would be written over"),
        (["pairs.jsonl", "--source", "txt1"], 1, "no column 'txt1' (did you mean 'text1'?)"),
        (["pairs.jsonl", "--floor", "2"], 2, "floor=2.0 is wrong"),
    ],
)
def test_wrong_usage(cli: Cli, arguments: list[str], code: int, says: str) -> None:
    found, out, err = cli(*arguments)
    assert (found, out) == (code, "")
    assert err.startswith("error: ")
    assert says in err


def test_settings_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["study", "settings", "-f", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["setting"] for row in rows] == list(PRESETS)
    assert run(["study", "settings"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["setting", *PRESETS]
    assert run(["study", "settings", "-f", "html"]) == 2
