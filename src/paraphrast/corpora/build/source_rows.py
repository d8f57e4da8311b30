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

    Ids begin with the `prefix`, so that those of other files are others. `known` is what `identity`
    said of the files. The bytes that are read are hashed once more on their way: if they are not
    those of `identity`, InputError after the last row, for rows must not be kept under the hash of
    another version of the file.
    """
    number, limit = 0, known["limit"]
    for field, name, (sha256, *_) in zip(fields, names, known["files"], strict=True):
        rows = Rows([field], hashed=True)
        reading = iter(rows)  # kept, for without it the file would be closed before its end
        for place, (text,) in enumerate(islice(reading, limit and limit - number), start=1):
            if isinstance(text, list):
                raise InputError(f"{name}, row {place}: one text is needed, not a list")
            number += 1
            known_as = f"{prefix}{number:0{DIGITS}d}"
            yield {"id": known_as, "text": text or "", "from": name, "row": place}
        if rows.sha256()[field.path] != sha256:
            raise InputError(f"{name} changed while it was read; run the same command again")
        if number == limit:
            return


def places(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return where the sentences of a pair stand: their ids, files and rows, in parallel lists."""
    kept = [key for key in _KEPT if all(key in row for row in rows)]
    return {"sources": [row["id"] for row in rows]} | {
        key: [row[key] for row in rows] for key in kept
    }


def _sha256(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
