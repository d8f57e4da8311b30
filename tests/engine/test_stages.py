"""Stages on this machine: what they leave does not depend on processes, kills or earlier runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from paraphrast.engine.cores import cores
from paraphrast.engine.pool import Local, make_engine
from paraphrast.engine.shards import Shards
from paraphrast.engine.stages import Made, Stages, silent
from paraphrast.engine.step import Dropped, Step
from paraphrast.engine.task import POISON
from paraphrast.errors import ConfigError, InputError
from tests.engine.steps import Deadly, Reader, Reversed, Slow, Upper, made_rows

TEXTS = [f"text {number}" if number % 7 else "no text" for number in range(50)]


def stages(folder: Path, *, jobs: int = 1, size: int = 8, stage: Any = silent) -> Stages:
    return Stages(folder, Local(jobs), stage, size)


def began(found: Stages, texts: list[str] = TEXTS) -> Made:
    return found.begin("source", {"texts": texts}, lambda: made_rows(texts))


def ran(folder: Path, step: Step, texts: list[str] = TEXTS, **options: Any) -> Made:
    found = stages(folder, **options)
    return found.step(step, began(found, texts))


def texts_of(made: Made) -> list[str]:
    return [row["text"] for row in made.shards.rows()]


def files_of(made: Made) -> dict[str, bytes]:
    """The rows and what was set aside, to the byte."""
    return {path.name: path.read_bytes() for path in sorted(made.shards.folder.glob("*.jsonl"))}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("size", [1, 8, 1000])
def test_a_step_keeps_the_order_and_counts_what_it_drops(
    tmp_path: Path, jobs: int, size: int
) -> None:
    made = ran(tmp_path, Upper(), jobs=jobs, size=size)
    assert texts_of(made) == [text.upper() for text in TEXTS if text != "no text"]
    assert (made.counts.rows_in, made.counts.rows_out) == (50, 42)
    assert made.counts.dropped == {"no": 8}
    assert [row["row"]["id"] for row in made.shards.dropped()][:2] == ["000000000", "000000007"]
    assert made.counts.memory > 1_000_000


def test_processes_leave_the_same_bytes(tmp_path: Path) -> None:
    one = files_of(ran(tmp_path / "one", Upper(), jobs=1))
    two = files_of(ran(tmp_path / "two", Upper(), jobs=2))
    assert one == two
    assert len(one) == 14


def test_a_whole_step_sees_all_rows_and_leaves_no_scratch(tmp_path: Path) -> None:
    found = stages(tmp_path)
    made = found.whole(Reversed(), began(found))
    assert texts_of(made) == [*list(dict.fromkeys(TEXTS))[1:][::-1], "no text"]
    assert made.counts.dropped == {"seen": 7}
    assert made.counts.rows_in == 50
    assert not list(tmp_path.glob("scratch-*"))


def test_no_rows_are_no_trouble(tmp_path: Path) -> None:
    found = stages(tmp_path)
    made = found.whole(Reversed(), found.step(Upper(), began(found, [])))
    assert texts_of(made) == []
    assert made.counts.rows_in == 0


def test_finished_stages_are_not_done_again(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    first = ran(tmp_path / "work", Upper(seen))
    again = ran(tmp_path / "work", Upper(seen))
    assert len(seen.read_text().split()) == 7
    assert not first.kept
    assert again.kept
    assert again.counts == first.counts


def test_finished_shards_are_not_done_again(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    first = ran(tmp_path / "work", Upper(seen))
    whole = files_of(first)
    (first.shards.folder / "done.json").unlink()
    first.shards.counts_file(3).unlink()
    first.shards.rows_file(3).write_text("half a line")
    again = ran(tmp_path / "work", Upper(seen))
    assert seen.read_text().split()[7:] == ["000000024"]
    assert files_of(again) == whole


def test_another_job_never_takes_these_shards(tmp_path: Path) -> None:
    first = ran(tmp_path, Upper())
    other = ran(tmp_path, Upper(mark="!"))
    texts = ran(tmp_path, Upper(), ["other"])
    assert len({made.shards.folder for made in (first, other, texts)}) == 3
    assert texts_of(other)[0] == "TEXT 1!"
    assert texts_of(texts) == ["OTHER"]


def test_a_poisonous_row_is_set_aside_and_the_others_go_on(tmp_path: Path) -> None:
    texts = ["a", "poison", "b", "c", "poison d", "e"]
    made = ran(tmp_path, Deadly(), texts, size=3, jobs=2)
    assert texts_of(made) == ["A", "B", "C", "E"]
    assert made.counts.dropped == {POISON: 2}
    assert [row["row"]["text"] for row in made.shards.dropped()] == ["poison", "poison d"]


def test_a_worker_that_is_killed_once_changes_nothing(tmp_path: Path) -> None:
    made = ran(tmp_path / "work", Deadly(tmp_path / "killed"), ["a", "once", "b"])
    assert (tmp_path / "killed").exists()
    assert texts_of(made) == ["A", "ONCE", "B"]
    assert made.counts.dropped == {}


def test_a_step_that_kills_on_every_row_stops_the_job(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"step deadly cannot do shard 0: it died on 21 rows"):
        ran(tmp_path, Deadly(), ["poison"] * 30, size=100)


def test_errors_of_a_step_reach_the_caller(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^row 000000001 is wrong; mend it$"):
        ran(tmp_path, Deadly(), ["a", "wrong"])
    with pytest.raises(RuntimeError, match="ZeroDivisionError: 000000000"):
        ran(tmp_path, Deadly(), ["bug"])


def test_what_was_done_before_an_error_is_kept(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        ran(tmp_path, Deadly(), ["a", "b", "wrong"], size=1)
    (folder,) = tmp_path.glob("deadly-*")
    assert [Shards(folder).has(number) for number in range(3)] == [True, True, False]


def test_a_damaged_shard_says_which_folder_to_remove(tmp_path: Path) -> None:
    found = stages(tmp_path)
    made = began(found)
    made.shards.rows_file(2).write_text("{")
    with pytest.raises(InputError, match=r"shard-000002\.jsonl cannot be read .*; remove the fold"):
        found.step(Upper(), made)


def test_what_a_step_reads_must_be_what_its_folder_is_named_by(tmp_path: Path) -> None:
    """The file changes after its hash was taken and before a worker opens it."""
    model = tmp_path / "model"
    model.write_text("one")
    reader = Reader(model, spoil=True)
    with pytest.raises(InputError, match=r"^what step reader reads .* changed after the job began"):
        ran(tmp_path / "work", reader, ["a", "b"])
    made = ran(tmp_path / "work", Reader(model), ["a", "b"])
    assert texts_of(made) == ["a two", "b two"]
    assert files_of(ran(tmp_path / "work", Reader(model), ["a", "b"])) == files_of(made)


def test_progress_counts_every_row_once_also_when_going_on(tmp_path: Path) -> None:
    told: list[tuple[str, int | None, int]] = []

    @contextmanager
    def stage(name: str, total: int | None) -> Iterator[Any]:
        done: list[int] = []
        yield done.append
        told.append((name, total, sum(done)))

    first = ran(tmp_path, Upper(), stage=stage)
    (first.shards.folder / "done.json").unlink()
    first.shards.counts_file(0).unlink()
    ran(tmp_path, Upper(), stage=stage)
    assert told == [("source", None, 50), ("upper", 50, 50), ("upper", 50, 50)]


def test_engines_are_named(tmp_path: Path) -> None:
    assert make_engine("local", jobs=3) == Local(3)
    with pytest.raises(ConfigError, match="unknown engine 'loca'; known: local, ray"):
        make_engine("loca")
    with pytest.raises(ConfigError, match="an address is that of a Ray cluster; add --engine ray"):
        make_engine("local", address="auto")
    with pytest.raises(ConfigError, match="jobs must be at least 1; got 0"):
        Local(0)
    with pytest.raises(ConfigError, match="jobs must be at least 1; got 0"):
        make_engine("local", jobs=0)
    assert make_engine("local") == Local(cores())


def test_the_time_of_a_stopped_sitting_is_not_lost(tmp_path: Path) -> None:
    texts = ["a", "b", "c", "stop", "d"]
    step = Slow(tmp_path / "stopped")
    with pytest.raises(InputError, match="stopped"):
        ran(tmp_path / "work", step, texts, size=1)
    made = ran(tmp_path / "work", step, texts, size=1)
    assert not made.kept
    assert made.counts.seconds >= 5 * step.seconds
    assert made.wall >= 5 * step.seconds
    assert ran(tmp_path / "work", step, texts, size=1).wall == made.wall


def test_a_reason_that_is_no_text_can_be_written(tmp_path: Path) -> None:
    rows = [Dropped({"id": "0"}, "wrong", "half a pair: \ud800")]
    made = stages(tmp_path).begin("source", {}, lambda: rows)
    assert [row["detail"] for row in made.shards.dropped()] == ["half a pair: ?"]


SCRIPT = """
import sys
from pathlib import Path
from tests.engine.steps import Upper
from tests.engine.test_stages import ran

ran(Path(sys.argv[1]), Upper(), [f"text {n}" for n in range(150)], size=1, jobs=2)
"""


@pytest.mark.parametrize("shards", [1, 60])
def test_a_job_that_is_killed_goes_on_to_the_same_result(tmp_path: Path, shards: int) -> None:
    """The whole job, without a word, when so many shards are there; then a rerun."""
    whole = ran(tmp_path / "whole", Upper(), [f"text {n}" for n in range(150)], size=1, jobs=2)
    work = tmp_path / "work"
    job = subprocess.Popen([sys.executable, "-c", textwrap.dedent(SCRIPT), str(work)])
    deadline = time.monotonic() + 60
    while len(list(work.glob("upper-*/shard-*.json"))) < shards and time.monotonic() < deadline:
        assert job.poll() is None, "the job was faster than its murderer"
    os.kill(job.pid, signal.SIGKILL)
    job.wait()
    done = len(list(work.glob("upper-*/shard-*.json")))
    assert done >= shards
    made = ran(work, Upper(), [f"text {n}" for n in range(150)], size=1, jobs=2)
    assert not made.kept
    assert files_of(made) == files_of(whole)


def test_a_full_disk_stops_with_a_message_and_keeps_what_was_done(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    found = stages(tmp_path, size=1)
    before = began(found, ["a", "b"])
    first = found.step(Upper(), before)
    (first.shards.folder / "done.json").unlink()
    for file in (first.shards.rows_file(1), first.shards.counts_file(1)):
        file.unlink()
    first.shards.rows_file(1).symlink_to(full)
    with pytest.raises(InputError, match=r"cannot write .*: No space left on device"):
        found.step(Upper(), before)
    assert first.shards.has(0)
    first.shards.rows_file(1).unlink()
    assert texts_of(found.step(Upper(), before)) == ["A", "B"]
