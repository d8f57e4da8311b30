"""Speed and memory of corpus building: `python -m benchmarks.build --sentences 1000000`.

Each step that needs neither a model nor a translator runs in a process of its own over made-up
rows that it reads from a JSON file, as from the engine's shards. Printed are sentences a second by
the clock and by the processor time of the step alone (that of reading the rows is measured first
and taken off), and the peak of memory that is not mapped from files. `--only NAME` runs one step.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.mine import made_up
from paraphrast.corpora.balance import Balance
from paraphrast.corpora.duplicates import Deduplicate
from paraphrast.corpora.intake import IntakeStep
from paraphrast.corpora.negatives import Negatives
from paraphrast.corpora.pairing import PairStep
from paraphrast.corpora.ranking import KeepBest
from paraphrast.corpora.splits import Split
from paraphrast.engine.step import Dropped, Row, Step, Whole
from paraphrast.io import chunks

SIZES = (100_000, 1_000_000)
SHARD = 1000
FLOOR = 20_000  # sentences a second on two cores
MB = 1 << 20
LETTERS = str.maketrans("0123456789", "abcdefghij")


@dataclass(frozen=True)
class FileSentences:
    """The sentences of a file of rows."""

    path: str

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"file": self.path}

    def __call__(self) -> Iterator[Row]:
        return read(Path(self.path))


@dataclass(frozen=True)
class Case:
    """A step, the file that it reads, how often it does so, and processes it may use."""

    name: str
    rows: str
    passes: int
    make: Callable[[Path], Step | Whole]
    processes: int = 1


CASES = (
    Case("intake (model)", "sentences", 1, lambda _: IntakeStep(language="en"), 2),
    Case("intake (script)", "sentences", 1, lambda _: IntakeStep(language="en", check="script"), 2),
    Case("deduplicate", "sentences", 1, lambda _: Deduplicate()),
    Case("deduplicate (one template)", "template", 1, lambda _: Deduplicate()),
    Case("best", "sentences", 2, lambda _: KeepBest(keep=10_000)),
    Case("pair", "translated", 1, lambda _: PairStep(), 2),
    Case("balance", "pairs", 2, lambda _: Balance(per_bin=1000)),
    Case("split", "pairs", 2, lambda _: Split()),
    Case(
        "negatives",
        "few",
        1,
        lambda folder: Negatives(
            sentences=FileSentences(str(folder / "sentences")), per_bin=1000, lowest=0.0
        ),
    ),
)


def write(folder: Path, count: int, wanted: set[str]) -> None:
    """Write the rows that the steps read, in the files that are wanted."""
    with ExitStack() as stack:
        files = {
            name: stack.enter_context((folder / name).open("w", encoding="utf-8"))
            for name in sorted(wanted)
        }
        for start, some in enumerate(chunks(made_up(count), 3 * SHARD)):
            texts = [text.translate(LETTERS) for text in some]
            for name, file in files.items():
                rows = ROWS[name](3 * SHARD * start, texts)
                file.writelines(f"{json.dumps(row)}\n" for row in rows)


def sentences(start: int, texts: list[str]) -> Iterator[Row]:
    """Yield ranked sentences."""
    for number, text in enumerate(texts, start):
        row = {"id": f"{number:09d}", "text": text, "from": "made up", "row": number + 1}
        yield {**row, "perplexity": (number * 7919 % 100_003) / 7}


def template(start: int, texts: list[str]) -> Iterator[Row]:
    """Yield sentences that differ in two words."""
    for number, row in enumerate(sentences(start, texts), start):
        line = f"Flight {number} to London leaves at gate {number % 97} today, as planned"
        yield {**row, "text": line}


def translated(start: int, texts: list[str]) -> Iterator[Row]:
    """Yield sentences with two translations, each sharing words with the next."""
    others = texts[1:] + texts[:1]
    for row, other in zip(sentences(start, texts), others, strict=True):
        yield {**row, "quality": 0.5, "translations": {"a": row["text"], "b": other}}


def pairs(start: int, texts: list[str]) -> Iterator[Row]:
    """Yield the pairs that they make."""
    with PairStep().open() as work:
        yield from (row for row in work(list(translated(start, texts))) if isinstance(row, dict))


def few(start: int, texts: list[str]) -> Iterator[Row]:
    """Yield a thousand pairs and no more."""
    return islice(pairs(start, texts), 0 if start else SHARD)


ROWS: dict[str, Callable[[int, list[str]], Iterator[Row]]] = {
    "sentences": sentences,
    "template": template,
    "translated": translated,
    "pairs": pairs,
    "few": few,
}


def read(path: Path) -> Iterator[Row]:
    """Yield rows."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def made(step: Step | Whole, path: Path, scratch: Path) -> Iterator[Row | Dropped]:
    """Run a step in this process."""
    if hasattr(step, "open"):
        with step.open() as work:
            for shard in chunks(read(path), SHARD):
                yield from work(shard)
    else:
        yield from step.run(lambda: read(path), scratch, lambda _done: None)


def measured(number: int, folder: Path, answer: Any) -> None:
    """Run a case, in a child process, and send what it took."""
    case = CASES[number]
    path = folder / case.rows
    inputs = [path] * case.passes + [folder / name for name in _files(case)[1:]]
    start = time.process_time()
    for one in inputs:
        deque(read(one), maxlen=0)
    reading = time.process_time() - start
    with tempfile.TemporaryDirectory(dir=folder) as scratch, _Memory() as memory:
        clock, processor = time.perf_counter(), time.process_time()
        counts = Counter(_kind(made(case.make(folder), path, Path(scratch))))
        took, spent = time.perf_counter() - clock, time.process_time() - processor
    answer.send((took, spent, reading, memory.most, dict(counts)))


def _kind(rows: Iterable[Row | Dropped]) -> Iterator[str]:
    return (row.reason if isinstance(row, Dropped) else "kept" for row in rows)


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
            write(Path(name), count, {file for case in chosen for file in _files(case)})
            for case in chosen:
                missed += _printed(case, count, Path(name)) * case.processes < FLOOR
    return int(missed > 0)


def _files(case: Case) -> list[str]:
    return [case.rows, "sentences"] if case.name == "negatives" else [case.rows]


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
