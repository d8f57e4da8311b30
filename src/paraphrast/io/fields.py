"""What to read: a file, the column in it, and how it is laid out."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import PurePath

from paraphrast.errors import ConfigError, InputError, did_you_mean

Value = str | list[str] | None
"""One cell: a text, a list column's texts, or a missing value."""

FORMATS = ("text", "tsv", "csv", "jsonl", "parquet")
STDIN = "-"

_ENDINGS = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    # Often JSONL under another name; a JSON array fails at line 1 instead of scoring its brackets.
    ".json": "jsonl",
    ".parquet": "parquet",
}
_DEFAULT_COLUMNS = {
    "candidate": ("candidate", "candidates", "hypothesis"),
    "reference": ("references", "reference"),
    "source": ("source", "src"),
}
_MOST_COLUMNS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Field:
    """One column of one file; in a text file the column is the line.

    `path` "-" is standard input. `format` is taken from the file name when None (a final .gz is
    ignored; an unknown ending and standard input mean text). `column` None means the first of the
    role's usual names that the table has, e.g. "references" or "reference".
    """

    path: str
    column: str | None = None
    format: str | None = None
    role: str = "candidate"

    def __post_init__(self) -> None:
        if self.format is not None:
            check_format(self.format)

    @classmethod
    def parse(cls, spec: str, *, role: str, format: str | None = None) -> Field:
        """Read "FILE" or "FILE:COLUMN"; the whole spec is the file if such a file exists."""
        path, colon, column = spec.rpartition(":")
        if not colon or os.path.exists(spec) or _is_drive(path, column):
            path, column = spec, ""
        elif not column:
            raise ConfigError(f"{spec!r} names no column after the ':'; write FILE:COLUMN")
        if not path:
            raise ConfigError(f"{spec!r} names no file; write FILE or FILE:COLUMN")
        return cls(path, column or None, format, role)

    @property
    def layout(self) -> str:
        """The format given, or the one the file name stands for."""
        return self.format or _format_of_input(self.path)

    def choose(self, known: Collection[str], where: str) -> str:
        """Return the name of this field's column among those a table has."""
        if self.column is not None:
            if self.column in known:
                return self.column
            near = did_you_mean(self.column, known)
            raise InputError(f"{where}: no column {self.column!r}{near}; {_listing(known)}")
        usual = _DEFAULT_COLUMNS.get(self.role, (self.role,))
        for name in usual:
            if name in known:
                return name
        looked = " or ".join(repr(name) for name in usual)
        raise InputError(
            f"{where}: no column named {looked} for the {self.role}; {_listing(known)}; "
            f"choose one with {self.path}:COLUMN"
        )


def label(path: str) -> str:
    """How messages name the input."""
    return "standard input" if path == STDIN else path


def format_of_name(path: str) -> str | None:
    """The table format a file name stands for, or None."""
    return _ENDINGS.get(_ending(path))


def check_format(name: str, known: Collection[str] = FORMATS) -> None:
    """Refuse a format nobody knows."""
    if name not in known:
        near = did_you_mean(name, known)
        raise ConfigError(f"unknown format {name!r}{near}; one of {', '.join(known)} is needed")


def repeated(names: Iterable[str]) -> str | None:
    """The first name that occurs twice, or None."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _ending(path: str) -> str:
    name = PurePath(path.lower())
    return name.with_suffix("").suffix if name.suffix == ".gz" else name.suffix


def _format_of_input(path: str) -> str:
    return format_of_name(path) or "text"


def _is_drive(head: str, tail: str) -> bool:
    """Whether "head:tail" is a Windows path such as C:\\data or C:/data."""
    return len(head) == 1 and head.isalpha() and tail.startswith(("/", "\\"))


def _listing(known: Collection[str]) -> str:
    if not known:
        return "it has no columns"
    shown = ", ".join(list(known)[:_MOST_COLUMNS_SHOWN])
    more = len(known) - _MOST_COLUMNS_SHOWN
    return f"it has: {shown}" + (f" and {more} more" if more > 0 else "")
