"""Workers that are stopped, and do not go on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from paraphrast.engine import standstill
from paraphrast.engine.step import Dropped, Row
from tests.engine.steps import Upper
from tests.engine.test_stages import ran, texts_of

pytestmark = pytest.mark.skipif(not hasattr(os, "waitid"), reason="nobody can tell on this system")


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
    standstill.watch(process, "cat")
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.3)
    process.send_signal(signal.SIGCONT)
    process.communicate()
    assert process.returncode == 0
    assert not caplog.records
