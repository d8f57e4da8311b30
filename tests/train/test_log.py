"""The log: lines as they come, cut ends, rewinding."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from paraphrast.errors import InputError
from paraphrast.train import log
from paraphrast.train.checkpoint import Progress
from paraphrast.train.throughput import Meter


def test_a_line_cut_off_by_a_kill_is_left_out(tmp_path: Path) -> None:
    log.append(tmp_path, {"step": 1})
    with (tmp_path / log.NAME).open("a") as file:
        file.write('{"step": 2, "lo')
    assert log.entries(tmp_path) == [{"step": 1}]
    log.rewind(tmp_path, 5)
    log.append(tmp_path, {"step": 2})
    assert log.entries(tmp_path) == [{"step": 1}, {"step": 2}]


def test_rewinding_forgets_what_comes_again(tmp_path: Path) -> None:
    log.rewind(tmp_path, 3)
    assert not (tmp_path / log.NAME).exists()
    for step in (2, 3, 4):
        log.append(tmp_path, {"step": step})
    log.rewind(tmp_path, 3)
    assert log.entries(tmp_path) == [{"step": 2}, {"step": 3}]
    log.rewind(tmp_path, -1)
    assert log.entries(tmp_path) == []


def test_what_is_no_log_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        log.entries(tmp_path)
    assert str(caught.value) == f"{tmp_path} holds no log.jsonl: it is not a training run"
    (tmp_path / log.NAME).write_text("x\n{}\n")
    with pytest.raises(InputError, match=f"^{tmp_path / log.NAME}, line 1: not JSON$"):
        log.entries(tmp_path)
    (tmp_path / log.NAME).write_text("[1]\n{}\n")
    with pytest.raises(InputError, match=f"^{tmp_path / log.NAME}, line 1: not a JSON object$"):
        log.entries(tmp_path)


def test_the_meter_writes_means_and_speeds(tmp_path: Path) -> None:
    progress = Progress("f")
    meter = Meter(tmp_path, progress, cost=4.0, measure=lambda: 1000.0)
    for step in range(1, 13):
        progress.step = step
        words = meter.count({"score": step, "tags": 1.0}, tokens=50, seconds=0.5, rate=0.1)
    assert words == "loss 12.5000 · 100 tokens/s"
    assert log.entries(tmp_path) == [
        {
            "kind": "training",
            "step": 10,
            "loss": 6.5,
            "score": 5.5,
            "tags": 1.0,
            "rate": 0.1,
            "tokens_per_second": 100.0,
            "peak_share": 0.4,
        }
    ]
    assert progress.unlogged == {"score": 23.0, "tags": 2.0}
    assert progress.unlogged_steps == 2


def test_processes_that_are_not_the_main_one_write_nothing(tmp_path: Path) -> None:
    meter = Meter(None, Progress("f", step=10), cost=1.0, measure=lambda: 1.0)
    meter.count({"score": 1.0}, tokens=1, seconds=1.0, rate=1.0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe\n", r"log.jsonl is not UTF-8: "),
        (b'{"step": "x"}\n', r"log.jsonl, line 1: 'step' is not a number: 'x'"),
        (b'{"step": 1, "loss": {"a": 1}}\n', r"log.jsonl, line 1: 'loss' is not a number"),
    ],
)
def test_a_log_of_something_else_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / log.NAME).write_bytes(content)
    with pytest.raises(InputError, match=message):
        log.entries(tmp_path)


def test_a_peak_that_was_measured_on_a_busy_machine_is_measured_again(tmp_path: Path) -> None:
    measured = iter([10.0, 4000.0, 500.0])
    progress = Progress("f", step=log.EVERY)
    meter = Meter(tmp_path, progress, cost=4.0, measure=lambda: next(measured))
    for tokens in (250, 500, 2000):  # 1,000, 2,000 and 8,000 operations in a second
        meter.count({"score": 1.0}, tokens, 1.0, 1.0)
    shares = [line["peak_share"] for line in log.entries(tmp_path)]
    assert shares == pytest.approx([0.25, 0.5, 1.0])
