"""Text, TSV, CSV and JSONL, a block of rows at a time.

Each reader takes an opened source and the fields wanted from it, and yields blocks: one column
of values per field, all of the same length. A block is checked as a whole at C speed; only when
something is wrong is it gone through again line by line, to name the line.
"""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Sequence
from itertools import chain, islice
from operator import itemgetter
from typing import Any

from paraphrast.errors import InputError, check_characters
from paraphrast.io.csv_records import csv_records
from paraphrast.io.fields import Field, Value, repeated
from paraphrast.io.streams import Lines, Source

Block = Sequence[Sequence[Value]]
_CSV_ROWS = 1024


def read_text(source: Source, fields: Sequence[Field]) -> Generator[Block, None, None]:
    """One text per line."""
    for lines in Lines(source):
        yield [lines] * len(fields)


def read_tsv(source: Source, fields: Sequence[Field]) -> Generator[Block, None, None]:
    """A header line, then rows; tabs separate, and nothing is quoted or escaped.

    A quotation mark or a backslash is an ordinary character: undoing escapes would change texts
    that happen to hold them.
    """
    lines = Lines(source)
    header: list[str] | None = None
    for block in lines:
        rows = [line.split("\t") for line in block]
        number = lines.first
        if header is None:
            header, number = rows.pop(0), number + 1
            positions = _positions(source, header, fields)
        _check_widths(source, rows, len(header), number)
        yield [list(map(itemgetter(position), rows)) for position in positions]


def read_csv(source: Source, fields: Sequence[Field]) -> Generator[Block, None, None]:
    """A header, then rows, as RFC 4180 has them: commas separate, a quoted field may hold any text.

    A quoted text keeps its commas and line ends, and "" in it is one quotation mark.
    """
    lines = Lines(source)
    numbered = (line + "\n" for block in lines for line in block)
    records = csv_records(numbered, source.label)
    _, header = next(records, (0, []))
    positions = _positions(source, header, fields)
    checked = (_csv_row(row, len(header), source, line) for line, row in records)
    while rows := list(islice(checked, _CSV_ROWS)):
        yield [list(map(itemgetter(position), rows)) for position in positions]


def _csv_row(row: list[str], width: int, source: Source, line: int) -> list[str]:
    """Demand as many fields as the header has; a blank line is an empty text if that is one."""
    row = row or [""]
    if len(row) != width:
        raise InputError(
            f"{source.label}, line {line}: {len(row)} fields where the header has {width}; a text "
            'that holds a comma or a line end stands in double quotes, and " in it is written ""'
        )
    return row


def read_jsonl(source: Source, fields: Sequence[Field]) -> Generator[Block, None, None]:
    """One object per line; a blank last line is passed over."""
    lines = Lines(source)
    keys: list[str] = []
    blank = 0
    for block in lines:
        if blank:
            raise _blank(source, blank)
        if not block[-1].strip(" \t\r"):
            blank = lines.first + len(block) - 1
            block.pop()
        objects = _objects(source, block, lines.first)
        if objects and not keys:
            keys = [field.choose(objects[0], f"{source.label}, line 1") for field in fields]
        yield [_column(source, objects, key, lines.first) for key in keys]


def _kind(value: object) -> str:
    """What a JSON value is, in JSON's own words."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    names = {bool: "a boolean", float: "a number", dict: "an object", list: "a list"}
    return "null" if value is None else names.get(type(value), "a text")


def _check_value(value: object, where: str) -> None:
    """Refuse all but text, a list of texts and null; `where` names the place."""
    needed = "text, a list of texts or null is needed"
    if isinstance(value, list):
        for position, item in enumerate(value, start=1):
            if not isinstance(item, str):
                found = f"a list with {_kind(item)} at position {position}"
                raise InputError(f"{where} holds {found}; {needed}")
    elif value is not None and not isinstance(value, str):
        raise InputError(f"{where} holds {_kind(value)}; {needed}")
    check_characters("".join(value or ()), where)


def _positions(source: Source, header: list[str], fields: Sequence[Field]) -> list[int]:
    if (name := repeated(header)) is not None:
        raise InputError(f"{source.label}, line 1: two columns are named {name!r}; rename one")
    return [header.index(field.choose(header, source.label)) for field in fields]


def _check_widths(source: Source, rows: list[list[str]], width: int, first: int) -> None:
    if {width}.issuperset(map(len, rows)):
        return
    for number, row in enumerate(rows, start=first):
        if len(row) != width:
            raise InputError(
                f"{source.label}, line {number}: {len(row)} fields where the header has {width}; "
                "a text must not hold tabs or line ends (use JSONL or Parquet for such)"
            )


class _RepeatedKey(ValueError):
    """An object names the same key twice, and json would keep the last without a word."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RepeatedKey(repeated(key for key, _ in pairs))
    return found


# Numbers are never used, and float, unlike int, takes any number of digits.
_decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_int=float)


def _objects(source: Source, lines: list[str], first: int) -> list[dict[str, Any]]:
    found = _decoded(lines)
    if found is None:
        found = [_object(line, f"{source.label}, line {n}") for n, line in enumerate(lines, first)]
    if not {dict}.issuperset(map(type, found)):
        number = next(n for n, item in enumerate(found, first) if type(item) is not dict)
        raise InputError(
            f"{source.label}, line {number}: {_kind(found[number - first])} where an object is "
            "needed; JSONL holds one {...} per line"
        )
    return found


def _decoded(lines: list[str]) -> list[Any] | None:
    """All lines decoded, or None if one is not plain JSON without space around it.

    raw_decode looks for no space and minds no rest of the line: it is much faster than decode.
    """
    try:
        pairs = list(map(_decoder.raw_decode, lines))
    except (ValueError, RecursionError):
        return None
    if [end for _, end in pairs] != list(map(len, lines)):
        return None
    return [found for found, _ in pairs]


def _object(line: str, where: str) -> Any:
    try:
        return _decoder.decode(line)
    except _RepeatedKey as error:
        raise InputError(f"{where}: the key '{error}' occurs twice in one object") from error
    except json.JSONDecodeError as error:
        if not line.strip(" \t\r"):
            raise InputError(_BLANK.format(where)) from error
        raise InputError(
            f"{where}, column {error.colno}: not valid JSON: {error.msg}; "
            "each line must hold one whole object"
        ) from error
    except RecursionError as error:
        raise InputError(f"{where}: JSON nested too deeply to read") from error


_BLANK = "{}: a blank line between rows; remove it, or write null for a missing row's values"


def _blank(source: Source, number: int) -> InputError:
    return InputError(_BLANK.format(f"{source.label}, line {number}"))


def _column(source: Source, objects: list[dict[str, Any]], key: str, first: int) -> list[Value]:
    try:
        values = list(map(itemgetter(key), objects))
    except KeyError as error:
        number = next(n for n, item in enumerate(objects, first) if key not in item)
        raise InputError(
            f"{source.label}, line {number}: no key {key!r}; write null for a missing value"
        ) from error
    if not _all_text(values):
        for number, value in enumerate(values, first):
            _check_value(value, f"{source.label}, line {number}: key {key!r}")
    return values


def _all_text(values: list[Any]) -> bool:
    """Whether each is text, a list of texts or None, and can be written as UTF-8."""
    texts = [value for value in values if type(value) is str]
    lists = [value for value in values if type(value) is list]
    if len(texts) + len(lists) + values.count(None) < len(values):
        return False
    try:
        "".join(chain(texts, chain.from_iterable(lists))).encode()
    except (TypeError, UnicodeEncodeError):
        return False
    return True
