"""Rows of CSV and TSV, with the line that each ends in; what is wrong is named with its line."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator

from paraphrast.errors import InputError
from paraphrast.io.fields import repeated
from paraphrast.io.streams import Lines, Source

_QUOTING = 'a text that holds a comma or a line end stands in double quotes, and " in it is ""'
_OTHER_MARKS = {
    ";": "semicolons; save it with commas as .csv, or with tabs as .tsv",
    "\t": "tabs; name it .tsv",
}


def delimited_rows(source: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the number of its last line, the header first.

    CSV is that of RFC 4180: lines end in CRLF or LF, which is no fault to note, and a quoted field
    keeps the line ends in it. In TSV nothing is quoted, and a carriage return is removed and noted.
    A blank line is a row without fields.
    """
    quoted = delimiter == ","
    lines = (f"{line}\n" for block in Lines(source, keep_returns=quoted) for line in block)
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        strict=True,
    )
    start = 1
    try:
        for row in reader:
            yield reader.line_num, row
            start = reader.line_num + 1
    except csv.Error as error:
        raise _fault(source, error, start, reader.line_num) from error


def check_header(source: Source, header: list[str], wanted: Collection[str | None] = ()) -> None:
    """Refuse a name that occurs twice, and a file that some other mark seems to separate.

    A single column may hold such a mark in its name if that name is `wanted`.
    """
    if (name := repeated(header)) is not None:
        raise InputError(f"{source.label}, line 1: two columns are named {name!r}; rename one")
    if len(header) != 1 or header[0] in wanted:
        return
    for mark, fix in _OTHER_MARKS.items():
        if mark in header[0]:
            raise InputError(
                f"{source.label}, line 1: the only column is {header[0]!r:.60}; the file seems to "
                f"be separated by {fix}"
            )


def _fault(source: Source, error: csv.Error, start: int, line: int) -> InputError:
    """Put the csv module's complaint into words that name the line and the remedy."""
    words = str(error)
    if words == "unexpected end of data":
        return InputError(
            f"{source.label}, line {start}: a quotation mark in this row is never closed; "
            f"close it: {_QUOTING}"
        )
    if words.startswith("new-line character"):
        words = "a carriage return in a text without quotes"
    since = "" if start == line else f", in the row that begins in line {start}"
    return InputError(f"{source.label}, line {line}{since}: {words}; {_QUOTING}")
