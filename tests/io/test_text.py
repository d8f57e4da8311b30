"""Text files: lines, encodings, gzip, failures, standard input."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field, Rows, Value, chunks, streams

NO_LINE_ENDS = "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\rh"


def read(*paths: Path | str) -> list[tuple[Value, ...]]:
    return list(Rows([Field(str(path)) for path in paths]))


def column(path: Path | str) -> list[Value]:
    return [row[0] for row in read(path)]


def error(*paths: Path | str) -> str:
    with pytest.raises(InputError) as caught:
        read(*paths)
    return str(caught.value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cand.txt"


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"\n", [""]),
        (b"\n\n", ["", ""]),
        (b"a\n\nb\n", ["a", "", "b"]),
        (b" a \t\n", [" a \t"]),
        ("é日本😀\n".encode(), ["é日本😀"]),
        (f"{NO_LINE_ENDS}\n".encode(), [NO_LINE_ENDS]),
        (b"a\x00b\n", ["a\x00b"]),
    ],
)
def test_only_newline_ends_a_line(file: Path, data: bytes, lines: list[str]) -> None:
    file.write_bytes(data)
    assert column(file) == lines


@pytest.mark.parametrize(
    ("data", "lines", "removed"),
    [
        (b"a\r\nb\r\nc\r\n", ["a", "b", "c"], "3 lines"),
        (b"a\r\r\nb\n", ["a\r", "b"], "1 line"),
        (b"a\nb\r", ["a", "b"], "1 line"),
        (b"\r\n\r\n", ["", ""], "2 lines"),
        (b"a\rb\r\n", ["a\rb"], "1 line"),
    ],
)
def test_carriage_returns(file: Path, data: bytes, lines: list[str], removed: str) -> None:
    file.write_bytes(data)
    rows = Rows([Field(str(file))])
    for _ in range(2):
        assert list(rows) == [(line,) for line in lines]
        assert rows.notes == [f"{file}: removed a trailing carriage return from {removed}"]


def test_returns_are_counted_over_blocks(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BLOCK", 3)
    file.write_bytes(b"ab\r\ncd\nef\r\n")
    rows = Rows([Field(str(file))])
    assert list(rows) == [("ab",), ("cd",), ("ef",)]
    assert rows.notes == [f"{file}: removed a trailing carriage return from 2 lines"]


def test_notes_after_stopping_early(file: Path) -> None:
    file.write_bytes(b"a\r\nb\n")
    rows = Rows([Field(str(file))])
    iterator = iter(rows)
    assert next(iterator) == ("a",)
    del iterator
    assert rows.notes == [f"{file}: removed a trailing carriage return from 1 line"]


def test_byte_order_mark(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n")
    rows = Rows([Field(str(file))])
    assert list(rows) == [("a",), ("\ufeffb",)]
    assert rows.notes == [
        f"{file}: removed a byte-order mark",
        f"{file}: a byte-order mark inside the file in line 2; kept as part of the text",
    ]


def test_nul_characters_are_counted_over_blocks(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "BLOCK", 3)
    file.write_bytes(b"abcdef\ngh\0i\njkl\nm\0\n")
    rows = Rows([Field(str(file))])
    assert list(rows) == [("abcdef",), ("gh\0i",), ("jkl",), ("m\0",)]
    note = f"{file}: 2 NUL characters, the first in line 2; kept as part of the text"
    assert rows.notes == [note]


def test_the_last_line_may_look_like_a_mark(file: Path) -> None:
    file.write_bytes(b"a\n\xef\xbb\xbf")
    assert column(file) == ["a", "\ufeff"]


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf"])
def test_empty(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    assert error(file) == f"{file} is empty: there are no rows in it"


def test_empty_beside_a_full_one(tmp_path: Path, file: Path) -> None:
    file.write_text("a\n")
    empty = tmp_path / "empty.txt"
    empty.touch()
    assert error(file, empty) == f"{empty} is empty: there are no rows in it"


@pytest.mark.parametrize(("encoding", "name"), [("utf-16", "UTF-16"), ("utf-32", "UTF-32")])
def test_other_unicode_encodings(file: Path, encoding: str, name: str) -> None:
    file.write_bytes("a\nb\n".encode(encoding))
    assert error(file) == (
        f"{file}: encoded as {name}, not UTF-8; "
        f"convert the file, e.g. with iconv -f {name} -t UTF-8"
    )


@pytest.mark.parametrize("name", ["UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"])
def test_other_encodings_without_a_mark(file: Path, name: str) -> None:
    file.write_bytes("The cat sät.\nIt “purred” – ja.\n".encode(name))
    assert error(file) == (
        f"{file}: encoded as {name} without a mark, not UTF-8; "
        f"convert the file, e.g. with iconv -f {name} -t UTF-8"
    )


@pytest.mark.parametrize("data", [b"\0\n", b"a\0\n", b"\0\0\n", b"ab\0cd\0ef\n", b"ab\0\0\n"])
def test_a_few_nul_characters_are_no_other_encoding(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    assert column(file) == [data[:-1].decode()]


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 20])
@pytest.mark.parametrize(
    ("data", "line", "byte", "position"),
    [
        (b"good\nb\xe9d\n", 2, "0xe9", 2),
        (b"\xff\n", 1, "0xff", 1),
        (b"a\nb\nabc\xc3\nd\n", 3, "0xc3", 4),
        (b"a\nb\nabc\xc3", 3, "0xc3", 4),
        (b"a\n\xed\xa0\x80\n", 2, "0xed", 1),
    ],
)
def test_not_utf8(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    block: int,
    data: bytes,
    line: int,
    byte: str,
    position: int,
) -> None:
    monkeypatch.setattr(streams, "BLOCK", block)
    file.write_bytes(data)
    assert error(file) == (
        f"{file}, line {line}: not valid UTF-8 (byte {byte} at position {position}); "
        "convert the file to UTF-8, e.g. with iconv"
    )


def test_lockstep_of_files_with_unlike_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "BLOCK", 16)
    columns = [[c * (n % k) + str(n) for n in range(100)] for c, k in (("a", 2), ("b", 9), ("", 1))]
    paths = [tmp_path / name for name in "xyz"]
    for path, lines in zip(paths, columns, strict=True):
        path.write_text("\n".join(lines) + "\n")
    assert read(*paths) == list(zip(*columns, strict=True))


@pytest.mark.parametrize("block", [4, 1 << 20])
def test_different_lengths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(streams, "BLOCK", block)
    paths = [tmp_path / name for name in ("cand.txt", "ref.txt", "src.txt")]
    for path, count in zip(paths, (30, 7, 1000), strict=True):
        path.write_text("x\n" * count)
    cand, ref, src = paths
    assert error(*paths) == (
        f"the inputs differ in their numbers of rows: {cand} has 30, {ref} has 7, {src} has 1000; "
        "row n of each must belong to the same segment: find the rows missing or too many"
    )
    assert error(ref, cand).startswith("the inputs differ")
    assert error(cand, ref).startswith("the inputs differ")


def test_one_file_twice_is_read_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("a\nb\n")
    opened: list[str] = []

    def count(path: str, mode: str) -> Any:
        opened.append(path)
        return open(path, mode)

    monkeypatch.setattr(streams, "open", count, raising=False)
    assert read(file, file) == [("a", "a"), ("b", "b")]
    assert opened == [str(file)]


@pytest.mark.parametrize("name", ["x.txt.gz", "x.gz", "X.GZ"])
def test_gzip(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"a\n") + gzip.compress(b"b\r\n"))
    rows = Rows([Field(str(path))])
    assert list(rows) == [("a",), ("b",)]
    assert rows.notes == [f"{path}: removed a trailing carriage return from 1 line"]


def test_gzip_under_another_name(file: Path) -> None:
    file.write_bytes(gzip.compress(b"a\n"))
    rows = Rows([Field(str(file))])
    assert list(rows) == [("a",)]
    assert rows.notes == [f"{file}: gzip data although not named .gz; unpacked"]


def test_gz_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "x.txt.gz"
    path.write_text("plain\n")
    assert error(path) == f"{path}: named .gz but not gzip data; rename or compress it"


def test_gzip_of_nothing(tmp_path: Path) -> None:
    for name, data in (("a.gz", b""), ("b.gz", gzip.compress(b""))):
        path = tmp_path / name
        path.write_bytes(data)
        assert error(path) == f"{path} is empty: there are no rows in it"


def test_cut_off_gzip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BLOCK", 1000)
    path = tmp_path / "x.gz"
    data = gzip.compress(b"".join(b"%09d\n" % n for n in range(100_000)))
    path.write_bytes(data[: len(data) // 2])
    seen: list[tuple[Value, ...]] = []
    with pytest.raises(InputError) as caught:
        seen.extend(row for row in Rows([Field(str(path))]))
    assert str(caught.value) == (
        f"{path}: damaged or cut-off gzip data after {len(seen)} rows (Compressed file ended "
        "before the end-of-stream marker was reached); make the file anew"
    )
    assert seen == [(f"{n:09}",) for n in range(len(seen))]
    assert len(seen) > 10_000


def test_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    data = bytearray(gzip.compress(os.urandom(5000).hex().encode()))
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    assert error(path).startswith(f"{path}: damaged or cut-off gzip data after 0 rows (")


def test_unreadable_paths(tmp_path: Path) -> None:
    missing = tmp_path / "no.txt"
    assert error(missing) == f"cannot read {missing}: No such file or directory"
    assert error(tmp_path) == f"cannot read {tmp_path}: Is a directory"
    assert error("a\0b") == "cannot read a\0b: embedded null byte"


def test_no_permission(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, mode: str) -> Any:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(streams, "open", refuse, raising=False)
    assert error(file) == f"cannot read {file}: Permission denied"


def test_a_file_that_shrinks_meanwhile(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BLOCK", 10)
    file.write_bytes(b"abcd\n" * 1000)
    iterator = iter(Rows([Field(str(file))]))
    assert next(iterator) == ("abcd",)
    os.truncate(file, 0)
    with pytest.raises(InputError, match=r"reading failed after \d+ rows: the file shrank") as info:
        list(iterator)
    assert f"{file}: reading failed" in str(info.value)
    assert "from 5000 to" in str(info.value)


class Failing(io.BytesIO):
    """A disk that gives out after some bytes."""

    def readinto1(self, buffer: Any) -> int:
        if self.tell() >= 20:
            raise OSError(5, "Input/output error")
        return super().readinto1(memoryview(buffer)[:10])

    def read(self, size: int | None = -1) -> bytes:
        if self.getvalue() == b"broken":
            raise OSError(5, "Input/output error")
        return super().read(size)


def test_a_disk_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(Failing(b"abcd\n" * 10))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert error("-") == "standard input: reading failed after 4 rows: Input/output error"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Failing(b"broken")))
    assert error("-") == "cannot read standard input: Input/output error"


def test_standard_input(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    file.write_text("x\ny\n")
    feed(monkeypatch, b"a\nb\n")
    assert read("-", file) == [("a", "x"), ("b", "y")]
    assert not sys.stdin.closed
    feed(monkeypatch, gzip.compress(b"a\n"))
    rows = Rows([Field("-")])
    assert list(rows) == [("a",)]
    assert rows.notes == ["standard input: gzip data although not named .gz; unpacked"]
    feed(monkeypatch, b"")
    assert error("-") == "standard input is empty: there are no rows in it"
    monkeypatch.setattr(sys, "stdin", None)
    assert error("-") == "cannot read standard input: it is closed"


def test_a_pipe(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"a\nb\n")
    os.close(writer)
    try:
        assert column(f"/dev/fd/{reader}") == ["a", "b"]
    finally:
        os.close(reader)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ([], "there is nothing to read: give at least one file"),
        (
            [Field("x.txt", "hyp")],
            "x.txt: a text file has no column 'hyp'; if it is a table, "
            "name its format: tsv, csv, jsonl or parquet",
        ),
        (
            [Field("-"), Field("-", role="reference")],
            "standard input as text holds one column only, not candidate and reference; "
            "give the others as files, or send a table (tsv, csv, jsonl, parquet) and name columns",
        ),
        (
            [Field("-", format="tsv"), Field("-", format="jsonl")],
            "standard input can have one format only",
        ),
    ],
)
def test_wrong_usage(fields: list[Field], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Rows(fields)
    assert str(caught.value) == message


def test_a_very_long_line(file: Path) -> None:
    file.write_bytes(b"x" * 50_000_000 + b"\ny\n")
    long, short = column(file)
    assert isinstance(long, str)
    assert (len(long), short) == (50_000_000, "y")


@given(st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8")), min_size=1))
def test_round_trip(lines: list[str]) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    wanted = [line.removesuffix("\r") for line in lines]
    wanted[0] = wanted[0].removeprefix("\ufeff")
    with tempfile.TemporaryDirectory() as folder:
        for name, packed in (("x.txt", data), ("x.txt.gz", gzip.compress(data))):
            path = Path(folder, name)
            path.write_bytes(packed)
            assert column(path) == wanted


def test_chunks() -> None:
    assert list(chunks(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(chunks([], 2)) == []
    with pytest.raises(ValueError, match="size must be at least 1, not 0"):
        chunks([], 0)
