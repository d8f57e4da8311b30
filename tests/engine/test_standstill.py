"""Workers that are stopped, and do not go on."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from paraphrast.engine import standstill
from paraphrast.engine.local import map_chunks
from paraphrast.engine.step import Dropped, Row
from tests.engine.steps import Upper
from tests.engine.test_stages import ran, texts_of

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not hasattr(os, "waitid"), reason="nobody can tell on this system")


def stop_at_three(folder: Path, number: int) -> int:
    """Stop this process at 3, the first time."""
    if number == 3 and not (folder / "stopped").exists():
        (folder / "stopped").touch()
        os.kill(os.getpid(), signal.SIGSTOP)
    return number * number


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_workers_of_a_map_are_replaced_and_no_result_is_lost(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if way == "fork" and threading.active_count() > 1:
        pytest.skip("another test left a thread, and a fork would not be safe")
    monkeypatch.syspath_prepend(ROOT)
    chosen = multiprocessing.get_context(way)
    monkeypatch.setattr("paraphrast.engine.local._context", lambda: chosen)
    monkeypatch.setattr(standstill, "LOOK", 0.05)
    monkeypatch.setattr(standstill, "LOOKS", 4)
    found = list(map_chunks(partial(stop_at_three, tmp_path), range(20), jobs=2))
    assert found == [number * number for number in range(20)]
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("note: a worker (process ")


@dataclass(frozen=True)
class Standing(Upper):
    """Stops its process at the first row, once; its program must end all the same."""

    name: str = "standing"

    def work(self, rows: Sequence[Row]) -> Iterable[Row | Dropped]:
        assert self.seen is not None
        if not self.seen.exists():
            program = subprocess.Popen(["sleep", "300"], start_new_session=True)
            try:
                self.seen.write_text(str(program.pid))
                os.kill(os.getpid(), signal.SIGSTOP)
                time.sleep(300)
            finally:
                program.kill()
                program.wait()
        yield from rows


def test_a_worker_that_stays_stopped_is_told_of_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(standstill, "LOOK", 0.05)
    monkeypatch.setattr(standstill, "LOOKS", 4)
    made = ran(tmp_path / "work", Standing(tmp_path / "seen"), ["a", "b"])
    assert texts_of(made) == ["a", "b"]
    assert made.counts.dropped == {}
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("note: a worker of step standing (process ")
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "seen").read_text()), 0)


def test_one_that_goes_on_in_time_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(standstill, "LOOK", 0.05)
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    watch = standstill.Standstill("cat", lambda: [process.pid])
    watch.start()
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.3)
    process.send_signal(signal.SIGCONT)
    process.communicate()
    watch.close()
    assert process.returncode == 0
    assert not caplog.records
