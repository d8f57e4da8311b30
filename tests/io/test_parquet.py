"""Parquet in: types, damage, missing pyarrow."""

from __future__ import annotations

import gzip
import io
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import InputError, MissingExtra
from paraphrast.io import Field, Rows, Value, parquet, write_table

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def read(path: Path | str, *columns: str | None) -> list[tuple[Value, ...]]:
    return list(Rows([Field(str(path), column, "parquet") for column in columns]))


def error(path: Path | str, *columns: str | None) -> str:
    with pytest.raises(InputError) as caught:
        read(path, *columns)
    return str(caught.value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.parquet"


def save(path: Path, columns: dict[str, Any], **options: Any) -> None:
    pq.write_table(pa.table(columns), path, **options)


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.dictionary(pa.int32(), pa.string()),
    ],
)
def test_text(file: Path, kind: Any) -> None:
    save(file, {"n": [1, 2, 3], "c": pa.array(["é", None, "é"]).cast(kind)})
    assert read(file, "c") == [("é",), (None,), ("é",)]


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.string()),
        pa.large_list(pa.large_string()),
        pa.list_(pa.dictionary(pa.int32(), pa.string())),
    ],
)
def test_lists(file: Path, kind: Any) -> None:
    values = [["x", "y"], [], None, ["z"]]
    save(file, {"c": pa.array(values, pa.list_(pa.string())).cast(kind)})
    assert read(file, "c") == [(value,) for value in values]


def test_lists_of_fixed_size(file: Path) -> None:
    save(file, {"c": pa.array([["x", "y"], ["z", "w"]], pa.list_(pa.string(), 2))})
    assert read(file, "c") == [(["x", "y"],), (["z", "w"],)]


def test_columns_of_nulls(file: Path) -> None:
    save(file, {"c": pa.nulls(2), "d": pa.array([[], None], pa.list_(pa.null()))})
    assert read(file, "c", "d") == [(None, []), (None, None)]


def test_usual_names_and_order(file: Path) -> None:
    save(file, {"reference": ["r"], "x": [1], "candidate": ["c"]})
    fields = [Field(str(file)), Field(str(file), role="reference"), Field(str(file), "candidate")]
    assert list(Rows(fields)) == [("c", "r", "c")]


def test_row_groups_and_batches(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "BATCH_ROWS", 64)
    texts = [str(n) for n in range(1000)]
    save(file, {"c": texts}, row_group_size=300)
    assert read(file, "c") == [(text,) for text in texts]


def test_big_rows_come_in_small_batches(file: Path) -> None:
    save(file, {"c": ["x" * 1_000_000 + str(n) for n in range(40)]}, use_dictionary=False)
    rows = parquet._batch_rows(pq.read_metadata(file))
    assert rows == 8
    assert [len(str(value)) for (value,) in read(file, "c")] == [1_000_001] * 10 + [1_000_002] * 30


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (pa.array([1]), "int64"),
        (pa.array([b"x"]), "binary"),
        (pa.array([[1]]), "list<element: int64>"),
        (pa.array([{"a": "b"}]), "struct<a: string>"),
        (pa.array([True]), "bool"),
        (pa.array([["x"]]).cast(pa.list_(pa.binary())), "list<element: binary>"),
    ],
)
def test_wrong_types(file: Path, array: Any, kind: str) -> None:
    save(file, {"c": array})
    assert error(file, "c") == (
        f"{file}: column 'c' has type {kind}; text (string) or a list of texts is needed"
    )


def test_null_in_a_list(file: Path) -> None:
    save(file, {"c": [["x"], ["y", None]]})
    assert error(file, "c") == (
        f"{file}, row 2: column 'c' holds a list with null at position 2; "
        "text, a list of texts or null is needed"
    )


def test_text_that_is_not_utf8(file: Path) -> None:
    raw = pa.array([b"good", b"b\xe9d"])
    save(file, {"c": pa.Array.from_buffers(pa.string(), 2, raw.buffers())})
    assert error(file, "c") == f"{file}, row 2: column 'c' is not valid UTF-8"


def test_missing_column(file: Path) -> None:
    save(file, {"hyp": ["a"], "ref": ["b"]})
    assert error(file, "hpy") == f"{file}: no column 'hpy' (did you mean 'hyp'?); it has: hyp, ref"


def test_repeated_name(file: Path) -> None:
    pq.write_table(pa.Table.from_arrays([pa.array(["a"])] * 2, ["c", "c"]), file)
    assert error(file, "c") == f"{file}: two columns are named 'c'; rename one"


def test_no_rows(file: Path) -> None:
    save(file, {"c": pa.array([], pa.string())})
    assert error(file, "c") == f"{file} is empty: there are no rows in it"
    file.write_bytes(b"")
    assert error(file, "c") == f"{file} is empty: there are no rows in it"


def test_gzipped(file: Path) -> None:
    save(file, {"c": ["a", "b"]})
    packed = file.with_suffix(".parquet.gz")
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert read(packed, "c") == [("a",), ("b",)]
    packed.write_bytes(packed.read_bytes()[:-20])
    assert error(packed, "c").startswith(f"{packed}: damaged or cut-off gzip data after 0 rows (")


def test_from_standard_input(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(file, {"c": ["a", "b"]})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
    assert read("-", "c") == [("a",), ("b",)]


def test_no_room_to_unpack(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", partial(open, "/dev/full", "r+b", buffering=0))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"PAR1")))
    assert error("-", "c") == (
        f"cannot unpack standard input into {tempfile.gettempdir()}: No space left on device; "
        "set TMPDIR to a folder with more room"
    )


def test_not_parquet(file: Path) -> None:
    file.write_text("hello, I am text\n")
    assert error(file, "c").startswith(
        f"{file}: not a Parquet file, or a damaged one, after 0 rows ("
    )


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.99])
def test_cut_off(file: Path, keep: float) -> None:
    save(file, {"c": [str(n) for n in range(1000)]})
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * keep)])
    assert error(file, "c").startswith(
        f"{file}: not a Parquet file, or a damaged one, after 0 rows ("
    )


def test_damaged_in_the_middle(file: Path) -> None:
    save(file, {"c": [str(n) for n in range(50_000)]}, write_page_checksum=True)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)
    assert error(file, "c").startswith(f"{file}: not a Parquet file, or a damaged one, after ")


def test_without_pyarrow(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    file.touch()
    with pytest.raises(MissingExtra, match=r"pip install 'paraphrast\[parquet\]'"):
        read(file, "c")
    target = file.with_name("out.parquet")
    with pytest.raises(MissingExtra):
        write_table(target, [{"a": 1}])
    assert not target.exists()


TEXT = st.text(st.characters(codec="utf-8"))


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.none() | TEXT, st.none() | st.lists(TEXT)),
        min_size=1,
    ),
    st.sampled_from(["x.parquet", "x.parquet.gz"]),
)
def test_round_trip(rows: list[tuple[str | None, list[str] | None]], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        assert write_table(path, [{"a": a, "b": b} for a, b in rows]) == len(rows)
        assert read(path, "a", "b") == rows
