"""Several columns, from one file or from many, as one stream of rows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import chain, islice
from typing import TypeVar

from paraphrast.errors import ConfigError, InputError
from paraphrast.io.fields import STDIN, Field, Value
from paraphrast.io.parquet import read_parquet
from paraphrast.io.readers import Block, read_csv, read_jsonl, read_text, read_tsv
from paraphrast.io.streams import Source, open_source

T = TypeVar("T")

_READERS: dict[str, Callable[[Source, Sequence[Field]], Generator[Block, None, None]]] = {
    "text": read_text,
    "tsv": read_tsv,
    "csv": read_csv,
    "jsonl": read_jsonl,
    "parquet": read_parquet,
}


class Rows:
    """Iterate over tuples of values, one per field, in step over all files.

    A file named by several fields is read once. Files that differ in length raise InputError at
    the end of the shortest, when its rows have been given already: use no result before the
    iteration has ended. Iterating again opens the files again (standard input has nothing left).
    """

    def __init__(self, fields: Sequence[Field], *, hashed: bool = False) -> None:
        self.notes: list[str] = []
        """What was mended on the way, complete when the iteration has ended."""
        self._hashed = hashed
        self._sources: list[Source] = []
        self._sha256: dict[str, str] = {}
        self._places: list[tuple[int, int]] = []
        self._inputs: dict[tuple[str, str], list[Field]] = {}
        for field in fields:
            together = self._inputs.setdefault((field.path, field.layout), [])
            together.append(field)
            index = list(self._inputs).index((field.path, field.layout))
            self._places.append((index, len(together) - 1))
        _check(self._inputs)

    def __iter__(self) -> Iterator[tuple[Value, ...]]:
        self.notes.clear()
        return chain.from_iterable(self._blocks())

    def sha256(self) -> dict[str, str]:
        """Return the hashes of the files that the last iteration read, by path; if `hashed`.

        What it has not read yet is read now, and the iteration must not go on.
        """
        return self._sha256 or {source.path: source.sha256() for source in self._sources}

    def _blocks(self) -> Iterator[Iterable[tuple[Value, ...]]]:
        with ExitStack() as stack:
            cursors = []
            for (path, layout), fields in self._inputs.items():
                source = stack.enter_context(open_source(path, self.notes, hashed=self._hashed))
                reader = stack.enter_context(closing(_READERS[layout](source, fields)))
                cursors.append(_Cursor(source, reader))
            self._sources, self._sha256 = [cursor.source for cursor in cursors], {}
            for blocks in _in_step(cursors):
                yield zip(*(blocks[i][column] for i, column in self._places), strict=True)
            if self._hashed:
                self._sha256 = self.sha256()  # before the files are closed


def chunks(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` rows; the last one may be shorter, none is empty."""
    if size < 1:
        raise ValueError(f"size must be at least 1, not {size}")
    iterator = iter(rows)
    return iter(lambda: list(islice(iterator, size)), [])


class _Cursor:
    """A reader's current block and how much of it has been given."""

    def __init__(self, source: Source, reader: Iterator[Block]) -> None:
        self.source = source
        self._reader = reader
        self._block: Block = ()
        self._next = 0
        self._end = 0

    def ready(self) -> int:
        """How many rows can be taken now; 0 at the end only."""
        while self._next == self._end and (block := next(self._reader, None)) is not None:
            self._block, self._next = block, 0
            self._end = len(block[0]) if block else 0
            self.source.rows += self._end
        return self._end - self._next

    def take(self, count: int) -> Block:
        start, self._next = self._next, self._next + count
        if count == self._end:
            return self._block
        return [column[start : self._next] for column in self._block]

    def count(self) -> int:
        """Read to the end, giving nothing, and return the number of all rows."""
        while rows := self.ready():
            self.take(rows)
        return self.source.rows


def _in_step(cursors: Sequence[_Cursor]) -> Iterator[list[Block]]:
    while count := min(ready := [cursor.ready() for cursor in cursors]):
        yield [cursor.take(count) for cursor in cursors]
    for cursor in cursors:
        if not cursor.source.rows:
            raise InputError(f"{cursor.source.label} is empty: there are no rows in it")
    if any(ready):
        counts = ", ".join(f"{cursor.source.label} has {cursor.count()}" for cursor in cursors)
        raise InputError(
            f"the inputs differ in their numbers of rows: {counts}; "
            "row n of each must belong to the same segment: find the rows missing or too many"
        )


def _check(inputs: dict[tuple[str, str], list[Field]]) -> None:
    """Refuse what can be seen to be impossible before anything is opened."""
    if not inputs:
        raise ConfigError("there is nothing to read: give at least one file")
    if len([path for path, _ in inputs if path == STDIN]) > 1:
        raise ConfigError("standard input can have one format only")
    for (path, layout), fields in inputs.items():
        if layout == "text":
            _check_text(path, fields)


def _check_text(path: str, fields: list[Field]) -> None:
    for field in fields:
        if field.column is not None:
            raise ConfigError(
                f"{path}: a text file has no column {field.column!r}; if it is a table, "
                "name its format: tsv, csv, jsonl or parquet"
            )
    if path == STDIN and len(fields) > 1:
        roles = " and ".join(field.role for field in fields)
        raise ConfigError(
            f"standard input as text holds one column only, not {roles}; "
            "give the others as files, or send a table (tsv, csv, jsonl, parquet) and name columns"
        )
