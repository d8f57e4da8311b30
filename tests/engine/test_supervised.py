"""Worker processes: how they start, what they see, and that nothing outlives them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from paraphrast.errors import InputError
from tests.engine.steps import Environment, Starting
from tests.engine.test_stages import ran, texts_of


def test_a_worker_killed_while_it_starts_is_replaced(tmp_path: Path) -> None:
    made = ran(tmp_path / "work", Starting(tmp_path / "seen", kills=2), ["a", "b"])
    assert texts_of(made) == ["a", "b"]
    assert made.counts.dropped == {}


def test_workers_that_always_die_at_their_start_stop_the_job(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="step starting died 3 times while it was starting"):
        ran(tmp_path / "work", Starting(tmp_path / "seen", kills=99), ["a"])
    assert (tmp_path / "seen").read_text() == "start\n" * 3


@pytest.mark.parametrize("path", [None, "/their/own:/other"])
def test_programs_see_the_python_path_of_the_user(
    tmp_path: Path, path: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if path is not None:
        monkeypatch.setenv("PYTHONPATH", path)
    made = ran(tmp_path / "work", Environment(), ["a"])
    assert texts_of(made) == ["" if path is None else f"PYTHONPATH={path}"]


SCRIPT = """
import signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
from tests.engine.steps import Running
from tests.engine.test_stages import ran

ran(Path(sys.argv[1]), Running(Path(sys.argv[2])), ["a"])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_nothing_outlives_a_job_that_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    seen = tmp_path / "seen"
    job = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), str(tmp_path / "work"), str(seen)],
        stderr=subprocess.DEVNULL,
    )
    assert within(60, lambda: seen.exists() and seen.read_text().endswith("\n"))
    numbers = [int(each) for each in seen.read_text().split()]
    assert all(map(alive, numbers))
    os.kill(job.pid, number)
    assert job.wait(30) != 0
    assert within(20, lambda: not any(map(alive, numbers)))


def within(seconds: float, happened: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def alive(number: int) -> bool:
    """Tell whether a process runs; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
