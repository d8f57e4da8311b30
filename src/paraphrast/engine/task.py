"""One shard's work: read its rows, run a step, write what it makes of them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from paraphrast.engine.shards import Counts, Shards
from paraphrast.engine.step import Dropped, Row, Work

POISON = "the worker died"
_PEAK, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@dataclass(frozen=True, slots=True)
class Task:
    """A shard to work on: `source` holds the rows, the results go to `target`.

    `poisonous` are rows, by place, that a worker died of: they are set aside. A `careful` worker
    takes one row at a time, and says which, so that the next death tells its reason. `key` is the
    digest of the step's signature when the folder of the target was named by it.
    """

    number: int
    source: Path
    target: Path
    careful: bool = False
    poisonous: tuple[int, ...] = ()
    key: str = ""


def do(task: Task, work: Work, say: Callable[[int], None]) -> Counts:
    """Work on a shard; `say` hears the place of each row before it, if the task is careful."""
    started = time.perf_counter()
    rows = Shards(task.source).rows_of(task.number)
    target = Shards(task.target)
    results = _carefully(task, rows, work, say) if task.careful else work(rows)
    counts = target.put(task.number, results, Counts(rows_in=len(rows)))
    counts = replace(counts, seconds=time.perf_counter() - started, memory=peak_memory())
    target.seal(task.number, counts)
    return counts


def _carefully(
    task: Task, rows: Sequence[Row], work: Work, say: Callable[[int], None]
) -> Iterator[Row | Dropped]:
    aside = set(task.poisonous)
    for place, row in enumerate(rows):
        if place in aside:
            yield Dropped(row, POISON, "twice, on this row")
            continue
        say(place)
        yield from work([row])


def forget_peak() -> None:
    """Let `peak_memory` begin anew, where the system can."""
    try:
        _CLEAR.write_text("5")
    except OSError:  # not Linux, or not allowed: the peak is that of the process's whole life
        return


def peak_memory() -> int:
    """Return the greatest resident memory of this process in bytes."""
    try:
        for line in _PEAK.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
