"""The progress line on a real terminal: it shows, and results do not pass through it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from paraphrast.render.terminal.progress import progress

CODE = "from paraphrast.cli.main import main; main()"


def test_scoring_in_a_terminal_shows_the_line_and_prints_the_result(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("a cat sat\n" * 3)
    ours, theirs = pty.openpty()
    arguments = ["score", "-c", "c.txt", "-r", "c.txt", "-m", "bleu:max_ngram_order=2"]
    with os.fdopen(ours, "rb", buffering=0) as screen:
        done = subprocess.run(
            [sys.executable, "-c", CODE, *arguments],
            stdout=subprocess.PIPE,
            stderr=theirs,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
            cwd=tmp_path,
            check=False,
        )
        os.close(theirs)
        shown = screen.read(1 << 16).decode()
    assert done.returncode == 0, shown
    assert b"100.00" in done.stdout
    assert "of 3 segments" in shown
    assert "Traceback" not in shown


def test_elsewhere_it_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("scoring") as advance:
        advance(3)
    assert capsys.readouterr() == ("", "")
