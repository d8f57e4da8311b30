"""Tables out: JSONL, TSV, CSV and Parquet."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from paraphrast.errors import ConfigError, InputError
from paraphrast.io.atomic import atomic_writer, check_writable
from paraphrast.io.fields import STDIN, check_format, format_of_name
from paraphrast.io.parquet import BATCH_ROWS, write_parquet
from paraphrast.io.rows import chunks

Row = Mapping[str, object]

_TABLES = ("jsonl", "tsv", "csv", "parquet")
_SHEETS = ("tsv", "csv")  # what spreadsheets open, and whose cells have no types
_FORMULA = tuple("=+-@＝＋－＠\t\r")  # what a spreadsheet takes for the beginning of a formula
_CSV_END = "\r\n"  # Python quotes a text with "\r" in it only where "\r" is of the line end
_STDOUT = STDIN
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def write_table(
    path: str | Path | None,
    rows: Iterable[Row],
    *,
    format: str | None = None,
    safe_cells: bool = False,
) -> int:
    """Write rows, one at a time or a few thousand for Parquet, and return how many.

    The format comes from the file name unless given; None or "-" is standard output (JSONL unless
    given). Files are written atomically. NaN and None become null, in TSV an empty field. In TSV
    a backslash, tab, newline or carriage return becomes \\\\, \\t, \\n or \\r, floats are written
    so that they read back equal, and lists as JSON. CSV is that of RFC 4180. Rows of TSV,
    CSV and Parquet must have equal keys; without rows the file is empty or, for Parquet, has no
    columns.

    With `safe_cells`, an apostrophe is put before texts of TSV and CSV that a spreadsheet takes for
    formulas, those that begin with =, +, -, @, a tab or a carriage return; numbers stay.
    """
    name = _STDOUT if path is None else str(path)
    layout = _layout(name, format)
    if safe_cells and layout in _SHEETS:
        rows = map(_safe, rows)
    counted = _Counted(rows)
    if layout == "parquet":
        with atomic_writer(name, binary=True) as file:
            write_parquet(file, chunks(_plain(_alike(counted)), BATCH_ROWS))
        return counted.count
    lines = _LINES[layout](counted)
    if name == _STDOUT:
        with _StandardOutput() as out:
            _write_lines(out.write, lines, counted)
    else:
        with atomic_writer(name) as file:
            _write_lines(file.write, lines, counted)
    return counted.count


def check_target(path: str | Path, *, table: bool = False) -> None:
    """Refuse a file that could not be written, or a table's name without a format, before work."""
    if table:
        _layout(str(path), None)
    if str(path) != _STDOUT:
        check_writable(path)


def _layout(name: str, format: str | None) -> str:
    if format is not None:
        check_format(format, _TABLES)
    layout = format or ("jsonl" if name == _STDOUT else format_of_name(name))
    if layout is None:
        raise ConfigError(
            f"{name}: the name tells no table format; "
            "end it in .jsonl, .tsv, .csv or .parquet, or give the format"
        )
    if layout == "parquet" and name == _STDOUT:
        raise ConfigError("Parquet cannot be written to standard output; give a file name")
    return layout


class _Counted:
    """Rows with their number so far."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = rows
        self.count = 0

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self.count += 1
            yield row


def _alike(rows: _Counted) -> Iterator[Row]:
    """Rows whose keys are those of the first, in any order."""
    first: Row | None = None
    for row in rows:
        first = row if first is None else first
        if row.keys() != first.keys():
            raise InputError(
                f"row {rows.count} has the columns {', '.join(row)}; "
                f"the first row has {', '.join(first)}"
            )
        yield row


def _write_lines(write: Callable[[str], object], lines: Iterable[str], rows: _Counted) -> None:
    for line in lines:
        try:
            write(line)
        except UnicodeEncodeError as error:
            raise InputError(
                f"row {rows.count} holds half a surrogate pair "
                f"(\\u{ord(error.object[error.start]):04x}), which cannot be written as UTF-8"
            ) from error


def _json_lines(rows: _Counted) -> Iterator[str]:
    for row in rows:
        try:
            line = _json(dict(row))
        except (TypeError, ValueError) as error:
            raise InputError(f"row {rows.count} cannot be written as JSON: {error}") from error
        yield line + "\n"


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):  # NaN or numpy inside: rare, so looked for only now
        return json.dumps(_simple(value), ensure_ascii=False, allow_nan=False)


def _tsv_lines(rows: _Counted) -> Iterator[str]:
    names: list[str] = []
    for row in _alike(rows):
        if not names:
            names = list(row)
            yield "\t".join(name.translate(_ESCAPES) for name in names) + "\n"
        try:
            line = "\t".join(_tsv(row[name]) for name in names)
        except (TypeError, ValueError) as error:
            raise InputError(f"row {rows.count} cannot be written as TSV: {error}") from error
        yield line + "\n"


def _csv_lines(rows: _Counted) -> Iterator[str]:
    """Yield rows as RFC 4180 has them, but with "\n" line ends."""
    names: list[str] = []
    line = StringIO()
    writer = csv.writer(line, lineterminator=_CSV_END)
    for row in _alike(rows):
        cells = [] if names else [list(row)]
        names = names or list(row)
        try:
            cells.append([_cell(row[name]) for name in names])
        except (TypeError, ValueError) as error:
            raise InputError(f"row {rows.count} cannot be written as CSV: {error}") from error
        for each in cells:
            writer.writerow(each)
            yield line.getvalue().removesuffix(_CSV_END) + "\n"
            line.seek(0)
            line.truncate()


_LINES: dict[str, Callable[[_Counted], Iterator[str]]] = {
    "jsonl": _json_lines,
    "tsv": _tsv_lines,
    "csv": _csv_lines,
}


def _tsv(value: object) -> str:
    return _cell(value).translate(_ESCAPES)


def _cell(value: object) -> str:
    if isinstance(value, str):
        return value
    value = _simple(value)
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else _json(value)


def _safe(row: Row) -> Row:
    """Return a row whose texts a spreadsheet takes for texts."""
    return {
        name: f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
        for name, cell in row.items()
    }


def _plain(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows free of numpy; NaN is kept, since it tells a column's type."""
    for row in rows:
        yield {
            name: value if isinstance(value, str | float) else _simple(value)
            for name, value in row.items()
        }


def _simple(value: Any) -> Any:
    """The value without numpy types and with None for NaN, all the way down."""
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        value = value.tolist()
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if isinstance(value, Mapping):
        return {name: _simple(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_simple(item) for item in value]
    return value


class _StandardOutput:
    """Standard output as UTF-8, whatever the locale; flushed at the end and left open."""

    def __init__(self) -> None:
        self._buffer = getattr(sys.stdout, "buffer", None)  # None: a text-only replacement
        self._guarded(sys.stdout.flush)

    def __enter__(self) -> _StandardOutput:
        return self

    def __exit__(self, *_: object) -> None:
        self._guarded(sys.stdout.flush if self._buffer is None else self._buffer.flush)

    def write(self, line: str) -> None:
        if self._buffer is None:
            self._guarded(sys.stdout.write, line)
        else:
            self._guarded(self._buffer.write, line.encode())

    def _guarded(self, act: Callable[..., object], *arguments: object) -> None:
        try:
            act(*arguments)
        except BrokenPipeError:  # the reader, e.g. head, has seen enough: the caller's to judge
            raise
        except OSError as error:
            why = error.strerror or str(error)
            raise InputError(f"cannot write to standard output: {why}") from error
