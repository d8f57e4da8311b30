"""Records of CSV and TSV, with the line that a fault is on."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from paraphrast.errors import InputError

_UNCLOSED = "unexpected end of data"  # how the csv module puts it


def csv_records(
    lines: Iterable[str], label: str, *, delimiter: str = ",", quoted: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Yield each record and the number of its last line; `label` names the file in messages."""
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        strict=True,
    )
    begun = 1
    try:
        for record in reader:
            yield reader.line_num, record
            begun = reader.line_num + 1
    except csv.Error as error:
        if str(error) == _UNCLOSED:
            raise InputError(
                f"{label}, line {begun}: the row that begins here opens a double quote that "
                'nothing closes; close it, and write "" for a quotation mark inside the text'
            ) from error
        raise InputError(f"{label}, line {reader.line_num}: {error}") from error
