"""Building a corpus as a whole: the doors, the engines, kills, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import paraphrast
from paraphrast.cli.main import run
from paraphrast.corpora.build.manifest import verify
from paraphrast.errors import ConfigError

# Two systems that say the same in other words, each by its own list, and never fail.
PROGRAM = """
import sys
words = dict(pair.split("=") for pair in sys.argv[1:])
for line in sys.stdin:
    print(" ".join(words.get(word, word) for word in line.split()), flush=True)
"""
NOUNS = "dog cat man woman child king queen doctor farmer teacher".split()
VERBS = "sees likes finds helps calls".split()
SENTENCES = [
    f"The {one} quickly {verb} the {two} near the old town number {number}."
    for number, (one, verb, two) in enumerate(
        (one, verb, two) for one in NOUNS for verb in VERBS for two in NOUNS if one != two
    )
][:240]


def table(name: str, program: Path, *words: str) -> str:
    command = json.dumps([sys.executable, str(program), "The=Le", *words])
    back = json.dumps([sys.executable, str(program), "Le=The", *words])
    return (
        f'[[system]]\nname = "{name}"\nbackend = "command"\nsource = "en"\ntarget = "xx"\n'
        f"command = {command}\nback_command = {back}\n"
    )


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "texts.txt").write_text("\n".join([*SENTENCES, SENTENCES[0], "no", ""]) + "\n")
    program = tmp_path / "words.py"
    program.write_text(PROGRAM)
    one = table("plain", program, "near=by", "old=ancient", "sees=spots", "likes=loves")
    two = table("fancy", program, "quickly=rapidly", "town=city", "finds=discovers", "calls=rings")
    path = tmp_path / "recipe.toml"
    path.write_text(
        f"""name = "made"
shard = 40
{one}
{two}
[[step]]
use = "source"
files = ["{tmp_path}/texts.txt"]

[[step]]
use = "clean"
language = "en"
check = "script"

[[step]]
use = "deduplicate"
near = 1.0

[[step]]
use = "translate"

[[step]]
use = "estimate"

[[step]]
use = "pair"
ways = ["round-trip", "source"]

[[step]]
use = "balance"
per_bin = 15

[[step]]
use = "negatives"
per_bin = 5

[[step]]
use = "split"
shares = {{ train = 0.7, test = 0.3 }}
"""
    )
    return path


def data_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.jsonl"))}


def rows_of(folder: Path) -> list[dict[str, Any]]:
    text = "".join(path.read_text() for path in sorted(folder.glob("*.jsonl")))
    return [json.loads(line) for line in text.splitlines()]


def test_a_corpus_is_built_with_its_card_and_manifest(recipe: Path, tmp_path: Path) -> None:
    report = paraphrast.build(recipe, tmp_path / "corpus", jobs=1)
    steps = {step.name: step for step in report.steps}
    assert steps["clean"].dropped == {"empty": 1, "too short": 1}
    assert steps["deduplicate"].dropped == {"duplicate": 1}
    assert steps["translate with plain"].rows_out == 240
    rows = rows_of(tmp_path / "corpus")
    assert len(rows) == report.pairs == sum(report.splits.values())
    assert {row["origin"] for row in rows} == {"round-trip", "mined"}
    assert {row["label"] for row in rows} == {None}
    assert verify(tmp_path / "corpus").rows == len(rows)
    sides = {split: set() for split in ("train", "test")}  # type: dict[str, set[str]]
    for row in rows:
        sides[row["split"]] |= {row["text1"], row["text2"], row["source"] or row["text1"]}
    assert not sides["train"] & sides["test"]
    first = next(row for row in rows if row["systems"] == ["plain", "fancy"])
    assert first["source"] in SENTENCES
    assert "ancient" in first["text1"]
    assert "city" in first["text2"]
    assert 0 < first["quality"] < 1
    assert set(first["scores"]) == {"sbleu.plain", "sbleu.fancy"}
    assert first["made"]["steps"].keys() == steps.keys()
    card = (tmp_path / "corpus" / "README.md").read_text()
    assert "# made" in card
    assert "<svg" in (tmp_path / "corpus" / "card.html").read_text()


def test_the_command_line_builds_the_same(
    recipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paraphrast.build(recipe, tmp_path / "one", jobs=1)
    assert run(["build", str(recipe), "-o", str(tmp_path / "two"), "--jobs", "2"]) == 0
    assert data_of(tmp_path / "one") == data_of(tmp_path / "two")
    out = capsys.readouterr().out
    assert out.startswith("step")
    assert out.endswith(f"pairs in {tmp_path / 'two'}\n")


def test_ray_builds_the_same(recipe: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    paraphrast.build(recipe, tmp_path / "one", jobs=1)
    done = subprocess.run(  # Ray's threads and warnings stay out of this process
        [sys.executable, "-m", "paraphrast", "build", str(recipe), "-o", str(tmp_path / "ray"),
         "--engine", "ray", "--jobs", "2"],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert data_of(tmp_path / "one") == data_of(tmp_path / "ray")


def test_a_second_run_does_nothing_again(recipe: Path, tmp_path: Path) -> None:
    paraphrast.build(recipe, tmp_path / "corpus", jobs=1)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "corpus.work").rglob("*.json")}
    again = paraphrast.build(recipe, tmp_path / "corpus", jobs=1)
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "corpus.work").rglob("*.json")}
    assert before == after
    assert again.pairs == len(rows_of(tmp_path / "corpus"))


@pytest.mark.parametrize("where", ["clean", "translate-with-fancy", "pair"])
def test_a_job_killed_anywhere_goes_on_to_the_same_corpus(
    recipe: Path, tmp_path: Path, where: str
) -> None:
    paraphrast.build(recipe, tmp_path / "whole", jobs=1)
    target = tmp_path / "killed"
    job = subprocess.Popen(
        [sys.executable, "-m", "paraphrast", "build", str(recipe), "-o", str(target), "--jobs", "2"]
    )
    deadline = time.monotonic() + 120
    work = tmp_path / "killed.work"
    while not list(work.glob(f"{where}*/shard-*.json")) and time.monotonic() < deadline:
        assert job.poll() is None
    os.kill(job.pid, signal.SIGKILL)
    job.wait()
    assert not (target / "manifest.json").exists()
    paraphrast.build(recipe, target, jobs=2)
    assert data_of(target) == data_of(tmp_path / "whole")


# Builds a corpus, and dies without a word when so many rows have come out of one place.
MURDER = """
import os, signal, sys
from importlib import import_module
import paraphrast

recipe, output, module, name, rows = sys.argv[1:]
home = import_module(module)
for part in name.split(".")[:-1]:
    home = getattr(home, part)
whole = getattr(home, name.split(".")[-1])

def cut_short(*given):
    for number, row in enumerate(whole(*given)):
        if number == int(rows):
            os.kill(os.getpid(), signal.SIGKILL)
        yield row

setattr(home, name.split(".")[-1], cut_short)
paraphrast.build(recipe, output, jobs=1)
"""


@pytest.mark.parametrize(
    ("module", "name", "rows"),
    [
        ("paraphrast.corpora.build.steps.duplicates", "DeduplicateStep.run", 100),
        ("paraphrast.corpora.build.steps.balance", "BalanceStep.run", 50),
        ("paraphrast.corpora.build.steps.negatives", "MinedNegatives.run", 45),
        ("paraphrast.corpora.build.steps.splits", "SplitStep.run", 45),
        ("paraphrast.jobs.build", "_tallied", 20),
    ],
)
def test_a_kill_in_a_step_that_sees_all_rows_costs_that_step_and_no_other(
    recipe: Path, tmp_path: Path, module: str, name: str, rows: int
) -> None:
    """Such a step begins anew, or the writing does; what was finished stays, and so the result."""
    paraphrast.build(recipe, tmp_path / "whole", jobs=1)
    target, work = tmp_path / "killed", tmp_path / "killed.work"
    command = [sys.executable, "-c", MURDER, str(recipe), str(target), module, name, str(rows)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not (target / "manifest.json").exists()
    finished = {path.parent for path in work.glob("*/done.json")}
    begun = {path.parent for path in work.glob("*/shard-*.json")} - finished
    assert len(begun) == (name != "_tallied")
    before = {path: path.stat().st_mtime_ns for one in finished for path in one.iterdir()}
    paraphrast.build(recipe, target, jobs=1)
    after = {path: path.stat().st_mtime_ns for one in finished for path in one.iterdir()}
    assert before == after
    assert data_of(target) == data_of(tmp_path / "whole")
    assert verify(target).others == ()


def test_what_is_wrong_is_said(recipe: Path, tmp_path: Path) -> None:
    text = recipe.read_text()
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="is a file; a corpus is written into a folder"):
        paraphrast.build(recipe, tmp_path / "file")
    recipe.write_text(text.replace("texts.txt", "none.txt"))
    with pytest.raises(ConfigError, match=r"there is no file .*none\.txt; names are under the da"):
        paraphrast.build(recipe, tmp_path / "c")
    recipe.write_text(text.replace('["round-trip", "source"]', '["target"]'))
    with pytest.raises(ConfigError, match=r"step\[7\] \(negatives\): the pairs are in the target"):
        paraphrast.build(recipe, tmp_path / "c", jobs=1)
    recipe.write_text(text.replace(json.dumps(sys.executable)[1:-1], "no-such-program"))
    with pytest.raises(ConfigError, match="no-such-program"):
        paraphrast.build(recipe, tmp_path / "c", jobs=1)


def test_duplicates_only_and_short_bins_are_counted(recipe: Path, tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text((SENTENCES[0] + "\n") * 50)
    report = paraphrast.build(recipe, tmp_path / "c", jobs=1)
    steps = {step.name: step for step in report.steps}
    assert steps["deduplicate"].dropped == {"duplicate": 49}
    assert report.pairs == 1
    assert sum(one.short for one in report.bins) == 149


def test_the_command_line_tells_which_bins_are_short(
    recipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "texts.txt").write_text((SENTENCES[0] + "\n") * 50)
    assert run(["build", str(recipe), "-o", str(tmp_path / "c"), "--jobs", "1"]) == 0
    told = capsys.readouterr()
    assert "note: missing of the pairs wanted: 149, in [0, 0.1), [0.1, 0.2), [0.2" in told.err
    assert told.out.endswith(f"1 pair in {tmp_path / 'c'}\n")
    assert (
        "Missing of the pairs wanted: 149, in [0, 0.1)," in (tmp_path / "c/README.md").read_text()
    )
