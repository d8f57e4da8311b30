"""The command from recipe to curve, with a real (tiny) network."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from paraphrast.cli.main import run  # noqa: E402
from paraphrast.train import loop  # noqa: E402


def test_a_terminated_command_says_how_to_go_on(
    recipe_file: Callable[..., Path], backbone: Path, texts: Path, tmp_path: Path
) -> None:
    code = f"""
import os, signal, sys, torch
from paraphrast.cli import main
from paraphrast.train import loop
torch.set_num_threads(1)
loop.peak_flops = lambda device: 1e9
step = loop.train_step
def kill(trainer, picks, **options):
    if trainer.progress.step == 6:
        os.kill(os.getpid(), signal.SIGTERM)
    return step(trainer, picks, **options)
loop.train_step = kill
main.main(["train", "run", {str(recipe_file(backbone))!r}, "-q", "--data", {str(texts)!r}])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=200
    )
    assert (done.returncode, done.stderr) == (143, "")
    first, _best, last = done.stdout.splitlines()
    assert re.fullmatch(r"runs/tiny: 8 of 16 steps in 0:00:\d\d", first)
    assert last == (f"interrupted; go on with: paraphrast train resume runs/tiny --data {texts}")
    assert (tmp_path / "runs/tiny/checkpoints/step-0000008/state.json").exists()


def test_run_stop_resume_plot(
    recipe_file: Callable[..., Path],
    backbone: Path,
    texts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PARAPHRAST_DATA", str(texts))
    monkeypatch.setattr(loop, "peak_flops", lambda _device: 1e9)
    torch.set_num_threads(1)
    recipe = recipe_file(backbone)
    assert run(["train", "run", str(recipe), "--minutes", "0"]) == 0
    out, err = capsys.readouterr()
    assert re.fullmatch(
        r"runs/tiny: 1 of 16 steps in 0:00:\d\d\n"
        r"time is up; go on with: paraphrast train resume runs/tiny\n",
        out,
    )
    assert err.splitlines()[0] == "rated: 18 pairs, 28.6% of an epoch"
    assert len(err.splitlines()) == 5  # the sources, and nothing of transformers
    assert run(["train", "resume", "runs/tiny", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    first, best, speed = out.splitlines()
    assert first.startswith("runs/tiny: 16 of 16 steps in ")
    assert re.match(r"best at step \d+: rated\.pearson -?\d\.\d{3}, tagged\.f1 ", best)
    assert re.fullmatch(r"[\d,]+ tokens/s, \d+% of the machine's peak", speed)
    assert run(["train", "plot", "runs/tiny"]) == 0
    assert "rated.pearson" in Path("runs/tiny/curve.html").read_text()
    assert run(["train", "run", str(recipe)]) == 2
    assert "already holds a run" in capsys.readouterr().err
