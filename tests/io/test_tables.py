"""TSV and JSONL: columns, checks and their messages."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.errors import InputError
from paraphrast.io import FORMATS, Field, Rows, Value, streams

TEXT = st.text(st.characters(codec="utf-8"))


def read(path: Path | str, *columns: str | None) -> list[tuple[Value, ...]]:
    return list(Rows([Field(str(path), column) for column in columns]))


def error(path: Path | str, *columns: str | None) -> str:
    with pytest.raises(InputError) as caught:
        read(path, *columns)
    return str(caught.value)


@pytest.fixture
def tsv(tmp_path: Path) -> Path:
    return tmp_path / "data.tsv"


@pytest.fixture
def jsonl(tmp_path: Path) -> Path:
    return tmp_path / "data.jsonl"


@pytest.mark.parametrize("block", [1, 5, 1 << 20])
def test_tsv(tsv: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(streams, "BLOCK", block)
    tsv.write_bytes(b'id\thyp\tref\n1\t"a\\tb\tx y\n2\t\t\n')
    assert read(tsv, "ref", "hyp") == [("x y", '"a\\tb'), ("", "")]
    assert read(tsv, "hyp", "hyp") == [('"a\\tb',) * 2, ("",) * 2]


def test_tsv_of_one_column(tsv: Path) -> None:
    tsv.write_text("candidate\na\n\nb\n")
    assert read(tsv, None) == [("a",), ("",), ("b",)]


def test_tsv_with_mark_and_returns(tsv: Path) -> None:
    tsv.write_bytes(b"\xef\xbb\xbfhyp\tref\r\na\tb\r\n")
    rows = Rows([Field(str(tsv), "hyp"), Field(str(tsv), "ref")])
    assert list(rows) == [("a", "b")]
    assert rows.notes == [
        f"{tsv}: removed a byte-order mark",
        f"{tsv}: removed a trailing carriage return from 2 lines",
    ]


@pytest.mark.parametrize("block", [3, 1 << 20])
@pytest.mark.parametrize(("row", "count"), [("1\t2", 2), ("", 1), ("1\t2\t3\t4", 4)])
def test_tsv_of_uneven_width(
    tsv: Path, monkeypatch: pytest.MonkeyPatch, block: int, row: str, count: int
) -> None:
    monkeypatch.setattr(streams, "BLOCK", block)
    tsv.write_text(f"a\tb\tc\n1\t2\t3\n{row}\n1\t2\t3\n")
    assert error(tsv, "a") == (
        f"{tsv}, line 3: {count} fields where the header has 3; "
        "a text must not hold tabs or line ends (use JSONL or Parquet for such)"
    )


def test_tsv_with_a_repeated_name(tsv: Path) -> None:
    tsv.write_text("a\tb\ta\n1\t2\t3\n")
    assert error(tsv, "b") == f"{tsv}, line 1: two columns are named 'a'; rename one"


def test_tsv_without_the_column(tsv: Path) -> None:
    tsv.write_text("hypp\tref\n1\t2\n")
    assert error(tsv, "hyp") == (
        f"{tsv}: no column 'hyp' (did you mean 'hypp'?); it has: hypp, ref"
    )
    assert error(tsv, None) == (
        f"{tsv}: no column named 'candidate' or 'candidates' or 'hypothesis' for the candidate; "
        f"it has: hypp, ref; choose one with {tsv}:COLUMN"
    )


def test_tables_without_rows(tsv: Path, jsonl: Path) -> None:
    for path, column, data in (
        (tsv, "a", b""),
        (tsv, "a", b"a\tb\n"),
        (jsonl, "a", b""),
        (jsonl, "a", b"\n"),
        (jsonl, "a", b" \t\r\n"),
    ):
        path.write_bytes(data)
        assert error(path, column) == f"{path} is empty: there are no rows in it"


@pytest.mark.parametrize("block", [1, 30, 1 << 20])
def test_jsonl(jsonl: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(streams, "BLOCK", block)
    jsonl.write_text(
        '{"candidate": "a\\nb", "references": ["x", "y"], "score": NaN, "big": %s}\n'
        ' {"references": [], "candidate": null} \n'
        '{"candidate": "\\ud83d\\ude00\u2028", "references": "z"}\n\n' % ("9" * 5000)
    )
    fields = [Field(str(jsonl)), Field(str(jsonl), role="reference")]
    assert list(Rows(fields)) == [("a\nb", ["x", "y"]), (None, []), ("😀\u2028", "z")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"c": "x"', ", column 10: not valid JSON: Expecting ',' delimiter"),
        ("nonsense", ", column 1: not valid JSON: Expecting value"),
        ('{"c": "x"} {"c": "y"}', ", column 12: not valid JSON: Extra data"),
        ('{"c": "\t"}', ", column 8: not valid JSON: Invalid control character at"),
    ],
)
@pytest.mark.parametrize("block", [4, 1 << 20])
def test_bad_json(
    jsonl: Path, monkeypatch: pytest.MonkeyPatch, block: int, line: str, message: str
) -> None:
    monkeypatch.setattr(streams, "BLOCK", block)
    jsonl.write_text('{"c": "a"}\n' + line + '\n{"c": "b"}\n')
    assert error(jsonl, "c") == f"{jsonl}, line 2{message}; each line must hold one whole object"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('["c"]', ": a list where an object is needed; JSONL holds one {...} per line"),
        ('"c"', ": a text where an object is needed; JSONL holds one {...} per line"),
        ("7", ": a number where an object is needed; JSONL holds one {...} per line"),
        ("null", ": null where an object is needed; JSONL holds one {...} per line"),
        ("NaN", ": NaN where an object is needed; JSONL holds one {...} per line"),
        ('{"d": "x"}', ": no key 'c'; write null for a missing value"),
        ('{"c": "x", "c": "y"}', ": the key 'c' occurs twice in one object"),
        ('{"c": "x", "d": ' + "[" * 100_000 + "}", ": JSON nested too deeply to read"),
        ("", ": a blank line between rows; remove it, or write null for a missing row's values"),
        ("  ", ": a blank line between rows; remove it, or write null for a missing row's values"),
    ],
)
@pytest.mark.parametrize("block", [4, 1 << 20])
def test_wrong_lines(
    jsonl: Path, monkeypatch: pytest.MonkeyPatch, block: int, line: str, message: str
) -> None:
    monkeypatch.setattr(streams, "BLOCK", block)
    jsonl.write_text('{"c": "a"}\n' + line + '\n{"c": "b"}\n')
    assert error(jsonl, "c") == f"{jsonl}, line 2{message}"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("1", "a number"),
        ("1.5", "a number"),
        ("NaN", "NaN"),
        ("-Infinity", "a number"),
        ("true", "a boolean"),
        ('{"a": "b"}', "an object"),
        ('["a", 1]', "a list with a number at position 2"),
        ("[null]", "a list with null at position 1"),
        ('["a", "b", ["c"]]', "a list with a list at position 3"),
    ],
)
def test_wrong_values(jsonl: Path, value: str, found: str) -> None:
    jsonl.write_text(f'{{"c": "a"}}\n{{"c": {value}, "d": "x"}}\n{{"c": "b"}}\n')
    assert error(jsonl, "c") == (
        f"{jsonl}, line 2: key 'c' holds {found}; text, a list of texts or null is needed"
    )


@pytest.mark.parametrize("value", ['"a\\ud800b"', '["x", "\\uD800"]'])
def test_half_a_surrogate_pair(jsonl: Path, value: str) -> None:
    jsonl.write_text(f'{{"c": "a"}}\n{{"c": {value}}}\n')
    assert error(jsonl, "c") == (
        f"{jsonl}, line 2: key 'c' holds half a surrogate pair (\\ud800), which is no character; "
        "mend the program that wrote it"
    )


def test_jsonl_without_the_key(jsonl: Path) -> None:
    jsonl.write_text('{"hypp": "a", "ref": "b"}\n')
    assert error(jsonl, "hyp") == (
        f"{jsonl}, line 1: no column 'hyp' (did you mean 'hypp'?); it has: hypp, ref"
    )


def test_two_blank_lines_at_the_end(jsonl: Path) -> None:
    jsonl.write_text('{"c": "a"}\n\n\n')
    assert error(jsonl, "c").startswith(f"{jsonl}, line 2: a blank line between rows")


def test_columns_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": "x", "b": ["y"]}\n')))
    fields = [Field.parse(f"-:{name}", role="candidate", format="jsonl") for name in "ba"]
    assert list(Rows(fields)) == [(["y"], "x")]


def test_formats_side_by_side(tmp_path: Path, tsv: Path, jsonl: Path) -> None:
    text = tmp_path / "src.txt"
    text.write_text("s1\ns2\n")
    tsv.write_text("c\td\n1\t2\n3\t4\n")
    jsonl.write_text('{"e": "5"}\n{"e": null}\n')
    fields = [Field(str(tsv), "d"), Field(str(text)), Field(str(jsonl), "e"), Field(str(tsv), "c")]
    assert list(Rows(fields)) == [("2", "s1", "5", "1"), ("4", "s2", None, "3")]


@given(st.lists(st.tuples(TEXT, st.lists(TEXT), st.none()), min_size=1), st.booleans())
def test_jsonl_round_trip(rows: list[tuple[str, list[str], None]], ascii_only: bool) -> None:
    lines = [
        json.dumps(dict(zip("abc", row, strict=True)), ensure_ascii=ascii_only) for row in rows
    ]
    data = "".join(line + "\n" for line in lines).encode()
    with tempfile.TemporaryDirectory() as folder:
        for name, packed in (("x.jsonl", data), ("x.jsonl.gz", gzip.compress(data))):
            path = Path(folder, name)
            path.write_bytes(packed)
            assert read(path, "a", "b", "c") == rows


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r"))


@given(st.lists(st.tuples(CELL, CELL), min_size=1))
def test_tsv_round_trip(rows: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.tsv")
        path.write_bytes(b"a\tb\n" + b"".join("\t".join(r).encode() + b"\n" for r in rows))
        assert read(path, "a", "b") == rows


PIECES = [bytes([byte]) for byte in b"c\t\n\r{}:[],1 \x00\xff\xe9"]
PIECES += [b'"c"', b"\\ud800", b"null", b"NaN", b"PAR1", b"\x1f\x8b", b"\xef\xbb\xbf"]
NEARLY = st.lists(st.sampled_from(PIECES)).map(b"".join)


@given(st.one_of(st.binary(), NEARLY, NEARLY.map(gzip.compress)), st.booleans())
def test_fuzz(data: bytes, named_gz: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.gz" if named_gz else "x")
        path.write_bytes(data)
        for layout in FORMATS:
            column = None if layout == "text" else "c"
            try:
                result = str(bool(list(Rows([Field(str(path), column, layout)]))))
            except InputError as caught:
                result = str(caught)
            assert result == "True" or str(path) in result
