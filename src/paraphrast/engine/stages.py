"""Run steps one after another: each reads the shards of the one before and leaves its own.

The folder of a step is named by all that its rows depend on: the step, every step before it, and
the data. A job that was stopped, however it was, goes on from the shards that are there, and a
changed one never takes another's.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from paraphrast.engine.pool import Engine
from paraphrast.engine.shards import Counts, DamagedShard, Shards
from paraphrast.engine.step import Advance, Dropped, Row, Step, Whole
from paraphrast.engine.task import Task, forget_peak, peak_memory
from paraphrast.errors import InputError
from paraphrast.io.resume import digest

T = TypeVar("T")
Stage = Callable[[str, int | None], AbstractContextManager[Advance]]


@contextmanager
def silent(_name: str, _total: int | None) -> Iterator[Advance]:
    """Show nothing."""
    yield lambda _done: None


def mended(job: Callable[[], T]) -> T:
    """Run a job of stages; what it finds damaged is forgotten, and it is run again.

    A file that is damaged a second time is the fault of the disk, and an error.
    """
    seen: set[Path] = set()
    while True:
        try:
            return job()
        except InputError as error:
            path = _damaged_file(error)
            if path is None or path in seen:
                raise
            seen.add(path)
            Shards(path.parent).forget(path)
            logging.getLogger(__name__).warning("note: %s was damaged; it is made again", path)


def _damaged_file(error: BaseException | None) -> Path | None:
    """Return the file that an error, or the one behind it, is about."""
    while error is not None:
        if isinstance(error, DamagedShard):
            return error.path
        error = error.__cause__
    return None


@dataclass(frozen=True, slots=True)
class Made:
    """What a stage left: its name, where its rows are, the hash of their origin, its counts.

    `wall` is how long it took from outside, in all sittings, up to the last shard that was finished
    in each; a step that began anew counts the sitting that finished it. `kept` tells whether it was
    finished before.
    """

    name: str
    shards: Shards
    key: str
    counts: Counts
    wall: float
    kept: bool


@dataclass(frozen=True, slots=True)
class Stages:
    """Runs stages in a folder with an engine; shards hold `size` rows."""

    folder: Path
    engine: Engine
    stage: Stage
    size: int = 1000

    def begin(
        self, name: str, identity: Mapping[str, Any], rows: Callable[[], Iterable[Row | Dropped]]
    ) -> Made:
        """Write the first rows; `identity` is all that they depend on."""
        key = self._key(name, identity, self.size)
        return self._serial(name, key, lambda advance: _counting(rows(), advance), None)

    def step(self, step: Step, before: Made) -> Made:
        """Run a step over every shard that it has not been run over yet."""
        signature = dict(step.signature)
        key = self._key(step.name, signature, before.key)
        target = self._target(step.name, key)
        if target.finished:
            return self._kept(step.name, target, key)
        started = time.monotonic() - target.wall()
        number = len(before.shards)
        tasks = [
            Task(each, before.shards.folder, target.folder, key=digest(signature))
            for each in range(number)
            if not target.has(each)
        ]
        rows_in = before.counts.rows_out
        with self.stage(step.name, rows_in) as advance:
            left = sum(before.shards.counts_of(task.number).rows_out for task in tasks)
            advance(rows_in - left)
            for task in tasks:  # here, where what is damaged can be made again
                before.shards.check(task.number)
            for counts in self.engine.work(step, tasks):
                advance(counts.rows_in)
                target.note_wall(time.monotonic() - started)
        wall = time.monotonic() - started
        total = sum((target.counts_of(each) for each in range(number)), Counts())
        target.finish(number, total, wall=wall)
        return Made(step.name, target, key, total, wall, kept=False)

    def whole(self, step: Whole, before: Made) -> Made:
        """Run a step that sees all rows; one that was stopped begins anew."""
        key = self._key(step.name, step.signature, before.key)
        scratch = self.folder / f"scratch-{key}"

        def results(advance: Advance) -> Iterator[Row | Dropped]:
            Shards(scratch).clear()
            scratch.mkdir(parents=True)
            yield from step.run(before.shards.rows, scratch, advance)

        try:
            return self._serial(step.name, key, results, before.counts.rows_out)
        finally:
            Shards(scratch).clear()

    def _serial(
        self,
        name: str,
        key: str,
        results: Callable[[Advance], Iterator[Row | Dropped]],
        rows_in: int | None,
    ) -> Made:
        """Write shards one after another in this process: the step is finished whole or not.

        `rows_in` is the number of rows that it is made of; None if there are none before it.
        """
        target = self._target(name, key)
        if target.finished:
            return self._kept(name, target, key)
        target.clear()
        started = time.monotonic()
        forget_peak()
        total, number = Counts(), 0
        with self.stage(name, rows_in) as advance:
            rows = iter(results(advance))
            while (block := list(islice(rows, self.size))) or number == 0:
                counts = target.put(number, block, Counts(rows_in=0 if rows_in else len(block)))
                target.seal(number, counts)
                total += counts
                number += 1
        wall = time.monotonic() - started
        total += Counts(rows_in=rows_in or 0, seconds=wall, memory=peak_memory())
        target.finish(number, total, wall=wall)
        return Made(name, target, key, total, wall, kept=False)

    def _kept(self, name: str, target: Shards, key: str) -> Made:
        totals = target.totals()
        return Made(name, target, key, target.counts(), float(totals.get("wall", 0.0)), kept=True)

    def _target(self, name: str, key: str) -> Shards:
        short = re.sub(r"[^\w.]+", "-", name).strip("-")[:40]
        return Shards(self.folder / f"{short}-{key}")

    @staticmethod
    def _key(name: str, signature: Mapping[str, Any], before: object) -> str:
        return digest([name, dict(signature), before])


def _counting(rows: Iterable[Row | Dropped], advance: Advance) -> Iterator[Row | Dropped]:
    for row in rows:
        advance(1)
        yield row
