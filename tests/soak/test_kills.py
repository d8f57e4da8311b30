"""Kills at random moments: whatever dies, the same command goes on to the same bytes."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.embedders import make_embedder
from tests.encoders import WORDS
from tests.generators import make_generator
from tests.jobs.test_build import recipe  # noqa: F401
from tests.soak.campaign import SEED, Killed, contents, kill_again_and_again, run_whole
from tests.train.conftest import backbone, recipe_file, texts, tokeniser_file  # noqa: F401

pytestmark = [pytest.mark.soak, pytest.mark.filterwarnings("ignore")]

Job = tuple[Callable[[], list[str]], Callable[[], object]]


def report(verb: str, found: Killed) -> None:
    signals = ", ".join(f"{count} {name}" for name, count in Counter(found.signals).items())
    print(f"\n{verb}: {found.jobs} jobs in {found.starts} starts, same bytes; signals: {signals}")


def test_build(recipe: Path, tmp_path: Path) -> None:
    whole = ["build", str(recipe), "-o", "whole", "--jobs", "2", "-q"]
    seconds = run_whole(whole, tmp_path)
    right = contents(tmp_path / "whole", "*.jsonl")

    def job(number: int) -> Job:
        home = tmp_path / f"killed{number}"
        command = ["build", str(recipe), "-o", str(home), "--jobs", "2", "-q"]
        return lambda: command, lambda: contents(home, "*.jsonl")

    found = kill_again_and_again(job, right, tmp_path, seconds)
    assert not list(tmp_path.rglob("*.tmp"))
    report("build", found)


@pytest.mark.parametrize("search", ["exact", "approximate"])
def test_mine(search: str, tmp_path: Path) -> None:
    if search == "approximate":
        pytest.importorskip("faiss")
    draw = random.Random(SEED)
    model = str(make_embedder(tmp_path / "model"))
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(3, 30))) for _ in range(20_000)]
    (tmp_path / "in.txt").write_text("".join(f"{text}\n" for text in texts))
    options = ["mine", "in.txt", "--model", model, "-k", "1", "-t", "0.9", "--search", search]
    options += ["-q", "--threads", "1"]
    seconds = run_whole([*options, "-o", "whole.jsonl"], tmp_path)
    right = (tmp_path / "whole.jsonl").read_bytes()

    def job(number: int) -> Job:
        out = tmp_path / f"killed{number}.jsonl"
        return lambda: [*options, "-o", str(out), "--work", f"work{number}"], out.read_bytes

    found = kill_again_and_again(job, right, tmp_path, seconds)
    assert not list(tmp_path.rglob("*.tmp"))
    report(f"mine, {search}", found)


def test_generate(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    model = str(make_generator(tmp_path / "model", "t5"))
    (tmp_path / "in.txt").write_text("".join(f"the cat sat on {n} mat\n" for n in range(600)))
    options = ["generate", "-i", "in.txt", "--model", model, "--pool", "3", "--no-floor", "-q"]
    options += ["--max-length", "30", "--threads", "1"]
    seconds = run_whole([*options, "-o", "whole.jsonl"], tmp_path)
    right = (tmp_path / "whole.jsonl").read_bytes()

    def job(number: int) -> Job:
        out = tmp_path / f"killed{number}.jsonl"
        return lambda: [*options, "-o", str(out)], out.read_bytes

    found = kill_again_and_again(job, right, tmp_path, seconds)
    assert not list(tmp_path.glob(".paraphrast-*.part"))
    report("generate", found)


def test_train(
    recipe_file: Callable[..., Path], backbone: Path, texts: Path, tmp_path: Path
) -> None:
    """Weights and validation figures are those of a run in peace, to the bit."""
    recipe_path = str(recipe_file(backbone, epochs=4.0))

    def trained(run: Path) -> object:
        last = max((run / "checkpoints").glob("step-*"))
        log = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
        figures = [
            {key: value for key, value in entry.items() if key != "seconds"}
            for entry in log
            if entry["kind"] == "validation"
        ]
        return last.name, contents(last, "*.safetensors"), figures

    def job(number: int) -> Job:
        run = tmp_path / f"killed{number}"

        def command() -> list[str]:
            begun = list(run.glob("checkpoints/step-*"))
            if run.exists() and not begun:  # as a user would whose run has no checkpoint yet
                shutil.rmtree(run)
            what = ["resume", str(run)] if begun else ["run", recipe_path, "--run", str(run)]
            return ["train", *what, "-q", "--data", str(texts)]

        return command, lambda: trained(run)

    whole = ["train", "run", recipe_path, "--run", "whole", "-q", "--data", str(texts)]
    seconds = run_whole(whole, tmp_path)
    right = trained(tmp_path / "whole")
    report("train", kill_again_and_again(job, right, tmp_path, seconds))
