"""The first rows of a corpus: sentences of files, each with where it stood."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from paraphrast.engine.step import Row
from paraphrast.errors import InputError
from paraphrast.io import Field, Rows

DIGITS = 9  # of a row's number, so that ids sort as rows do
_KEPT = ("from", "row")


def identity(fields: Sequence[Field], limit: int | None) -> dict[str, Any]:
    """Return what the rows depend on: names and contents of the files, not their folders."""
    return {
        "files": [
            [_sha256(field.path), field.column, field.layout, Path(field.path).name]
            for field in fields
        ],
        "limit": limit,
    }


def sentences(
    fields: Sequence[Field],
    names: Sequence[str],
    known: Mapping[str, Any],
    *,
    prefix: str = "",
) -> Iterator[Row]:
    """Yield a row for each text; `names` are what the rows call their files.

    Ids begin with the `prefix`, so that those of other files are others. A file that changes
    while it is read is an InputError after its last row: rows of two versions of a file must not
    be kept under the hash of one. `known` is what `identity` said of the files.
    """
    yield from islice(_numbered(fields, names, prefix), known["limit"])
    now = identity(fields, known["limit"])["files"]
    for name, before, after in zip(names, known["files"], now, strict=True):
        if before != after:
            raise InputError(f"{name} changed while it was read; run the same command again")


def places(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return where the sentences of a pair stand: their ids, files and rows, in parallel lists."""
    kept = [key for key in _KEPT if all(key in row for row in rows)]
    return {"sources": [row["id"] for row in rows]} | {
        key: [row[key] for row in rows] for key in kept
    }


def _numbered(fields: Sequence[Field], names: Sequence[str], prefix: str) -> Iterator[Row]:
    number = 0
    for field, name in zip(fields, names, strict=True):
        for place, (text,) in enumerate(Rows([field]), start=1):
            if isinstance(text, list):
                raise InputError(f"{name}, row {place}: one text is needed, not a list")
            number += 1
            known = f"{prefix}{number:0{DIGITS}d}"
            yield {"id": known, "text": text or "", "from": name, "row": place}


def _sha256(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
