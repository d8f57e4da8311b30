"""Rows of a table in any file, each with its place, as judgements and scores are read from."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from paraphrast.errors import InputError, MissingExtra
from paraphrast.io.cells import table_layout
from paraphrast.io.delimited import check_header, delimited_rows
from paraphrast.io.fields import repeated
from paraphrast.io.streams import Lines, Source, open_source

StrPath = str | Path


@dataclass(frozen=True, slots=True)
class FileRow:
    """Cells with their place; each getter demands what the column must hold.

    `titles` are the columns' names in the file, where they differ.
    """

    where: str
    cells: Mapping[str, Any]
    titles: Mapping[str, str] = field(default_factory=dict)

    def name(self, column: str) -> str:
        """An identifier: text or a whole number; "" when missing."""
        value = self.cells.get(column)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # a column of whole numbers with a gap is one of floats
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return "" if value is None else self._text(value, column, "text or a whole number")

    def named(self, column: str) -> str:
        """An identifier that must be there."""
        if not (name := self.name(column)):
            raise self._wrong(column, None, "a name")
        return name

    def text(self, column: str) -> str:
        return self._text(self.cells.get(column), column, "text")

    def texts(self, column: str) -> tuple[str, ...]:
        """A list of texts, one text, or none when missing."""
        value = self.cells.get(column)
        many = value if isinstance(value, list) else [] if value is None else [value]
        return tuple(self._text(one, column, "text or a list of texts") for one in many)

    def number(self, column: str) -> float:
        """A number, also written as text; NaN when missing."""
        value = self.cells.get(column)
        if value is None or value == "":
            return math.nan
        with suppress(ValueError, TypeError, OverflowError):
            if not isinstance(value, bool) and "_" not in str(value):
                return float(value)
        raise self._wrong(column, value, "a number")

    def within(self, column: str) -> FileRow:
        """The cells of an object in this row."""
        value = self.cells.get(column)
        if not isinstance(value, dict):
            raise self._wrong(column, value, "an object")
        return FileRow(f"{self.where}, {column}", value)

    def each(self, column: str) -> list[FileRow]:
        """The objects of a list in this row."""
        value = self.cells.get(column)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self._wrong(column, value, "a list of objects")
        return [FileRow(f"{self.where}, {column} {n}", one) for n, one in enumerate(value, 1)]

    def _text(self, value: Any, column: str, needed: str) -> str:
        if not isinstance(value, str):
            raise self._wrong(column, value, needed)
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise self._wrong(column, value, "text without half a surrogate pair") from error
        return value

    def _wrong(self, column: str, value: object, needed: str) -> InputError:
        found = "nothing" if value is None else ascii(value)
        found = found if len(found) <= 40 else f"{found[:37]}..."
        title = self.titles.get(column, column)
        return InputError(f"{self.where}: column {title!r} holds {found}; {needed} is needed")


def read_rows(path: StrPath, notes: list[str]) -> list[FileRow]:
    """Read all rows of a JSONL, TSV, CSV or Parquet file, gzipped or not; "-" is JSONL."""
    name = str(path)
    layout = table_layout(name)
    with open_source(name, notes) as source:
        rows = list(_READERS[layout](source))
    if not rows:
        raise InputError(f"{source.label} is empty: there are no rows in it")
    return rows


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers, from 1."""
    blocks = Lines(source)
    for block in blocks:
        yield from enumerate(block, blocks.first)


def _jsonl(source: Source) -> Iterator[FileRow]:
    for number, line in lines_of(source):
        where = f"{source.label}, line {number}"
        if not line.strip():
            continue
        try:
            cells = json.loads(line, object_pairs_hook=_unique)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: not valid JSON: {error}") from error
        if not isinstance(cells, dict):
            raise InputError(f"{where}: JSONL holds one object, {{...}}, per line")
        yield FileRow(where, cells)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if (key := repeated(key for key, _ in pairs)) is not None:
        raise ValueError(f"the key {key!r} occurs twice in one object")
    return dict(pairs)


def _flat(source: Source, delimiter: str) -> Iterator[FileRow]:
    """A header, then rows; in CSV fields may be quoted and hold line ends, in TSV they may not."""
    rows = delimited_rows(source, delimiter)
    _, header = next(rows, (1, []))
    check_header(source, header)
    for line, cells in rows:
        where = f"{source.label}, line {line}"
        if cells and len(cells) != len(header):
            raise InputError(f"{where}: {len(cells)} fields where the header has {len(header)}")
        if cells:
            yield FileRow(where, dict(zip(header, cells, strict=True)))


def _parquet(source: Source) -> Iterator[FileRow]:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtra("parquet", "pyarrow") from error
    with source.seekable() as file:
        try:
            table = parquet.ParquetFile(file)
            if (name := repeated(table.schema_arrow.names)) is not None:
                raise InputError(f"{source.label}: two columns are named {name!r}; rename one")
            rows = table.read(use_threads=False).to_pylist()
        except (arrow.ArrowException, OSError, ValueError) as error:
            why = str(error).partition("\n")[0]
            raise InputError(f"{source.label}: not a Parquet file, or damaged ({why})") from error
    yield from (FileRow(f"{source.label}, row {n}", cells) for n, cells in enumerate(rows, 1))


_READERS: dict[str, Callable[[Source], Iterator[FileRow]]] = {
    "jsonl": _jsonl,
    "tsv": partial(_flat, delimiter="\t"),
    "csv": partial(_flat, delimiter=","),
    "parquet": _parquet,
}
