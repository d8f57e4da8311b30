"""`paraphrast generate`: texts in, paraphrases out, in every format, and after a kill."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")  # what the small generator is made with

from paraphrast.cli.main import run
from paraphrast.generation.selection.candidate_choice import Choice
from paraphrast.io.journal import journal_of
from tests.encoders import make_encoder
from tests.generators import make_generator

Cli = Callable[..., tuple[int, str, str]]
TEXTS = ["the cat sat on the mat", "", "he said that it is red"]
LOOSE = ("--no-floor", "--no-protect", "--max-length", "30", "--threads", "1")


@pytest.fixture(scope="session")
def generator(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_generator(tmp_path_factory.mktemp("generator"), "t5-brief", seed=1))


@pytest.fixture
def cli(
    generator: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Cli:
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_text("".join(f"{text}\n" for text in TEXTS))

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(["generate", "--model", generator, *arguments])
        return code, *capsys.readouterr()

    return call


def test_a_row_for_every_line(cli: Cli) -> None:
    code, out, err = cli("-i", "in.txt", "-n", "2", "-f", "jsonl", *LOOSE)
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [row["source"] for row in rows] == TEXTS
    assert [len(row["candidates"]) for row in rows] == [2, 0, 2]
    assert rows[1]["note"] == "no output: nothing was drawn"
    first = rows[0]["candidates"][0]
    assert set(first) == {"text", "logprob", "scores", "why"}
    assert set(rows[0]["rejected"][0]) == {"text", "reason"}
    assert "note: 1 of 3 sources have no paraphrase" in err
    code, quiet, err = cli("-i", "in.txt", "-n", "2", "-f", "jsonl", "-q", *LOOSE)
    assert (code, quiet, err) == (0, out, "")


def test_other_formats_hold_the_same(cli: Cli) -> None:
    _, out, _ = cli("-i", "in.txt", "-f", "jsonl", *LOOSE)
    best = [
        next((kept["text"] for kept in json.loads(line)["candidates"]), "")
        for line in out.splitlines()
    ]
    assert cli("-i", "in.txt", "-f", "lines", *LOOSE)[1].splitlines() == best
    tsv = [line.split("\t") for line in cli("-i", "in.txt", "-f", "tsv", *LOOSE)[1].splitlines()]
    assert tsv[0] == ["source", "rank", "text", "logprob", "scores", "why"]
    assert [line[1] for line in tsv[1:]] == ["1", "0", "1"]
    assert [line[2] for line in tsv[1:]] == best
    text = cli("-i", "in.txt", *LOOSE)[1]
    assert f" 1  {best[0]}\n" in text
    assert "(an empty text)\n -  no output: nothing was drawn\n" in text
    assert cli(TEXTS[0], "-f", "lines", *LOOSE)[1] == best[0] + "\n"


def test_differences_are_explained(cli: Cli, tmp_path: Path) -> None:
    judge = str(make_encoder(tmp_path / "judge"))
    options = ("--explain", "--judge", judge, *LOOSE)
    text = cli(TEXTS[0], *options)[1]
    assert "only the source: " in text
    assert "only the paraphrase: " in text
    row = json.loads(cli(TEXTS[0], "-f", "jsonl", *options)[1])
    assert row["candidates"][0]["differences"]["a"]["words"] == TEXTS[0].split()


def test_what_was_rejected_goes_to_a_file_of_its_own(cli: Cli) -> None:
    whole = ("-i", "in.txt", "-o", "whole.jsonl", *LOOSE)
    apart = ("-i", "in.txt", "-o", "out.jsonl", "--rejected", "not.jsonl", *LOOSE)
    assert cli(*whole)[0] == cli(*apart)[0] == 0
    rows = [json.loads(line) for line in Path("whole.jsonl").read_text().splitlines()]
    kept = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    table = [json.loads(line) for line in Path("not.jsonl").read_text().splitlines()]
    assert table == [{"source": row["source"], **each} for row in rows for each in row["rejected"]]
    assert kept == [{k: v for k, v in row.items() if k != "rejected"} for row in rows]
    assert sorted(path.name for path in Path().iterdir()) == [
        "in.txt",
        "not.jsonl",
        "out.jsonl",
        "whole.jsonl",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="no such kill")
def test_a_killed_job_goes_on(cli: Cli, generator: str) -> None:
    Path("many.txt").write_text("".join(f"the cat sat on {n} mat\n" for n in range(300)))
    options = ["-i", "many.txt", "--pool", "3", "-q", *LOOSE]
    command = [sys.executable, "-c", "from paraphrast.cli.main import main; main()", "generate"]
    command += ["--model", generator, *options, "-o", "out.jsonl"]
    with subprocess.Popen(command) as process:
        part = journal_of("out.jsonl")
        while process.poll() is None and not (part.exists() and part.stat().st_size > 20_000):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    assert not Path("out.jsonl").exists()
    before = part.read_bytes()
    assert cli("-i", "in.txt", "-o", "out.jsonl", *LOOSE)[0] == 2  # another job is not overwritten
    assert part.read_bytes() == before
    assert cli(*options, "-o", "out.jsonl")[0] == 0
    assert cli(*options, "-o", "fresh.jsonl")[0] == 0
    assert Path("out.jsonl").read_bytes() == Path("fresh.jsonl").read_bytes()
    assert not part.exists()


def test_a_job_that_stopped_within_a_block_goes_on_to_the_same_bytes(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    from paraphrast.generation.paraphraser import Paraphraser
    from paraphrast.jobs import generate_files

    paraphrase = Paraphraser.paraphrase

    def noisy(self: Paraphraser, sources: list[str], advance: object = None) -> list[Choice]:
        """Let figures depend on the texts beside them, as those of large models do."""
        noise = 1e-3 * len(sources) + 1e-9
        return [
            replace(choice, candidates=tuple(
                replace(one, logprob=one.logprob + noise) for one in choice.candidates
            ))
            for choice in paraphrase(self, sources)
        ]  # fmt: skip

    def broken(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Paraphraser, "paraphrase", noisy)
    Path("many.txt").write_text("".join(f"the cat sat on {n} mat\n" for n in range(100)))
    options = ["-i", "many.txt", "--pool", "3", "-q", *LOOSE]
    with monkeypatch.context() as patch:
        patch.setattr(generate_files, "_put", broken)
        assert cli(*options, "-o", "out.jsonl")[0] == 130
    part = journal_of("out.jsonl")
    lines = part.read_bytes().splitlines(keepends=True)
    part.write_bytes(b"".join(lines[:38]) + lines[38][:40])  # a kill in the midst of writing
    assert cli(*options, "-o", "out.jsonl")[0] == 0
    assert cli(*options, "-o", "fresh.jsonl")[0] == 0
    assert Path("out.jsonl").read_bytes() == Path("fresh.jsonl").read_bytes()
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    kept = [one for row in rows for one in row["candidates"]]
    assert kept
    assert all(one["logprob"] == round(one["logprob"], 5) for one in kept)


def test_an_input_that_changed_is_seen(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from paraphrast.jobs import generate_files

    def broken(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(generate_files, "_put", broken)
        assert cli("-i", "in.txt", "-o", "out.jsonl", *LOOSE)[0] == 130
    Path("in.txt").write_text("another text\n")
    code, _, err = cli("-i", "in.txt", "-o", "out.jsonl", *LOOSE)
    assert code == 2
    assert "row 1 of the input is not what it was when this job was stopped" in err


def test_a_judge_that_is_not_there_is_missed_before_any_work(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    from paraphrast.generation import paraphraser

    def worked(*_: object, **__: object) -> None:
        raise AssertionError("texts were decoded")

    options = ["-i", "in.txt", "-o", "out.jsonl", "-q"]
    with monkeypatch.context() as patch:
        patch.setattr(paraphraser, "decode", worked)
        for wrong in (["--judge", "nope"], [*LOOSE, "--explain", "--judge", "nope"]):
            assert cli(*options, *wrong)[0] == 2
            assert [path.name for path in Path().iterdir()] == ["in.txt"]
    assert cli(*options, *LOOSE)[0] == 0


def test_equal_jobs_go_on_with_each_other_s_rows(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from paraphrast.jobs import generate_files

    def broken(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    greedy = ["-i", "in.txt", "-o", "out.jsonl", "--method", "greedy", *LOOSE]
    judge = make_encoder(tmp_path / "judge")
    judged = ["-i", "in.txt", "-o", "judged.jsonl", "--judge", str(judge), "--select", "quality"]
    with monkeypatch.context() as patch:
        patch.setattr(generate_files, "_put", broken)
        assert cli(*greedy)[0] == 130
        assert cli(*judged, *LOOSE)[0] == 130
    assert cli(*greedy, "--pool", "1")[0] == 0
    make_encoder(judge, seed=5)
    code, _, err = cli(*judged, *LOOSE)
    assert (code, "with other options" in err) == (2, True)


def test_strings_to_keep_that_no_text_has_are_told(cli: Cli) -> None:
    code, _, err = cli("-i", "in.txt", "--keep", "mat", "--keep", "Berlin", *LOOSE)
    assert code == 0
    assert "note: 1 of 2 strings to keep stand in no text: 'Berlin'" in err


def test_every_paraphrase_has_what_it_must(cli: Cli) -> None:
    must = ("--must", "Paris", "--must", "dog|big man")
    code, out, err = cli("-i", "in.txt", "-f", "lines", *must, *LOOSE)
    assert code == 0
    best = [line for line in out.splitlines() if line]
    assert best or "nothing with 'Paris' was found" in err
    for line in best:
        assert "Paris" in line.split()
        assert "dog" in line.lower() or "big man" in line.lower()


def test_every_option_of_the_search_can_be_given(cli: Cli) -> None:
    options = ["--method", "beam", "--length-penalty", "0.5", "--patience", "2"]
    options += ["--repetition-penalty", "2", "--repetition-window", "3"]
    assert cli("-i", "in.txt", "-q", *options, *LOOSE)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "give a TEXT, or a file of texts with -i"),
        (["a text", "-i", "in.txt"], 2, "give a TEXT, or a file of texts with -i"),
        (["-i", "none.txt"], 1, "cannot read none.txt: No such file or directory"),
        (["-i", "in.txt", "-o", "in.txt"], 2, "in.txt is an input and would be written over"),
        (["-i", "in.txt", "-f", "xml"], 2, "--format is text, jsonl, tsv, lines; got 'xml'"),
        (["-i", "in.txt", "-n", "2", "-f", "lines"], 2, "n=2 is more"),
        (["a text", "--rejected", "x.jsonl"], 2, "--rejected names a file, and goes with -o"),
        (["a text", "-o", "x.jsonl", "--rejected", "x.jsonl"], 2, "name the same file"),
        (["a text", "--floor", "0.3", "--no-floor"], 2, "contradict each other"),
        (
            ["a text", "--max-length", "much"],
            2,
            "a length is a number of sub-words, as 20, or a share, as 0.8; got 'much'",
        ),
        (["a text", "--keep", "text", "--forbid", "text"], 2, "contradict each other"),
        (["a text", "--must", "text", "--forbid", "text"], 2, "contradict each other"),
        (["a text", "--must", "", "--must", "b"], 2, "must holds an empty string"),
        (["a text", "--must", "b", "--must", "b"], 2, "must='b' is given twice"),
        (["a text", "--must", "東"], 2, "must='東' cannot be spelt with the vocabulary"),
        (["a text", "--must", "the cat", "--max-length", "1"], 2, "but a text has at most 1"),
        (["a text", "-n", "5", "--method", "greedy"], 2, "greedy writes one text"),
        (["a text", "--input-format", "tsv"], 2, "--input-format goes with -i"),
        (["a text", "-o", "x.parquet"], 2, ".parquet is not written; end the name in .jsonl"),
        (["a text", "-o", "x.csv.gz"], 2, "or choose one of text, jsonl, tsv, lines with -f"),
        (["a text", "--pool", "0"], 2, "pool must be a whole number, at least 1; got 0"),
        (["a text", "--method", "greedy", "--pool", "0"], 2, "pool=0 must be 1"),
        (["a text", "--diversity", "5"], 2, "diversity=5.0 has no effect without groups"),
        (["a text", "--typical", "0.95"], 2, "typical=0.95 has no effect with method 'top-p'"),
        (["a text", "--patience", "2"], 2, "patience=2.0 has no effect with method 'top-p'"),
        (["a text", "--method", "beam", "--beams", "5", "--pool", "9"], 2, "lower pool or raise"),
        (["a text", "--method", "beam", "--shorten", "1e300"], 2, "shorten=1e+300 is wrong"),
        (["a text", "-o", "no/folder/x.jsonl"], 1, "there is no folder"),
    ],
)
def test_wrong_usage(cli: Cli, arguments: list[str], code: int, said: str) -> None:
    found, out, err = cli(*arguments)
    assert (found, out) == (code, "")
    assert said in err
    assert "Traceback" not in err
