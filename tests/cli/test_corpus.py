"""`paraphrast corpus`: evaluate and verify."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from paraphrast.cli.corpus import app
from paraphrast.corpora.build.corpus_files import write_corpus
from paraphrast.corpora.build.manifest import Provenance, write_manifest
from paraphrast.errors import ConfigError, ParaphrastError
from paraphrast.jobs.corpus import evaluate_corpora

Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["folder/paraphrast", "corpus", "two words"])
    rows = ["text1\ttext2\tlabel\tsecond", "a b\ta b\t1\t1", "a b\ta c\t0\t1", "a b\tc d\t0\t0"]
    Path("pairs.tsv").write_text("\n".join(rows) + "\n")

    def call(*arguments: str) -> tuple[int, str, str]:
        code = 0
        try:
            app(args=list(arguments), prog_name="paraphrast corpus", standalone_mode=False)
        except ParaphrastError as error:
            code = 2 if isinstance(error, ConfigError) else 1
            return code, capsys.readouterr().out, str(error)
        return code, *capsys.readouterr()

    return call


def test_python_and_cli_are_one_door(cli: Cli) -> None:
    code, out, _ = cli("evaluate", "pairs.tsv", "--other-label", "second", "-f", "json")
    assert code == 0
    found = json.loads(out)
    assert found.pop("command") == "paraphrast corpus 'two words'"
    wanted = evaluate_corpora(["pairs.tsv:other_label=second"]).to_dict()
    assert wanted.pop("command") == ""
    assert found == json.loads(json.dumps(wanted))


def test_formats_follow_the_name_of_the_output(cli: Cli) -> None:
    starts = {"x.html": "<!doctype html>", "x.json": "{", "x.md": "# Labelled", "x.txt": "corpus "}
    for name, start in starts.items():
        assert cli("evaluate", "pairs.tsv", "-o", name) == (0, "", "")
        assert Path(name).read_text(encoding="utf-8").startswith(start)
    assert cli("evaluate", "pairs.tsv")[1] == Path("x.txt").read_text()


def test_wrong_usage_is_told_before_work(cli: Cli) -> None:
    assert cli("evaluate", "pairs.tsv", "-f", "pdf") == (
        2, "", "--format is one of table, json, markdown, html; got 'pdf'",
    )  # fmt: skip
    assert cli("evaluate", "pairs.tsv", "-o", "pairs.tsv")[::2] == (
        2, "pairs.tsv is an input and would be written over",
    )  # fmt: skip
    code, _, said = cli("evaluate", "pairs.tsv", "-o", "out.csv")
    assert (code, said.partition(";")[0]) == (2, "out.csv: the name tells no format")
    code, _, said = cli("evaluate", "pairs.tsv", "--label", "lable")
    assert (code, said) == (
        1,
        "pairs.tsv: no column 'lable' (did you mean 'label'?); it has: text1, text2, label, second",
    )


def test_verify(cli: Cli) -> None:
    made = Provenance(recipe="x", recipe_sha256="00", seed=1)
    write_manifest("out", write_corpus("out", [{"id": "1", "text1": "a", "text2": "b"}], made))
    assert cli("verify", "out") == (0, "out: as it was built (files: 1, pairs: 1)\n", "")
    Path("out/more.txt").touch()
    assert cli("verify", "out")[2] == "note: more.txt is not in the manifest\n"
    Path("out/pairs.jsonl").write_text("")
    code, _, said = cli("verify", "out")
    assert code == 1
    assert said.startswith("out is not as it was built: pairs.jsonl was altered: 0 bytes instead")
