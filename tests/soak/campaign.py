"""Commands that are killed again and again, and files that are damaged: what `make soak` is of."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

ROUNDS = int(os.environ.get("PARAPHRAST_SOAK", "20"))
"""Kills of each command; the damages of each kind of file follow from what there is."""

SEED = int(os.environ.get("PARAPHRAST_SOAK_SEED", "0"))
_MAIN = (  # a shell's background jobs ignore an interrupt
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from paraphrast.cli.main import main; main()"
)
_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[: len(data) // 2],
    "emptied": lambda _data: b"",
    "flipped": lambda data: (
        data[: len(data) // 3]
        + bytes(byte ^ 1 for byte in data[len(data) // 3 : len(data) // 3 + 1])
        + data[len(data) // 3 + 1 :]
    ),
    "zeroed": lambda data: bytes(len(data)),
}


@dataclass
class Killed:
    """How a campaign went: signals sent, by name, starts, and jobs that came to their end."""

    signals: list[str] = field(default_factory=list)
    starts: int = 0
    jobs: int = 0


def start(arguments: list[str], folder: Path) -> subprocess.Popen[str]:
    """Start a command in a folder."""
    return subprocess.Popen(
        [sys.executable, "-c", _MAIN, *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_whole(arguments: list[str], folder: Path) -> float:
    """Run a command to its end, which must be good; return the seconds that it took."""
    began = time.monotonic()
    process = start(arguments, folder)
    _, messages = process.communicate(timeout=600)
    assert process.returncode == 0, messages
    return time.monotonic() - began


def kill_again_and_again(
    job: Callable[[int], tuple[Callable[[], list[str]], Callable[[], object]]],
    right: object,
    folder: Path,
    seconds: float,
) -> Killed:
    """Run jobs to their ends, with signals to them and to their workers, until ROUNDS were sent.

    `job` gives for the job with a number what returns its next command, and what returns its
    result, which must be `right`. It is started again until it ends well. `seconds` are those of a
    run in peace.
    """
    draw, found, number = random.Random(SEED), Killed(), 0
    while len(found.signals) < ROUNDS:
        command, result = job(number)
        while not _ended_well(command(), folder, seconds, found, draw):
            pass
        assert result() == right
        number += 1
    found.jobs = number
    return found


def _ended_well(
    command: list[str], folder: Path, seconds: float, found: Killed, draw: random.Random
) -> bool:
    process = start(command, folder)
    found.starts += 1
    if len(found.signals) < ROUNDS:
        _disturb(process, draw.uniform(0.1, 0.9) * seconds, found, draw)
        _, messages = process.communicate(timeout=600)
        assert "Traceback" not in messages, messages
        return process.returncode == 0
    _, messages = process.communicate(timeout=600)
    assert process.returncode == 0, messages
    return True


def _disturb(
    process: subprocess.Popen[str], after: float, found: Killed, draw: random.Random
) -> None:
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        workers = _children(process.pid)
        if workers and draw.random() < 0.3:  # the job itself has to bear this
            victim, number = draw.choice(workers), signal.SIGKILL
        else:
            victim, number = process.pid, draw.choice(_SIGNALS)
        try:
            os.kill(victim, number)
        except ProcessLookupError:  # it has just ended
            return
        found.signals.append(f"{number.name}{'' if victim == process.pid else ' (worker)'}")


def _children(number: int) -> list[int]:
    """Return the children of all threads of a process: workers are started from threads too."""
    found: list[int] = []
    for path in Path(f"/proc/{number}/task").glob("*/children"):
        with suppress(OSError):  # a thread that has just ended
            found += map(int, path.read_text().split())
    return found


def contents(folder: Path, pattern: str) -> dict[str, bytes]:
    """Return the files of a folder that a pattern finds, by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob(pattern))}
