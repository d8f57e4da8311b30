"""Speed and memory of corpus building: `python -m benchmarks.build --sentences 1000000`.

Each step that needs neither a model nor a translator runs in a process of its own over made-up
rows that it reads from a JSON file, as from the engine's shards. Printed are sentences a second by
the clock and by the processor time of the step alone (that of reading the rows is measured first
and taken off), and the peak of memory that is not mapped from files. Of `source`, which reads text
and writes shards, and of `assemble`, which reads shards and writes the whole corpus, nothing is
taken off. `--only NAME` runs one step.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

from benchmarks.build_cases import CASES, Case
from benchmarks.build_rows import read, write

SIZES = (100_000, 1_000_000)
FLOOR = 20_000  # sentences a second on two cores
MB = 1 << 20


def measured(number: int, folder: Path, answer: Any) -> None:
    """Run a case, in a child process, and send what it took."""
    case = CASES[number]
    start = time.process_time()
    for name in case.reads:
        deque(read(folder / name), maxlen=0)
    reading = time.process_time() - start
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        work = case.prepare(folder, Path(scratch))
        with _Memory() as memory:
            clock, processor = time.perf_counter(), time.process_time()
            counts = work()
            took, spent = time.perf_counter() - clock, time.process_time() - processor
    answer.send((took, spent, reading, memory.most, dict(counts)))


class _Memory:
    """The most memory of our own that is seen while the block runs."""

    def __enter__(self) -> _Memory:
        self.most = own_memory()
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watch.join()

    def _look(self) -> None:
        while not self._over.wait(0.02):
            self.most = max(self.most, own_memory())


def own_memory() -> int:
    """Return the memory that is not mapped from files, which the system can take back."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


def main() -> int:
    """Measure the steps at each size; return 1 if the processor time of one misses the floor."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.build", description=__doc__)
    parser.add_argument("--sentences", type=int, nargs="+", default=SIZES)
    parser.add_argument("--only", default="", help="run the steps whose name holds this")
    asked = parser.parse_args()
    print(f"{'step':28}{'rows':>10}{'clock s':>9}{'cpu s':>8}{'cpu rows/s':>12}{'MB':>7}  made")
    missed = 0
    for count in asked.sentences:
        with tempfile.TemporaryDirectory() as name:
            chosen = [case for case in CASES if asked.only in case.name]
            files = {file for case in chosen for file in (*case.reads, *case.wants)}
            write(Path(name), count, files)
            for case in chosen:
                missed += _printed(case, count, Path(name)) * case.processes < FLOOR
    return int(missed > 0)


def _printed(case: Case, count: int, folder: Path) -> float:
    """Print a line and return rows per second of processor time, in one process."""
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe(duplex=False)
    child = context.Process(target=measured, args=(CASES.index(case), folder, theirs))
    child.start()
    theirs.close()
    took, spent, reading, most, counts = mine.recv()
    child.join()
    rate: float = count / max(spent - reading, 1e-9)
    shown = ", ".join(f"{kind} {times:,}" for kind, times in sorted(counts.items()))
    print(
        f"{case.name:28}{count:>10,}{took:>9.1f}{spent:>8.1f}{rate:>12,.0f}{most / MB:>7,.0f}"
        f"  {shown}",
        flush=True,
    )
    return rate


if __name__ == "__main__":
    raise SystemExit(main())
