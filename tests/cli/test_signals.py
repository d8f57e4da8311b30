"""A command that is told to end leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest


def test_a_terminated_command_removes_its_temporary_folder(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="the extra `encoder` is not installed")
    texts = tmp_path / "a.txt"
    texts.write_text("".join(f"Sentence {n} says that {n * 7} cats sat.\n" for n in range(20_000)))
    process = subprocess.Popen(
        [sys.executable, "-m", "paraphrast", "mine", "a.txt", "-o", "pairs.jsonl"],
        cwd=tmp_path,
        stderr=subprocess.DEVNULL,
    )
    try:
        ends = time.monotonic() + 60
        while not list(tmp_path.glob(".paraphrast-mine-*")):
            assert process.poll() is None
            assert time.monotonic() < ends
            threading.Event().wait(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
    finally:
        process.kill()
        process.wait()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
