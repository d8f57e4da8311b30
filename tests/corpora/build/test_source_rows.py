"""Rows of files that change while they are read: never kept under the hash of what was before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from paraphrast.corpora.build.source_rows import identity, sentences
from paraphrast.errors import InputError
from paraphrast.io import Field


@pytest.fixture
def fields(tmp_path: Path) -> list[Field]:
    paths = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for path in paths:
        path.write_text("A cat sat.\nA dog ran.\n")
    return [Field(str(path), None, None, "text") for path in paths]


def test_rows_say_where_they_stood(fields: list[Field]) -> None:
    rows = list(sentences(fields, ["one.txt", "two.txt"], identity(fields, 3), prefix="t"))
    assert [(row["id"], row["from"], row["row"]) for row in rows] == [
        ("t000000001", "one.txt", 1),
        ("t000000002", "one.txt", 2),
        ("t000000003", "two.txt", 1),
    ]


@pytest.mark.parametrize("limit", [None, 3])
@pytest.mark.parametrize("rows", [0, 1])
def test_a_file_that_changes_between_hash_and_last_row_is_refused(
    fields: list[Field], limit: int | None, rows: int
) -> None:
    path = Path(fields[1].path)
    before = path.stat()
    known = identity(fields, limit)
    reading = sentences(fields, ["one.txt", "two.txt"], known)
    for _ in range(rows):
        next(reading)
    path.write_text("A cow sat.\nA dog ran.\n")  # of the same size and, below, the same time
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(InputError, match=r"^two\.txt changed while it was read; run the same"):
        list(reading)
