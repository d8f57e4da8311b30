"""Rows of a step on disk, in shards: each complete or not there, with what is known of it.

The folder of a step holds for each shard its rows, the rows that were set aside, and, written last,
its counts with the sizes and hashes of both: a shard is done if its counts are there and the sizes
are right. Hashes are compared before rows are read. Totals follow when all shards are done.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from paraphrast.engine.step import Dropped, Row
from paraphrast.errors import InputError
from paraphrast.io import atomic_writer
from paraphrast.io.atomic import make_folder
from paraphrast.io.resume import file_sha256

DONE, WALL = "done.json", "wall.json"
_FILES = "files"
_EARLIER = {"taken": "rows_in", "given": "rows_out"}  # names in folders of earlier versions

_JSON = json.JSONEncoder(ensure_ascii=False)  # dumps would make one for each row
_DECODE = json.JSONDecoder().decode


class DamagedShard(InputError):
    """A file of a step's folder is not as it was written; `path` is that file."""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What became of the rows of a shard, or of a step: rows in and out, reasons, time, memory.

    `seconds` are those of all workers together, `memory` is the peak of one process in bytes.
    """

    rows_in: int = 0
    rows_out: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    memory: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            rows_in=self.rows_in + other.rows_in,
            rows_out=self.rows_out + other.rows_out,
            dropped=dict(sorted((Counter(self.dropped) + Counter(other.dropped)).items())),
            seconds=self.seconds + other.seconds,
            memory=max(self.memory, other.memory),
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Shards:
    """The folder of one step."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._checked: set[int] = set()

    def __len__(self) -> int:
        """How many shards there are; only of a finished step."""
        return int(self.totals()["shards"])

    @property
    def finished(self) -> bool:
        """Whether the totals are there, and all shards that they count."""
        return (self.folder / DONE).exists() and all(map(self.has, range(len(self))))

    def totals(self) -> dict[str, Any]:
        """Return what `finish` wrote."""
        found = read_json(self.folder / DONE)
        if not {"shards", "counts"} <= found.keys():
            raise _damaged(self.folder / DONE, ValueError("the totals are not all there"))
        return found

    def counts(self) -> Counts:
        """Return the counts of the finished step."""
        return _counts(self.totals()["counts"], self.folder / DONE)

    def counts_of(self, number: int) -> Counts:
        """Return the counts of a shard that is done."""
        path = self.counts_file(number)
        found = read_json(path)
        found.pop(_FILES, None)
        return _counts(found, path)

    def rows_file(self, number: int) -> Path:
        return self.folder / f"shard-{number:06d}.jsonl"

    def dropped_file(self, number: int) -> Path:
        return self.folder / f"shard-{number:06d}.dropped.jsonl"

    def counts_file(self, number: int) -> Path:
        return self.folder / f"shard-{number:06d}.json"

    def has(self, number: int) -> bool:
        """Whether a shard is done and its files have the sizes that they were written with."""
        if not self.counts_file(number).exists():
            return False
        return all(
            path.is_file() and path.stat().st_size == size
            for path, size, _ in self._described(number)
        )

    def check(self, number: int) -> None:
        """Raise InputError if a file of a shard is not as it was written."""
        if number in self._checked:
            return
        for path, size, digest in self._described(number):
            if not path.is_file() or path.stat().st_size != size or file_sha256(path) != digest:
                raise _damaged(path, ValueError("it is not as it was written"))
        self._checked.add(number)

    def _described(self, number: int) -> list[tuple[Path, int, str]]:
        """Return the files of a shard with their sizes and hashes; none of older versions."""
        path = self.counts_file(number)
        try:
            files = read_json(path).get(_FILES, {}).items()
            return [
                (self.folder / Path(name).name, int(size), str(digest))
                for name, (size, digest) in files
            ]
        except (AttributeError, TypeError, ValueError) as error:
            raise _damaged(path, error) from error

    def rows(self) -> Iterator[Row]:
        """Yield the rows of a finished step, in order."""
        return (row for row, _ in self.lines())

    def lines(self) -> Iterator[tuple[Row, str]]:
        """Yield the rows of a finished step, in order, each with the line that it was read from."""
        for number in range(len(self)):
            self.check(number)
            yield from _read_lines(self.rows_file(number))

    def rows_of(self, number: int) -> list[Row]:
        """Return the rows of one shard."""
        self.check(number)
        return list(read_rows(self.rows_file(number)))

    def dropped(self) -> Iterator[Row]:
        """Yield what was set aside, in order: rows with `reason` and `detail`."""
        for number in range(len(self)):
            path = self.dropped_file(number)
            if path.exists():
                yield from read_rows(path)

    def put(self, number: int, results: Iterable[Row | Dropped], counts: Counts) -> Counts:
        """Write a shard; `counts` has what is known before: the rows in."""
        reasons: Counter[str] = Counter()
        rows_out, aside = 0, []
        make_folder(self.folder)
        with atomic_writer(self.rows_file(number)) as file:
            for each in results:
                if isinstance(each, Dropped):
                    reasons[each.reason] += 1
                    aside.append(_aside(each))
                else:
                    rows_out += 1
                    file.write(to_line(each))
        self.dropped_file(number).unlink(missing_ok=True)
        if aside:
            with atomic_writer(self.dropped_file(number)) as file:
                file.writelines(map(to_line, aside))
        return Counts(
            rows_in=counts.rows_in, rows_out=rows_out, dropped=dict(sorted(reasons.items()))
        )

    def seal(self, number: int, counts: Counts) -> None:
        """Say that a shard is done, and how its files are."""
        paths = [self.rows_file(number), self.dropped_file(number)]
        files = {
            path.name: [path.stat().st_size, file_sha256(path)] for path in paths if path.exists()
        }
        with atomic_writer(self.counts_file(number)) as file:
            file.write(json.dumps({**counts.to_dict(), _FILES: files}) + "\n")

    def finish(self, number: int, total: Counts, **more: Any) -> None:
        """Say that the step is done, in so many shards."""
        said = {"shards": number, "counts": total.to_dict(), **more}
        with atomic_writer(self.folder / DONE) as file:
            file.write(json.dumps(said, indent=1, ensure_ascii=False) + "\n")

    def wall(self) -> float:
        """Return the seconds that earlier sittings took, as far as `note_wall` was told."""
        path = self.folder / WALL
        return float(read_json(path)["wall"]) if path.exists() else 0.0

    def note_wall(self, seconds: float) -> None:
        """Keep the seconds of all sittings so far, for one that goes on after a stop."""
        with atomic_writer(self.folder / WALL) as file:
            file.write(json.dumps({"wall": seconds}) + "\n")

    def forget(self, path: Path) -> None:
        """Let the shard of a file, or the totals, count as not done: they are made again."""
        for stale in (path.with_name(f"{path.name.partition('.')[0]}.json"), self.folder / DONE):
            stale.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove all that is there."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _counts(table: Any, path: Path) -> Counts:
    try:
        named = {_EARLIER.get(name, name): value for name, value in table.items()}
        if not {"rows_in", "rows_out"} <= named.keys():
            raise ValueError("the counts are not all there")
        return Counts(**named)
    except (AttributeError, TypeError, ValueError) as error:
        raise _damaged(path, error) from error


def to_line(row: Row) -> str:
    """Return a row as it is written."""
    return _JSON.encode(row) + "\n"


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file that we wrote."""
    return (row for row, _ in _read_lines(path))


def _read_lines(path: Path) -> Iterator[tuple[Row, str]]:
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                yield _DECODE(line), line
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from error


def read_json(path: Path) -> dict[str, Any]:
    """Return an object of a file that we wrote."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError("it is no object")
        return found
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise _damaged(path, error) from error


def _aside(each: Dropped) -> Row:
    detail_text = each.detail.encode(errors="replace").decode()  # half a surrogate pair is no text
    detail = {"detail": detail_text} if detail_text else {}
    return {"reason": each.reason, **detail, "row": each.row}


def _damaged(path: Path, error: Exception) -> DamagedShard:
    found = DamagedShard(
        f"{path} cannot be read ({error}); remove the folder {path.parent}, and the step is done "
        "again"
    )
    found.path = path
    return found
