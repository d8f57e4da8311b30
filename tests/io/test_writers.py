"""Tables out, and files that are complete or absent."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field, Rows, atomic_writer, parquet, write_table
from tests.disks import small_disk

pq = pytest.importorskip("pyarrow.parquet")


def error(path: Path | str | None, rows: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        write_table(path, rows, **options)
    return str(caught.value)


def test_text_and_bytes(tmp_path: Path) -> None:
    text, data = tmp_path / "a.txt", tmp_path / "b.bin"
    with atomic_writer(text) as file:
        file.write("é\n")
        assert not text.exists()
    with atomic_writer(str(data), binary=True) as out:
        out.write(b"\x00\n")
    assert (text.read_bytes(), data.read_bytes()) == ("é\n".encode(), b"\x00\n")
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.bin"]


def test_gzip_is_the_same_every_time(tmp_path: Path) -> None:
    contents = []
    for name in ("a.txt.gz", "b.TXT.GZ"):
        with atomic_writer(tmp_path / name) as file:
            file.write("x\n" * 1000)
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]
    assert gzip.decompress(contents[0]) == b"x\n" * 1000


@pytest.mark.parametrize("raised", [RuntimeError("no"), KeyboardInterrupt(), OSError(5, "other")])
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
@pytest.mark.parametrize("old", [None, b"old"])
def test_an_exception_leaves_no_trace(
    tmp_path: Path, raised: BaseException, name: str, old: bytes | None
) -> None:
    path = tmp_path / name
    if old is not None:
        path.write_bytes(old)

    def write() -> None:
        with atomic_writer(path) as file:
            file.write("half" * 100_000)
            raise raised

    with pytest.raises(type(raised)) as caught:
        write()
    assert caught.value is raised
    assert os.listdir(tmp_path) == ([] if old is None else [name])
    if old is not None:
        assert path.read_bytes() == old


def test_a_link_and_the_mode_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    with atomic_writer(link) as file:
        file.write("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_new_file_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with atomic_writer(tmp_path / "a.txt") as file:
            file.write("x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o640


def test_a_name_as_long_as_can_be(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    with atomic_writer(path) as file:
        file.write("x")
    assert path.read_text() == "x"


def test_refused_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = iter([{"a": 1}])
    folder = tmp_path / "x.jsonl"
    folder.mkdir()
    lost = tmp_path / "no" / "x.tsv"
    assert error(folder, rows) == f"cannot write {folder}: it is a directory"
    assert error(lost, rows) == f"cannot write {lost}: there is no folder {lost.parent}"
    old = tmp_path / "old.tsv"
    old.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert error(old, rows) == f"cannot write {old}: it is write-protected"
    assert next(rows) == {"a": 1}


@pytest.mark.parametrize("name", ["x.jsonl", "x.tsv", "x.jsonl.gz", "x.parquet", "x.parquet.gz"])
@pytest.mark.parametrize("old", [None, b"old"])
def test_disk_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, old: bytes | None
) -> None:
    spool = io.BytesIO()  # only the final file may meet the limit
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda: spool)
    path = tmp_path / name
    if old is not None:
        path.write_bytes(old)
    rows = [{"a": os.urandom(1000).hex()} for _ in range(300)]
    with small_disk(50_000):
        message = error(path, rows)
    left = (
        "nothing was left under that name" if old is None else "the file of that name is as it was"
    )
    assert message == f"cannot write {path}: File too large; {left}"
    assert os.listdir(tmp_path) == ([] if old is None else [name])
    if old is not None:
        assert path.read_bytes() == old


def test_disk_full_at_the_very_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    path = tmp_path / "x.jsonl"
    assert error(path, [{"a": 1}]) == (
        f"cannot write {path}: No space left on device; nothing was left under that name"
    )
    assert os.listdir(tmp_path) == []


def test_a_rename_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    path = tmp_path / "x.jsonl"
    assert error(path, [{"a": 1}]) == (
        f"cannot write {path}: Permission denied; nothing was left under that name"
    )
    assert os.listdir(tmp_path) == []


def test_no_room_for_waiting_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", partial(open, "/dev/full", "r+b", buffering=0))
    message = error(tmp_path / "x.parquet", [{"a": 1}])
    assert message.startswith(f"cannot keep rows in {tempfile.gettempdir()}: ")
    assert message.endswith("; set TMPDIR to a folder with more room")
    assert os.listdir(tmp_path) == []


def test_devices_are_written_directly() -> None:
    assert error("/dev/full", [{"a": 1}], format="jsonl") == (
        "cannot write /dev/full: No space left on device"
    )
    assert write_table("/dev/null", [{"a": 1}], format="tsv") == 1
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def run(code: str, **streams: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **streams)


def test_standard_output_full() -> None:
    code = "from paraphrast.io import write_table; write_table(None, [{'a': 'x' * 99}] * 99)"
    with open("/dev/full", "w") as full:
        done = run(code, stdout=full)
    assert done.returncode != 0
    assert "InputError: cannot write to standard output: No space left on device" in done.stderr


def test_standard_output_closed_early() -> None:
    code = "from paraphrast.io import write_table; write_table('-', [{'a': 'x'}] * 1)"
    reader, writer = os.pipe()
    os.close(reader)
    done = run(code, stdout=writer)
    os.close(writer)
    assert "BrokenPipeError" in done.stderr
    assert "InputError" not in done.stderr


def test_standard_output_is_utf8_in_any_locale() -> None:
    code = "from paraphrast.io import write_table; print(1); write_table('-', [{'a': 'é'}])"
    done = run(code, stdout=subprocess.PIPE, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.stdout == '1\n{"a": "é"}\n'


def test_standard_output_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    assert write_table(None, [{"a": "é", "b": 1}], format="tsv") == 1
    assert out.getvalue() == "a\tb\né\t1\n"


ROWS = [
    {"text": "a\tb\nc\\d\re", "x": 0.1, "n": 3, "list": ["x", "é\t"], "none": None, "yes": True},
    {"text": "", "x": math.nan, "n": -1, "list": [], "none": None, "yes": False},
]


def test_tsv(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    assert write_table(path, ROWS) == 2
    assert path.read_text() == (
        "text\tx\tn\tlist\tnone\tyes\n"
        'a\\tb\\nc\\\\d\\re\t0.1\t3\t["x", "é\\\\t"]\t\ttrue\n'
        "\t\t-1\t[]\t\tfalse\n"
    )


def test_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    assert write_table(path, ROWS) == 2
    first, second = path.read_text().splitlines()
    assert json.loads(first) == ROWS[0]
    assert json.loads(second) == {**ROWS[1], "x": None}
    assert "é" in first


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    assert write_table(path, ROWS) == 2
    assert pq.read_table(path).to_pylist() == [ROWS[0], {**ROWS[1], "x": None}]


@pytest.mark.parametrize("name", ["x.jsonl", "x.tsv", "x.parquet"])
def test_numpy(tmp_path: Path, name: str) -> None:
    row = {
        "f": np.float64(0.25),
        "g": np.float32(0.5),
        "i": np.int64(7),
        "nan": np.float32("nan"),
        "a": np.array([1.5, np.nan]),
        "parts": {"p": np.float64("nan"), "q": (1, 2)},
    }
    path = tmp_path / name
    assert write_table(path, [row]) == 1
    wanted: dict[str, object] = {"f": 0.25, "g": 0.5, "i": 7, "nan": None, "a": [1.5, None]}
    wanted["parts"] = {"p": None, "q": [1, 2]}
    if name == "x.jsonl":
        assert json.loads(path.read_text()) == wanted
    elif name == "x.parquet":
        assert pq.read_table(path).to_pylist() == [wanted]
    else:
        lines = path.read_text().splitlines()
        assert lines[1] == '0.25\t0.5\t7\t\t[1.5, null]\t{"p": null, "q": [1, 2]}'


def test_types_come_from_all_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paraphrast.io.writers.BATCH_ROWS", 2)
    path = tmp_path / "x.parquet"
    rows = [{"a": None, "b": n, "c": math.nan} for n in range(5)]
    rows += [{"a": "text", "b": 0.5, "c": 1.0}]  # type: ignore[dict-item]
    assert write_table(path, iter(rows)) == 6
    table = pq.read_table(path)
    assert [str(kind) for kind in table.schema.types] == ["string", "double", "double"]
    assert table.column("a").to_pylist() == [None] * 5 + ["text"]
    assert table.column("b").to_pylist() == [0.0, 1.0, 2.0, 3.0, 4.0, 0.5]


def test_types_that_clash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.parquet"
    assert error(path, [{"a": 1}, {"a": "x"}]).startswith(
        "rows 1 to 2, column 'a': the values do not fit into one Parquet column ("
    )
    assert error(path, [{"a": 2**70}]).startswith("rows 1 to 1, column 'a': the values do not fit")
    assert error(path, [{"a": "\ud800"}]).startswith("rows 1 to 1, column 'a': the values do not")
    monkeypatch.setattr("paraphrast.io.writers.BATCH_ROWS", 1)
    assert error(path, [{"a": 1}, {"a": "x"}]).startswith(
        "the values do not fit into one Parquet column ("
    )
    assert error(path, [{"a": 2**60 + 1}, {"a": 0.5}]).startswith(
        "the values do not fit into one Parquet column ("
    )
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["x.tsv", "x.parquet"])
def test_rows_of_unlike_keys(tmp_path: Path, name: str) -> None:
    rows = [{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1}]
    assert error(tmp_path / name, rows) == "row 3 has the columns a; the first row has a, b"
    assert os.listdir(tmp_path) == []


def test_jsonl_rows_may_differ(tmp_path: Path) -> None:
    assert write_table(tmp_path / "x.jsonl", [{"a": 1}, {"b": 2}]) == 2


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "x.jsonl",
            "\ud800",
            "row 2 holds half a surrogate pair (\\ud800), which cannot be written as UTF-8",
        ),
        (
            "x.tsv",
            "\ud800",
            "row 2 holds half a surrogate pair (\\ud800), which cannot be written as UTF-8",
        ),
        (
            "x.jsonl",
            math.inf,
            "row 2 cannot be written as JSON: Out of range float values are not JSON compliant",
        ),
        (
            "x.jsonl",
            {1},
            "row 2 cannot be written as JSON: Object of type set is not JSON serializable",
        ),
        (
            "x.tsv",
            {1},
            "row 2 cannot be written as TSV: Object of type set is not JSON serializable",
        ),
    ],
)
def test_values_that_cannot_be_written(
    tmp_path: Path, name: str, value: object, message: str
) -> None:
    assert error(tmp_path / name, [{"a": 1}, {"a": value}]).startswith(message)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("raised", [ValueError("mine"), OSError(5, "mine"), TypeError("mine")])
@pytest.mark.parametrize("name", ["x.jsonl", "x.tsv", "x.parquet", "-"])
def test_errors_of_the_rows_pass_unchanged(tmp_path: Path, name: str, raised: Exception) -> None:
    def rows() -> Iterator[dict[str, object]]:
        yield {"a": 1}
        raise raised

    path = name if name == "-" else tmp_path / name
    with pytest.raises(type(raised)) as caught:
        write_table(path, rows())
    assert caught.value is raised
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "format", "message"),
    [
        (
            "x.dat",
            None,
            "x.dat: the name tells no table format; "
            "end it in .jsonl, .tsv, .csv or .parquet, or give the format",
        ),
        (
            "-",
            "parquet",
            "Parquet cannot be written to standard output; give a file name",
        ),
        ("x", "text", "unknown format 'text'; one of jsonl, tsv, csv, parquet is needed"),
    ],
)
def test_wrong_usage(path: str, format: str | None, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        write_table(path, [{"a": 1}], format=format)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["x.jsonl", "x.tsv", "x.parquet"])
def test_no_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert write_table(path, []) == 0
    with pytest.raises(InputError):
        list(Rows([Field(str(path), "a")]))


def unescape(text: str) -> str:
    pairs = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}
    out, rest = "", text
    while rest:
        piece = rest[:2] if rest[0] == "\\" else rest[0]
        out, rest = out + pairs.get(piece, piece), rest[len(piece) :]
    return out


TEXT = st.text(st.characters(codec="utf-8") | st.sampled_from("\\tnr\t\n\r"))


@settings(max_examples=60)
@given(st.lists(st.tuples(TEXT, st.floats(allow_nan=False)), min_size=1), st.booleans())
def test_tsv_round_trip(rows: list[tuple[str, float]], packed: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.tsv.gz" if packed else "x.tsv")
        write_table(path, [{"a": text, "b": number} for text, number in rows])
        back = list(Rows([Field(str(path), "a"), Field(str(path), "b")]))
        assert [(unescape(str(a)), float(str(b))) for a, b in back] == rows


@settings(max_examples=60)
@given(st.lists(st.tuples(TEXT, st.none() | st.lists(TEXT)), min_size=1))
def test_jsonl_round_trip(rows: list[tuple[str, list[str] | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.jsonl")
        write_table(path, [{"a": a, "b": b} for a, b in rows])
        assert list(Rows([Field(str(path), "a"), Field(str(path), "b")])) == rows


def test_batches(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    count = parquet.BATCH_ROWS * 2 + 1
    assert write_table(path, ({"a": str(n)} for n in range(count))) == count
    assert pq.ParquetFile(path).metadata.num_row_groups == 3
    assert sum(1 for _ in Rows([Field(str(path), "a")])) == count


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "\t=1", "\r=1"]


@pytest.mark.parametrize("name", ["t.tsv", "t.csv"])
def test_safe_cells_are_no_formulas(tmp_path: Path, name: str) -> None:
    rows = [{"text": text, "value": -0.5, "n": -3} for text in [*FORMULAS, "a = b", "'t is", ""]]
    path = tmp_path / name
    write_table(path, rows, safe_cells=True)
    found = [
        (path.read_text().splitlines()[0], *cells)
        for cells in Rows([Field(str(path), column, None, "text") for column in ("text", "value")])
    ]
    escaped = ["'" + (text if name == "t.csv" else _escaped(text)) for text in FORMULAS]
    assert [text for _, text, _ in found] == [*escaped, "a = b", "'t is", ""]
    assert {value for *_, value in found} == {"-0.5"}


def _escaped(text: str) -> str:
    return text.replace("\t", "\\t").replace("\r", "\\r")


@pytest.mark.parametrize("name", ["t.tsv", "t.csv", "t.jsonl", "t.parquet"])
def test_cells_are_as_they_are_unless_asked_for(tmp_path: Path, name: str) -> None:
    safe = name in ("t.jsonl", "t.parquet")  # whose texts nobody takes for formulas
    write_table(tmp_path / name, [{"text": "=1+1"}], safe_cells=safe)
    (row,) = Rows([Field(str(tmp_path / name), "text", None, "text")])
    assert row == ("=1+1",)
