"""Cells of any kind, a row at a time: JSONL, TSV, CSV and Parquet, gzipped or not.

`Rows` reads columns of text in step; this reads tables whose columns hold numbers as well, such as
labels, and names the place of each row for messages.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from paraphrast.errors import ConfigError, InputError, MissingExtra, check_characters
from paraphrast.io.csv_records import csv_records
from paraphrast.io.fields import STDIN, Field, format_of_name, label, repeated
from paraphrast.io.streams import Lines, Source, open_source

Cells = tuple[Any, ...]
Reader = Callable[[Source, Sequence[Field]], Iterator[tuple[str, Cells]]]

_BATCH = 4096


def read_cells(
    path: str, columns: Sequence[str], notes: list[str] | None = None
) -> Iterator[tuple[str, Cells]]:
    """Yield each row's place ("FILE, line 3") and its cells of the columns named.

    "-" is standard input, as JSONL. JSON's null and a missing key are None; cells of TSV and CSV
    are always text. `notes` takes what was mended on the way.
    """
    read = _READERS[table_layout(path)]
    fields = [Field(path, column, "jsonl", "column") for column in columns]
    empty = True
    with open_source(path, [] if notes is None else notes) as source:
        for place, cells in read(source, fields):
            empty = False
            yield place, cells
    if empty:
        raise InputError(f"{label(path)} is empty: there are no rows in it")


def text_cell(value: object, where: str) -> str:
    """Demand that a cell holds text that can be written again."""
    if not isinstance(value, str):
        found = "nothing" if value is None else f"{value!r:.40}"
        raise InputError(f"{where}: text is needed; got {found}")
    check_characters(value, where)
    return value


def table_layout(path: str) -> str:
    """Return jsonl, tsv, csv or parquet by the file's name; standard input is JSONL."""
    if path.lower().removesuffix(".gz").endswith(".csv"):
        return "csv"
    layout = "jsonl" if path == STDIN else format_of_name(path)
    if layout is None:
        raise ConfigError(
            f"{path}: the name tells no table format; end it in .jsonl, .tsv, .csv or .parquet"
        )
    return layout


def _numbered(source: Source) -> Iterator[tuple[int, str]]:
    blocks = Lines(source)
    for block in blocks:
        yield from enumerate(block, blocks.first)
        source.rows += len(block)


def _jsonl(source: Source, fields: Sequence[Field]) -> Iterator[tuple[str, Cells]]:
    names: list[str] = []
    for number, line in _numbered(source):
        if not line.strip():
            continue
        where = f"{source.label}, line {number}"
        row = _object(line, where)
        names = names or [field.choose(row, where) for field in fields]
        yield where, tuple(map(row.get, names))


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON: {error}") from error
    if not isinstance(row, dict):
        raise InputError(f"{where}: JSONL holds one object, {{...}}, per line")
    return row


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(f"the key {repeated(key for key, _ in pairs)!r} occurs twice")
    return found


def _flat(
    source: Source, fields: Sequence[Field], *, delimiter: str
) -> Iterator[tuple[str, Cells]]:
    """Read a header, then rows; in CSV a quoted field may hold line ends, in TSV none is quoted."""
    lines = (f"{line}\n" for _, line in _numbered(source))
    records = csv_records(lines, source.label, delimiter=delimiter, quoted=delimiter != "\t")
    _, header = next(records, (0, []))
    if (name := repeated(header)) is not None:
        raise InputError(f"{source.label}, line 1: two columns are named {name!r}; rename one")
    places = [header.index(field.choose(header, source.label)) for field in fields]
    for line, row in records:
        where = f"{source.label}, line {line}"
        if row and len(row) != len(header):
            raise InputError(f"{where}: {len(row)} fields where the header has {len(header)}")
        if row:
            yield where, tuple(row[place] for place in places)


def _parquet(source: Source, fields: Sequence[Field]) -> Iterator[tuple[str, Cells]]:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtra("parquet", "pyarrow") from error
    with source.seekable() as file:
        try:
            table = parquet.ParquetFile(file, page_checksum_verification=True)
            names = [field.choose(table.schema_arrow.names, source.label) for field in fields]
            for batch in table.iter_batches(_BATCH, columns=names, use_threads=False):
                columns = [batch.column(name).to_pylist() for name in names]
                for number, cells in enumerate(zip(*columns, strict=True), source.rows + 1):
                    yield f"{source.label}, row {number}", cells
                source.rows += len(batch)
        except (arrow.ArrowException, OSError, ValueError) as error:
            why = str(error).partition("\n")[0]
            raise InputError(f"{source.label}: not a Parquet file, or damaged ({why})") from error


_READERS: dict[str, Reader] = {
    "jsonl": _jsonl,
    "tsv": partial(_flat, delimiter="\t"),
    "csv": partial(_flat, delimiter=","),
    "parquet": _parquet,
}
