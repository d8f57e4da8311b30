"""The line before the models: order, batches, back-pressure, and an end that finishes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest

from paraphrast.errors import InputError
from paraphrast.web.queueing.turns import Turns
from paraphrast.web.queueing.work_queue import (
    BatchedWork,
    QueueFull,
    ServerStopping,
    WorkQueue,
)


class Worker:
    """Work that notes its batches, and waits until it may begin."""

    def __init__(self) -> None:
        self.batches: list[list[Any]] = []
        self.begun = threading.Event()
        self.may_go_on = threading.Event()

    def work(self, key: str = "one") -> BatchedWork:
        return BatchedWork(key, self._read)

    def _read(self, items: list[Any]) -> list[str]:
        self.begun.set()
        assert self.may_go_on.wait(10)
        self.batches.append(items)
        if "bad" in items:
            raise InputError("a bad item")
        return [f"{item}!" for item in items]


@pytest.fixture
def worker() -> Iterator[Worker]:
    found = Worker()
    yield found
    found.may_go_on.set()


@pytest.fixture
def queue(worker: Worker) -> Iterator[WorkQueue]:
    found = WorkQueue("test", most_waiting=8, batch=4, turns=Turns())
    yield found
    worker.may_go_on.set()
    found.stop()


def held(queue: WorkQueue, worker: Worker) -> Future[list[Any]]:
    """Keep the thread busy, so that what follows waits in line."""
    first = queue.submit(worker.work("first"), ["first"])
    assert worker.begun.wait(10)
    return first


def results(*waiting: Future[list[Any]]) -> list[list[Any]]:
    return [one.result(10) for one in waiting]


def test_requests_of_several_clients_are_read_together(queue: WorkQueue, worker: Worker) -> None:
    first = held(queue, worker)
    others = [queue.submit(worker.work(), items) for items in (["a"], ["b", "c"], ["d", "e"])]
    worker.may_go_on.set()
    assert results(first, *others) == [["first!"], ["a!"], ["b!", "c!"], ["d!", "e!"]]
    assert worker.batches == [["first"], ["a", "b", "c"], ["d", "e"]]  # four are the most


def test_other_work_is_not_mixed_in_and_keeps_its_order(queue: WorkQueue, worker: Worker) -> None:
    first = held(queue, worker)
    keys = ("one", "two", "one")
    others = [queue.submit(worker.work(key), [key]) for key in keys]
    worker.may_go_on.set()
    results(first, *others)
    assert worker.batches == [["first"], ["one", "one"], ["two"]]


def test_a_full_line_refuses_and_says_when_to_come_back(queue: WorkQueue, worker: Worker) -> None:
    first = held(queue, worker)
    waiting = queue.submit(worker.work(), list("abcdef"))
    with pytest.raises(QueueFull) as full:
        queue.submit(worker.work(), list("ghi"))
    assert full.value.retry_after >= 1
    assert queue.waiting == 6
    worker.may_go_on.set()
    results(first, waiting)
    assert results(queue.submit(worker.work(), list("ghi"))) == [["g!", "h!", "i!"]]


def test_one_request_may_be_larger_than_the_line_where_nothing_waits(
    queue: WorkQueue, worker: Worker
) -> None:
    worker.may_go_on.set()
    assert len(queue.submit(worker.work(), ["x"] * 20).result(10)) == 20


def test_a_bad_item_harms_only_its_own_request(queue: WorkQueue, worker: Worker) -> None:
    first = held(queue, worker)
    good, bad, other = (queue.submit(worker.work(), [item]) for item in ("a", "bad", "b"))
    worker.may_go_on.set()
    assert results(first, good, other) == [["first!"], ["a!"], ["b!"]]
    with pytest.raises(InputError, match="a bad item"):
        bad.result(10)


def test_a_request_whose_client_has_left_is_not_read(queue: WorkQueue, worker: Worker) -> None:
    first = held(queue, worker)
    gone, there = (queue.submit(worker.work(), [item]) for item in ("gone", "there"))
    assert gone.cancel()
    worker.may_go_on.set()
    results(first, there)
    assert worker.batches == [["first"], ["there"]]
    with pytest.raises(CancelledError):
        gone.result(10)


def test_an_end_finishes_what_was_begun_and_takes_nothing_new(worker: Worker) -> None:
    queue = WorkQueue("test", most_waiting=8, batch=4, turns=Turns())
    first = held(queue, worker)
    second = queue.submit(worker.work(), ["a"])
    end = threading.Thread(target=queue.stop)
    end.start()
    _until(lambda: _refuses(queue, worker))
    worker.may_go_on.set()
    end.join(10)
    assert results(first, second) == [["first!"], ["a!"]]


def _refuses(queue: WorkQueue, worker: Worker) -> bool:
    try:
        queue.submit(worker.work(), [])
    except ServerStopping:
        return True
    return False


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < end
        threading.Event().wait(0.001)
