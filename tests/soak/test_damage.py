"""Damaged work files and disks that fill up: the same result or an error, never another result."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from paraphrast.cli.main import run
from tests.disks import small_disk
from tests.embedders import make_embedder
from tests.encoders import WORDS
from tests.jobs.test_build import recipe  # noqa: F401
from tests.soak.campaign import DAMAGES, ROUNDS, SEED, contents

pytestmark = [pytest.mark.soak, pytest.mark.filterwarnings("ignore")]

Result = Callable[[], object]
Capture = pytest.CaptureFixture[str]


def damaged(
    work: Path, command: list[str], result: Result, forget: Callable[[], None], capsys: Capture
) -> dict[str, int]:
    """Damage files of a finished work folder, drawn at random, and run the command on it."""
    right, kept = result(), work.with_name(f"{work.name}.kept")
    shutil.copytree(work, kept)
    files = [path.relative_to(work) for path in sorted(work.rglob("*")) if path.is_file()]
    outcomes = {"made again": 0, "refused": 0}
    cases = [(name, kind) for name in files for kind in DAMAGES]
    for name, kind in random.Random(SEED).sample(cases, min(len(cases), 5 * ROUNDS)):
        shutil.rmtree(work)
        shutil.copytree(kept, work)
        forget()
        (work / name).write_bytes(DAMAGES[kind]((work / name).read_bytes()))
        code = run(command)
        said = capsys.readouterr().err
        if code == 0:
            assert result() == right, f"{name}, {kind}, gives another result"
            outcomes["made again"] += 1
        else:
            assert (code, said[:7]) == (1, "error: "), f"{name}, {kind}: {said}"
            outcomes["refused"] += 1
    return outcomes


def test_a_build_on_damaged_shards(
    recipe: Path,
    tmp_path: Path,
    capsys: Capture,
) -> None:
    home, work = tmp_path / "corpus", tmp_path / "corpus.work"
    command = ["build", str(recipe), "-o", str(home), "--jobs", "1", "-q"]
    assert run(command) == 0
    found = damaged(
        work,
        command,
        lambda: contents(home, "*.jsonl"),
        lambda: shutil.rmtree(home, ignore_errors=True),
        capsys,
    )
    with capsys.disabled():
        print(f"\nbuild, damaged files: {found}")


@pytest.mark.parametrize("search", ["exact", "approximate"])
def test_mining_on_damaged_files(search: str, tmp_path: Path, capsys: Capture) -> None:
    if search == "approximate":
        pytest.importorskip("faiss")
    draw = random.Random(SEED)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(3, 12))) for _ in range(400)]
    (tmp_path / "in.txt").write_text("".join(f"{text}\n" for text in texts))
    out, work = tmp_path / "pairs.jsonl", tmp_path / "work"
    command = ["mine", str(tmp_path / "in.txt"), "-o", str(out), "--work", str(work), "-q"]
    command += ["--model", str(make_embedder(tmp_path / "model")), "--search", search]
    command += ["--threads", "1", "-t", "0.5"]
    assert run(command) == 0
    found = damaged(work, command, out.read_bytes, lambda: out.unlink(missing_ok=True), capsys)
    with capsys.disabled():
        print(f"\nmine, {search}, damaged files: {found}")


def test_a_build_on_a_disk_that_fills_up(
    recipe: Path,
    tmp_path: Path,
    capsys: Capture,
) -> None:
    command = ["build", str(recipe), "--jobs", "1", "-q", "-o"]
    assert run([*command, str(tmp_path / "whole")]) == 0
    draw = random.Random(SEED)
    full = 0
    for number in range(ROUNDS):
        home = tmp_path / f"full{number}"
        with small_disk(draw.randint(1000, 40_000)):
            code = run([*command, str(home)])
        said = capsys.readouterr().err
        full += code
        assert code == 0 or (code, said[:7]) == (1, "error: "), said
        assert run([*command, str(home)]) == 0
        assert contents(home, "*.jsonl") == contents(tmp_path / "whole", "*.jsonl")
    with capsys.disabled():
        print(f"\nbuild, full disk: {full} of {ROUNDS} stopped, all went on")
