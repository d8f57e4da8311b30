"""The command from recipe to curve, with a real (tiny) network."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from paraphrast.cli.main import run  # noqa: E402
from paraphrast.train import loop  # noqa: E402


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
