"""Long work: progress, cancelling, failures, limits, and files that go with it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from paraphrast.errors import InputError
from paraphrast.web.queueing.long_jobs import LongJob, LongJobs
from paraphrast.web.queueing.turns import Turns
from paraphrast.web.queueing.work_queue import QueueFull, ServerStopping


@pytest.fixture
def reports() -> list[Exception]:
    return []


@pytest.fixture
def jobs(reports: list[Exception]) -> Iterator[LongJobs]:
    found = LongJobs(Turns(), reports.append)
    yield found
    found.stop()


def finished(jobs: LongJobs, job: LongJob) -> LongJob:
    """Start a job and wait for its end, which another job behind it tells."""
    jobs.start(job)
    end = threading.Event()
    jobs.start(LongJob("end", lambda _: end.set()))
    assert end.wait(10)
    return job


def test_a_job_counts_and_keeps_its_result(jobs: LongJobs) -> None:
    def run(job: LongJob) -> str:
        job.advance(2)
        job.advance(3)
        return "found"

    job = finished(jobs, LongJob("Counting", run, total=5))
    assert (job.state, job.done, job.result) == ("done", 5, "found")
    assert jobs.find(job.ident) is job
    assert jobs.find("another") is None


def test_a_running_job_ends_at_its_next_step(jobs: LongJobs) -> None:
    begun, cancelled, steps = threading.Event(), threading.Event(), list[int]()

    def run(job: LongJob) -> None:
        begun.set()
        assert cancelled.wait(10)
        job.advance(1)
        steps.append(1)

    job = jobs.start(LongJob("Working", run))
    assert begun.wait(10)
    job.cancel()
    cancelled.set()
    finished(jobs, LongJob("next", lambda _: None))
    assert (job.state, job.message, steps) == ("cancelled", "cancelled", [])


def test_a_waiting_job_is_cancelled_at_once(jobs: LongJobs) -> None:
    go, ran = threading.Event(), list[str]()
    jobs.start(LongJob("first", lambda _: go.wait(10)))
    waiting = jobs.start(LongJob("second", lambda _: ran.append("second")))
    waiting.cancel()
    assert waiting.state == "cancelled"
    go.set()
    finished(jobs, LongJob("next", lambda _: None))
    assert ran == []


def test_a_mistake_of_the_user_is_told_and_a_defect_of_ours_is_not(
    jobs: LongJobs, reports: list[Exception]
) -> None:
    def mistake(_: LongJob) -> None:
        raise InputError("row 3 is empty")

    def defect(_: LongJob) -> None:
        raise RuntimeError("a secret")

    assert finished(jobs, LongJob("one", mistake)).message == "row 3 is empty"
    broken = finished(jobs, LongJob("two", defect))
    assert broken.state == "failed"
    assert "secret" not in broken.message
    assert [str(one) for one in reports] == ["a secret"]


def test_a_job_that_takes_too_long_is_stopped(jobs: LongJobs) -> None:
    job = finished(jobs, LongJob("long", lambda job: job.advance(1), time_limit=0.0))
    assert job.state == "cancelled"
    assert "limit" in job.message


def test_too_many_jobs_are_refused_and_old_results_make_room(jobs: LongJobs) -> None:
    go = threading.Event()
    running = [jobs.start(LongJob("wait", lambda _: go.wait(10))) for _ in range(8)]
    with pytest.raises(QueueFull):
        jobs.start(LongJob("one more", lambda _: None))
    go.set()
    for _ in range(40):
        _until_free(jobs)
        jobs.start(LongJob("short", lambda _: None))
    assert jobs.find(running[0].ident) is None


def _until_free(jobs: LongJobs) -> None:
    end = time.monotonic() + 10
    while jobs.unfinished:
        assert time.monotonic() < end
        threading.Event().wait(0.001)


def test_the_files_of_a_job_go_with_it(tmp_path: Path) -> None:
    jobs = LongJobs(Turns(), lambda _: None)
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "text.txt").write_text("text")
    finished(jobs, LongJob("one", lambda _: None, folder))
    assert folder.exists()
    jobs.stop()
    assert not folder.exists()
    with pytest.raises(ServerStopping):
        jobs.start(LongJob("late", lambda _: None))
