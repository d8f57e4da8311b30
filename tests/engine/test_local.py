"""Chunks in several processes: the same results, and no worker that outlives its parent."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path

import pytest

from paraphrast.engine.cores import check_limit, cores
from paraphrast.engine.local import map_chunks
from paraphrast.errors import ConfigError, ParaphrastError

ROOT = Path(__file__).parents[2]

_SLEEPERS = """
import os, signal, sys, time
from pathlib import Path
from paraphrast.engine.local import map_chunks

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it

def sleep(number):
    Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(60)
    return number

try:
    print(list(map_chunks(sleep, range(4), jobs=2)))
except KeyboardInterrupt:
    print("interrupted")
"""
_UNGUARDED = """
import threading
from paraphrast.engine.local import map_chunks
from paraphrast.errors import ConfigError

wait = threading.Event()
threading.Thread(target=wait.wait, daemon=True).start()  # a second thread: no fork
try:
    print(list(map_chunks(abs, [-1, -2], jobs=2)))
except ConfigError as error:
    print(error)
"""


@pytest.fixture(params=["fork", "spawn"])
def context(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to start workers; what they run must then be importable without these tests."""
    if request.param == "fork" and threading.active_count() > 1:
        pytest.skip("another test left a thread, and a fork would not be safe")
    chosen = multiprocessing.get_context(request.param)
    monkeypatch.setattr("paraphrast.engine.local._context", lambda: chosen)


@pytest.mark.usefixtures("context")
def test_results_come_in_the_order_of_the_chunks() -> None:
    assert list(map_chunks(math.factorial, range(12), jobs=3)) == [*map(math.factorial, range(12))]
    assert list(map_chunks(math.factorial, range(12))) == [*map(math.factorial, range(12))]


@pytest.mark.usefixtures("context")
def test_an_error_of_the_work_reaches_the_caller() -> None:
    with pytest.raises(ConfigError, match="rows can be at most"):
        list(map_chunks(partial(check_limit, "rows"), [1, 2, 10**9, 3], jobs=2))


@pytest.mark.usefixtures("context")
def test_a_killed_worker_is_named() -> None:
    with pytest.raises(ParaphrastError, match="a worker process was killed"):
        list(map_chunks(signal.raise_signal, [signal.SIGKILL] * 4, jobs=2))


@pytest.mark.usefixtures("context")
def test_workers_end_with_a_generator_that_is_left() -> None:
    started = time.monotonic()
    results = map_chunks(time.sleep, [0.0] * 4 + [60.0] * 4, jobs=2)
    next(results)
    assert isinstance(results, Generator)
    results.close()
    assert time.monotonic() - started < 30


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A process whose two workers are at work, and their numbers."""
    script = tmp_path / "sleepers.py"
    script.write_text(_SLEEPERS)
    notes = tmp_path / "notes"
    notes.mkdir()
    process = subprocess.Popen(
        [sys.executable, str(script), str(notes)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        _until(lambda: len(list(notes.iterdir())) == 2)
        yield process, [int(path.name) for path in notes.iterdir()]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_do_not_outlive_their_parent(
    sleeper: tuple[subprocess.Popen[str], list[int]], number: signal.Signals
) -> None:
    process, workers = sleeper
    process.send_signal(number)
    process.wait()
    _until(lambda: not any(map(_runs, workers)))


def test_an_interrupt_prints_no_traceback(
    sleeper: tuple[subprocess.Popen[str], list[int]],
) -> None:
    process, workers = sleeper
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of the group
    out, err = process.communicate(timeout=30)
    assert (out, err) == ("interrupted\n", "")
    _until(lambda: not any(map(_runs, workers)))


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text(_UNGUARDED)
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert 'put its calls under  if __name__ == "__main__":' in done.stdout
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


def test_more_processes_than_a_machine_bears_are_refused(tmp_path: Path) -> None:
    most = max(64, 8 * cores())
    check_limit("jobs", most)
    with pytest.raises(ConfigError, match=rf"^jobs can be at most {most} with {cores()} cores"):
        list(map_chunks(abs, range(4), jobs=10_000))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")  # one that has ended and is not yet buried counts as ended
    return not (status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] == "Z")


def _until(holds: object, seconds: float = 30.0) -> None:
    assert callable(holds)
    tick = threading.Event()
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it did not happen"
        tick.wait(0.02)
