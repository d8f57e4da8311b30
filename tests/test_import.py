"""`import paraphrast` is light: measured in fresh processes."""

from __future__ import annotations

import subprocess
import sys

import pytest

import paraphrast

HEAVY = [
    "torch",
    "onnxruntime",
    "pyarrow",
    "rich",
    "typer",
    "pandas",
    "numpy",
    "rapidfuzz",
    "regex",
]


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def test_import_loads_nothing_heavy() -> None:
    loaded = run(f"import paraphrast, sys; print([m for m in {HEAVY} if m in sys.modules])")
    assert loaded == "[]"


def test_scoring_loads_only_what_it_needs() -> None:
    metrics = ["bleu", "rougeL", "ter"]
    code = f"import paraphrast, sys; paraphrast.score(['a'], ['a'], metrics={metrics}); "
    heavy = [m for m in HEAVY if m not in ("numpy", "rapidfuzz", "regex")] + ["sacrebleu"]
    assert run(code + f"print([m for m in {heavy} if m in sys.modules])") == "[]"


def test_import_takes_less_than_150_ms() -> None:
    code = "import time; t = time.perf_counter(); import paraphrast; print(time.perf_counter() - t)"
    assert min(float(run(code)) for _ in range(5)) < 0.150


def test_everything_public_can_be_had() -> None:
    for name in paraphrast.__all__:
        assert getattr(paraphrast, name) is not None
    assert set(dir(paraphrast)) == set(paraphrast.__all__)
    assert paraphrast.score.__module__ == "paraphrast.jobs.scoring.score"


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    assert not hasattr(paraphrast, "scoer")


def test_a_former_name_still_works_and_says_what_it_is_called_now() -> None:
    with pytest.warns(DeprecationWarning, match=r"paraphrast.Kept is now called .*Paraphrase"):
        assert paraphrast.Kept is paraphrast.Paraphrase
