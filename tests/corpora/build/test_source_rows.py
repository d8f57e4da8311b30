"""Rows of files that change while they are read: never kept under the hash of what was before."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

import pytest

from paraphrast.corpora.build.source_rows import identity, sentences
from paraphrast.errors import InputError
from paraphrast.io import Field, atomic_writer, write_table


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


@pytest.mark.parametrize("limit", [None, 1, 2000])
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.tsv", "a.csv", "a.jsonl", "a.parquet"])
def test_the_bytes_that_are_read_are_those_that_were_hashed(
    name: str, limit: int | None, tmp_path: Path
) -> None:
    """A file that is another one while it is read, and before and after is what it was."""
    path, kept, other = tmp_path / name, tmp_path / f"kept.{name}", tmp_path / f"other.{name}"
    for file, animal in ((path, "cat"), (kept, "cat"), (other, "dog")):
        texts = [f"A {animal} sat on mat {number}." for number in range(2000)]
        if "txt" in name:
            with atomic_writer(file) as out:
                out.writelines(f"{text}\n" for text in texts)
        else:
            write_table(file, [{"text": text} for text in texts])
    field = Field.parse(str(path), role="text")
    known = identity([field], limit)
    assert len(list(sentences([field], [name], known))) == (limit or 2000)
    os.replace(other, path)
    reading = sentences([field], [name], known)
    assert {row["text"][2:5] for row in islice(reading, limit or 2000)} == {"dog"}
    os.replace(kept, path)
    with pytest.raises(InputError, match=f"^{name} changed while it was read"):
        next(reading)


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
