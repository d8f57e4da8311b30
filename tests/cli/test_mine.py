"""`paraphrast mine`: files in, pairs out, notes on standard error."""

from __future__ import annotations

import gzip
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import paraphrast
from paraphrast.cli.main import run
from paraphrast.io import write_table
from tests.embedders import make_embedder
from tests.encoders import WORDS

CODE = "from paraphrast.cli.main import main; main()"
TEXTS = ["the cat sat on the mat", "a dog ran home", "the cat sat on a mat", "a big dog ran home"]
Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_embedder(tmp_path_factory.mktemp("embedder")))


@pytest.fixture
def cli(
    embedder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Cli:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("".join(f"{text}\n" for text in TEXTS))

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(["mine", "--model", embedder, "--threads", "1", *arguments])
        return code, *capsys.readouterr()

    return call


def test_python_and_cli_are_one_door(cli: Cli, embedder: str) -> None:
    code, out, err = cli("a.txt", "-t", "0.3", "-k", "2")
    assert (code, err) == (0, "")
    found = paraphrast.mine(TEXTS, threshold=0.3, top_k=2, model=embedder, threads=1)
    assert [json.loads(line) for line in out.splitlines()] == [pair.to_dict() for pair in found]
    assert len(found) > 1


def test_two_files(cli: Cli, embedder: str) -> None:
    Path("b.txt").write_text("\n".join(TEXTS[2:]))
    code, out, err = cli("a.txt", "b.txt", "-t", "0")
    found = paraphrast.mine(TEXTS, TEXTS[2:], threshold=0, model=embedder, threads=1)
    assert [json.loads(line) for line in out.splitlines()] == [pair.to_dict() for pair in found]
    assert (code, err) == (
        0,
        "note: left out 2 pairs equal but for case, white space and punctuation; --keep-trivial "
        "keeps them\n",
    )
    assert cli("a.txt", "b.txt", "-t", "0", "-q")[2] == ""


def test_every_kind_of_input_gives_the_same(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = cli("a.txt", "-t", "0.3")[1]
    rows = [{"id": str(number), "s": text} for number, text in enumerate(TEXTS)]
    for name in ("a.tsv", "a.jsonl", "a.parquet", "b.jsonl.gz"):
        write_table(name, rows)
        assert cli(name, "--column", "s", "-t", "0.3") == (0, expected, ""), name
    assert cli("a.tsv:s", "-t", "0.3")[1] == expected
    write_table("c.jsonl", [{"text": text} for text in TEXTS])
    assert cli("c.jsonl", "-t", "0.3")[1] == expected

    class Stdin:
        closed = False
        buffer = io.BufferedReader(io.BytesIO(Path("a.txt").read_bytes()))  # type: ignore[arg-type]

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert cli("-", "-t", "0.3")[1] == expected


def test_null_is_an_empty_text_and_a_list_an_error(cli: Cli) -> None:
    write_table("a.jsonl", [{"text": text} for text in [*TEXTS, None]])
    code, _, err = cli("a.jsonl")
    assert (code, err) == (0, "note: a.jsonl: left out 1 empty text\n")
    write_table("a.jsonl", [{"text": text} for text in ["a cat", ["a", "dog"]]])
    assert cli("a.jsonl") == (1, "", "error: a.jsonl, row 2: one text is needed, not a list\n")


def test_output_goes_to_a_file_in_the_format_asked_for(cli: Cli) -> None:
    _, lines, _ = cli("a.txt", "-t", "0.3")
    assert cli("a.txt", "-t", "0.3", "-o", "p.jsonl.gz") == (0, "", "")
    with gzip.open("p.jsonl.gz", "rt") as file:
        assert file.read() == lines
    assert cli("a.txt", "-t", "0.3", "-o", "p.tsv") == (0, "", "")
    assert Path("p.tsv").read_text().startswith("score\ta\tb\trow_a\trow_b\n0.")
    assert cli("a.txt", "-t", "0.3", "-f", "tsv")[1] == Path("p.tsv").read_text()
    assert sorted(path.name for path in Path().iterdir()) == ["a.txt", "p.jsonl.gz", "p.tsv"]


def test_nothing_found_is_said(cli: Cli) -> None:
    assert cli("a.txt", "-t", "1") == (0, "", "note: no pair reaches the threshold of 1\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["no.txt"], 1, "cannot read no.txt: No such file or directory"),
        (["a.txt", "no.txt"], 1, "cannot read no.txt: No such file or directory"),
        (
            ["one.txt"],
            1,
            "one.txt: of 1 text, 1 can be mined (empty, repeated and very long ones "
            "and those without a known sub-word are left out); a pair takes two",
        ),
        (["empty.txt"], 1, "empty.txt is empty: there are no rows in it"),
        (["a.txt", "./a.txt"], 2, "a.txt is given twice; to mine inside it, name it once"),
        (["-", "-"], 2, "standard input is given twice; to mine inside it, name it once"),
        (["a.txt", "-k", "0"], 2, "top_k must be a whole number, at least 1; got 0"),
        (
            ["a.txt", "-t", "1.2"],
            2,
            "threshold must be a cosine from 0 to 1, for example 0.8; got 1.2",
        ),
        (
            ["a.txt", "--search", "fast"],
            2,
            "unknown search 'fast'; one of exact, approximate is needed",
        ),
        (["a.txt", "-o", "a.txt", "-f", "tsv"], 2, "a.txt is an input and would be written over"),
        (["a.txt", "-f", "xml"], 2, "unknown format 'xml'; one of jsonl, tsv is needed"),
        (
            ["a.txt", "-o", "p.txt"],
            2,
            "p.txt: the name tells no table format; end it in .jsonl, .tsv, .csv or .parquet, or "
            "give the format",
        ),
        (
            ["a.txt", "--column", "text"],
            2,
            "a.txt: a text file has no column 'text'; if it is a table, name its format: tsv, "
            "csv, jsonl or parquet",
        ),
    ],
)
def test_mistakes_are_named_and_leave_nothing(
    arguments: list[str], code: int, message: str, cli: Cli
) -> None:
    Path("one.txt").write_text("a cat\n")
    Path("empty.txt").write_text("")
    before = sorted(Path().iterdir())
    assert cli(*arguments) == (code, "", f"error: {message}\n")
    assert sorted(Path().iterdir()) == before


def test_a_model_of_the_wrong_kind_ends_with_1(
    cli: Cli, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["mine", "a.txt", "--model", model]) == 1
    assert "embedder" in capsys.readouterr().err
    assert run(["mine", "a.txt", "--model", "minillm"]) == 2


def test_other_texts_in_a_work_folder_end_with_1(cli: Cli) -> None:
    assert cli("a.txt", "--work", "w")[0] == 0
    Path("b.txt").write_text("\n".join(TEXTS[:3]))
    code, out, err = cli("b.txt", "--work", "w")
    assert (code, out) == (1, "")
    assert err.startswith("error: w was made from a.txt (4 texts, sha256 ")
    assert "not from b.txt (3 texts, sha256 " in err
    assert err.endswith("; give another --work folder, or remove this one\n")


def test_a_killed_run_goes_on_in_its_folder(cli: Cli, embedder: str) -> None:
    texts = [f"{a} {b} {c}" for a in WORDS[:30] for b in WORDS[:20] for c in WORDS[:10]]
    Path("big.txt").write_text("\n".join(texts))
    small = (  # shards, so that there are many to be killed between
        "import functools, paraphrast.jobs.mine as job; "
        "job.How = functools.partial(job.How, shard=500); "
    )
    options = ["-t", "0.99", "-k", "1"]
    arguments = ["mine", "big.txt", "--model", embedder, "--threads", "1", *options]
    process = subprocess.Popen(
        [sys.executable, "-c", small + CODE, *arguments, "--work", "w", "-o", "p.jsonl"]
    )
    while process.poll() is None and not Path("w/first/shard-00001.npy").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not Path("p.jsonl").exists()
    code, out, err = cli("big.txt", *options, "--work", "w")
    assert code == 0
    assert "shards were there already" in err
    assert out == cli("big.txt", *options)[1] != ""


def test_a_terminal_shows_progress(cli: Cli, embedder: str) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen:
        done = subprocess.run(
            [sys.executable, "-c", CODE, "mine", "a.txt", "--model", embedder, "-t", "0.3"],
            stdout=subprocess.PIPE,
            stderr=theirs,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
            check=True,
        )
        os.close(theirs)
        shown = screen.read(1 << 16).decode()
    assert done.stdout.startswith(b'{"score": 0.')
    assert "embedding" in shown
    assert "of 4 texts" in shown


def test_safe_cells_for_spreadsheets(cli: Cli) -> None:
    Path("f.txt").write_text("= the cat sat on the mat\n@ the cat sat on a mat\n")
    _, out, _ = cli("f.txt", "-t", "0", "-f", "tsv", "--safe-cells")
    assert "\t'= the cat sat on the mat\t'@ the cat sat on a mat\t" in out
    _, out, _ = cli("f.txt", "-t", "0", "-f", "tsv")
    assert "\t= the cat sat on the mat\t@ the cat sat on a mat\t" in out
