"""`paraphrast tag`: two texts or a file in; marks, JSONL, a page or a judgement out."""

from __future__ import annotations

import gzip
import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import paraphrast
from paraphrast.cli.main import run
from paraphrast.errors import InputError
from tests.encoders import make_encoder

A, B = "The cat sat on the mat.", "The dog sat on a mat."
LEGEND = "[word]: the other text does not say it\n"
GOLD = {"id": "g", "tokens1": ["the", "cat"], "tokens2": ["the"], "tags1": [0, 1], "tags2": [0]}
Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cli(with_model: Callable[[str], Cli]) -> Cli:
    return with_model("tag")


def write(name: str, *rows: object) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_two_texts_with_brackets_where_there_is_no_terminal(cli: Cli) -> None:
    expected = f"a  The [cat] sat on the mat.\nb  The [dog] sat on [a] mat.\n\n{LEGEND}"
    assert cli(A, B) == (0, expected, "")


def in_terminal(*arguments: str, **environment: str) -> str:
    """Run the command with a terminal for its standard output and return what it shows."""
    ours, theirs = pty.openpty()
    code = "from paraphrast.cli.main import main; main()"
    env = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    with os.fdopen(ours, "rb", buffering=0) as screen:
        subprocess.run(
            [sys.executable, "-c", code, *arguments],
            stdout=theirs,
            env=env | {"TERM": "xterm"} | environment,
            check=True,
        )
        os.close(theirs)
        return screen.read(1 << 16).decode().replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_underline(model: str) -> None:
    arguments = ["tag", A, B, "--model", model, "--threads", "1"]
    shown = in_terminal(*arguments)
    assert "a  The \x1b[1;4;31mcat\x1b[0m sat on the mat.\n" in shown
    assert shown.endswith("\x1b[1;4;31mword\x1b[0m: the other text does not say it\n")
    assert in_terminal(*arguments, NO_COLOR="1").endswith(LEGEND)


def test_python_and_cli_are_one_door(cli: Cli, model: str) -> None:
    code, out, err = cli(A, B, "-f", "jsonl")
    assert (code, err) == (0, "")
    assert json.loads(out) == paraphrast.tag(A, B, model=model, threads=1).to_dict()


def test_a_file_keeps_ids_and_given_words(cli: Cli, model: str) -> None:
    write("p.jsonl", {"id": "x", "text1": A, "text2": B}, GOLD)
    code, out, err = cli("p.jsonl", "-f", "jsonl")
    assert (code, err) == (0, "")
    first, second = map(json.loads, out.splitlines())
    assert first == {"id": "x"} | paraphrast.tag(A, B, model=model, threads=1).to_dict()
    assert second["a"]["words"] == ["the", "cat"]
    code, out, _ = cli("p.jsonl")
    assert out.startswith("x\na  The [cat] sat on the mat.\nb  The [dog] sat on [a] mat.\n\ng\n")
    assert out.count(LEGEND) == 1


def test_standard_input_is_jsonl_unless_said(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        closed = False

        def __init__(self, content: bytes) -> None:
            self.buffer = io.BufferedReader(io.BytesIO(content))  # type: ignore[arg-type]

    monkeypatch.setattr(sys, "stdin", Stdin(json.dumps({"a": A, "b": B}).encode()))
    by_jsonl = cli("-")
    monkeypatch.setattr(sys, "stdin", Stdin(f"a\tb\n{A}\t{B}\n".encode()))
    assert by_jsonl == cli("-", "--input-format", "tsv") == cli(A, B)


def test_output_goes_to_a_file_in_the_format_of_its_name(cli: Cli) -> None:
    write("p.jsonl", {"a": A, "b": B})
    assert cli("p.jsonl", "-o", "out.jsonl.gz") == (0, "", "")
    with gzip.open("out.jsonl.gz", "rt") as lines:
        assert lines.read() == cli("p.jsonl", "-f", "jsonl")[1]
    assert cli(A, B, "-o", "out.txt") == (0, "", "")
    assert Path("out.txt").read_text() == cli(A, B)[1] == cli(A, B, "-o", "-")[1]


def test_a_judgement_beside_the_baseline(cli: Cli) -> None:
    write("g.jsonl", GOLD)
    code, out, err = cli("g.jsonl", "--gold")
    assert (code, err) == (0, "")
    assert out == (
        "tag 1                            precision  recall     F1\n"
        "tagger                               1.000   1.000  1.000\n"
        "word absent from the other text      1.000   1.000  1.000\n"
        "\n"
        "1 pair, 3 words, 1 of them to be tagged 1\n"
    )
    code, out, _ = cli("g.jsonl", "--gold", "-f", "jsonl")
    assert json.loads(out)["baseline"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    code, judged, _ = cli("g.jsonl", "--gold", "-o", "tags.jsonl")
    assert judged.startswith("tag 1 ")
    assert json.loads(Path("tags.jsonl").read_text())["a"]["tags"] == [0, 1]


def test_a_page_is_written_beside(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "<script>alert(1)</script> cat"
    write("g.jsonl", GOLD | {"id": hostile}, GOLD)
    assert cli("g.jsonl", "--gold", "--html", "page.html")[0] == 0
    page = Path("page.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "word absent from the other text" in page
    monkeypatch.setattr("paraphrast.cli.tag._MOST_ON_A_PAGE", 1)
    cli("g.jsonl", "--html", "page.html")
    assert "The page shows the first 1 of 2 pairs." in Path("page.html").read_text()


def test_what_was_mended_or_windowed_is_noted_on_standard_error(cli: Cli) -> None:
    Path("p.jsonl").write_bytes(
        b"\xef\xbb\xbf" + json.dumps({"a": "cat " * 90, "b": "dog"}).encode()
    )
    code, out, err = cli("p.jsonl", "-f", "jsonl")
    assert code == 0
    assert list(json.loads(out)) == ["a", "b"]
    assert err == (
        "note: p.jsonl: removed a byte-order mark\n"
        "note: 1 pair was too long to be read at once, and read in windows: p.jsonl, line 1\n"
    )
    assert cli("p.jsonl", "-f", "jsonl", "-q")[2] == ""


def test_foreign_letters_are_a_note_not_a_warning(cli: Cli) -> None:
    code, _, err = cli("猫", "犬")
    assert code == 0
    assert err.startswith("note: 100% of the letters are of scripts that the weights")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no file"], "'no file' is not a file; give two texts, or a file of pairs (JSONL or TSV)"),
        ([A, B, "-f", "xml"], "--format is text or jsonl; got 'xml'"),
        ([A, B, "--gold"], "--gold goes with a file of pairs, not with two texts"),
        (
            [A, B, "--input-format", "tsv"],
            "--input-format goes with a file of pairs, not with two texts",
        ),
        (
            ["g.jsonl", "g.jsonl"],
            "g.jsonl and g.jsonl are files; give one file of pairs (text1, text2), or two texts",
        ),
        (["g.jsonl", "-o", "./g.jsonl"], "g.jsonl is an input and would be written over"),
        (["g.jsonl", "-o", "t.html"], "t.html: --html t.html writes a page, -o does not"),
        (
            ["g.jsonl", "-o", "t.csv"],
            "t.csv: the name tells no format; end it in one of .txt, .jsonl, .ndjson, or add -f",
        ),
        (["g.jsonl", "-o", "x", "--html", "x"], "-o and --html name the same file"),
        (["g.jsonl", "--html", "-"], "--html needs the name of a file"),
        (
            ["g.txt"],
            "g.txt: the name tells no format; pairs are read from jsonl or tsv",
        ),
        ([A, B, "--device", "tpu"], None),
        ([A, B, "--threads", "0"], None),
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str], message: str | None, cli: Cli) -> None:
    write("g.jsonl", GOLD)
    write("g.txt", GOLD)
    before = sorted(Path().iterdir())
    code, out, err = cli(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert message is None or err == f"error: {message}\n"
    assert sorted(Path().iterdir()) == before


def test_bad_data_end_with_1_and_leave_no_file(cli: Cli) -> None:
    write("g.jsonl", GOLD, GOLD | {"tags1": [1]})
    expected = "error: g.jsonl, line 2: tokens1 has 2 words but tags1 has 1 tags\n"
    assert cli("g.jsonl", "--gold", "-o", "out.jsonl") == (1, "", expected)
    assert not Path("out.jsonl").exists()
    write("n.jsonl", GOLD | {"tags1": [0, 0]})
    expected = "error: no word is to be tagged 1, so recall and F1 are undefined\n"
    assert cli("n.jsonl", "--gold") == (1, "", expected)
    code, _, err = cli(A, B, "-o", "no/such/out.jsonl")
    assert code == 1
    assert err.startswith("error: cannot write no/such/out.jsonl: there is no folder")


@pytest.mark.parametrize("name", ["out.jsonl", "out.txt"])
def test_a_judgement_that_fails_leaves_the_output_as_it_was(name: str, cli: Cli) -> None:
    nothing = GOLD | {"tags1": [0, 0]}
    write("n.jsonl", nothing, nothing)
    expected = "error: no word is to be tagged 1, so recall and F1 are undefined\n"
    before = sorted(Path().iterdir())
    arguments = ["n.jsonl", "--gold", "-o", name, "--html", "page.html"]
    assert cli(*arguments) == (1, "", expected)
    assert sorted(Path().iterdir()) == before
    Path(name).write_text("older\n")
    Path("page.html").write_text("older\n")
    assert cli(*arguments) == (1, "", expected)
    assert Path(name).read_text() == Path("page.html").read_text() == "older\n"


def test_a_page_that_cannot_be_written_leaves_the_output_as_it_was(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(text: str, path: str) -> None:
        raise InputError(f"cannot write {path}: No space left on device")

    monkeypatch.setattr("paraphrast.cli.tag.write_text", full)
    write("g.jsonl", GOLD)
    Path("out.jsonl").write_text("older\n")
    code, out, err = cli("g.jsonl", "--gold", "-o", "out.jsonl", "--html", "page.html")
    assert (code, out) == (1, "")
    assert err == "error: cannot write page.html: No space left on device\n"
    assert Path("out.jsonl").read_text() == "older\n"


def test_a_closed_standard_output_is_noticed_before_a_file_is_written(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("g.jsonl", GOLD)
    monkeypatch.setattr(sys, "stdout", None)
    code, _, err = cli("g.jsonl", "--gold", "-o", "out.jsonl")
    assert (code, err) == (1, "error: cannot write to standard output: it is closed\n")
    assert not Path("out.jsonl").exists()
    assert cli("g.jsonl", "-o", "out.jsonl")[0] == 0


def test_an_unknown_model_ends_with_2_and_a_damaged_one_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tag", A, B, "--model", "minni"]) == 2
    _, err = capsys.readouterr()
    assert err.startswith("error: unknown model 'minni' (did you mean 'mini'?); known: mini, base,")
    made = make_encoder(tmp_path / "damaged")
    (made / "tokenizer.json").write_text("{}")
    assert run(["tag", A, B, "--model", str(made)]) == 1
    _, err = capsys.readouterr()
    assert "is not the file that card.json lists" in err


def test_missing_weights_end_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tag", A, B, "--model", "./nowhere"]) == 1
    _, err = capsys.readouterr()
    assert err == "error: there is no directory './nowhere' to load a model from\n"
