"""CSV as RFC 4180 has it: what is written is read again."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.errors import InputError
from paraphrast.io import Field, Rows, write_table
from paraphrast.io.cells import read_cells

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), max_size=8)


def read(path: Path, *columns: str) -> list[tuple[object, ...]]:
    return list(Rows([Field(str(path), column) for column in columns]))


@given(rows=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_what_is_written_is_read_again(rows: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        write_table(path, [{"a": a, "b": b} for a, b in rows])
        assert read(path, "a", "b") == rows
        with path.open(newline="", encoding="utf-8") as file:
            assert list(csv.reader(file)) == [["a", "b"], *map(list, rows)]


def test_a_quoted_text_keeps_commas_quotes_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'candidate,id\r\n"a, ""b""\r\nc",1\r\nplain,2\r\n')
    assert read(path, "candidate") == [('a, "b"\r\nc',), ("plain",)]
    assert read(path, "id", "candidate")[1] == ("2", "plain")


def test_line_ends_of_rfc_4180_are_nothing_to_note(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'candidate,id\r\n"a\r\nb",1\r\nc,2\r\n')
    rows = Rows([Field(str(path), "candidate")])
    assert list(rows) == [("a\r\nb",), ("c",)]
    assert rows.notes == []
    path.with_suffix(".txt").write_text("x\n")
    with pytest.raises(InputError, match=r"x\.csv has 2, .*x\.txt has 1"):
        list(Rows([Field(str(path), "candidate"), Field(str(path.with_suffix(".txt")))]))
    notes: list[str] = []
    assert [cells for _, cells in read_cells(str(path), ["candidate", "id"], notes)] == [
        ("a\r\nb", "1"),
        ("c", "2"),
    ]
    assert notes == []


def test_a_single_column_may_have_a_semicolon_in_its_name(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a;b\n1\n")
    assert read(path, "a;b") == [("1",)]


def test_the_usual_column_is_found(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("references,candidate\nx,y\n")
    assert list(Rows([Field(str(path)), Field(str(path), role="reference")])) == [("y", "x")]


def test_a_blank_line_is_an_empty_text_of_the_only_column(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("candidate\na\n\nb\n")
    assert read(path, "candidate") == [("a",), ("",), ("b",)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1\n", "line 2: 1 fields where the header has 2; a text that holds a comma"),
        ("a,b\n1,2\n1,2,3\n", "line 3: 3 fields where the header has 2"),
        ("a,a\n1,2\n", "two columns are named 'a'"),
        ('a,b\n1,"2\n3,4\n', "line 2: a quotation mark in this row is never closed; close it"),
        ('a,b\n1,"2"x\n', "line 2: ',' expected after '\"'; a text that holds"),
        ('a,b\n1,"2\n3,"4"\n', "line 3, in the row that begins in line 2: ',' expected"),
        ("a,b\n1\r2,3\n", "line 2: a carriage return in a text without quotes; a text that"),
        (
            "a;b\n1,5;2\n",
            "line 1: the only column is 'a;b'; the file seems to be separated by semi",
        ),
        ("a\tb\n1\t2\n", "separated by tabs; name it .tsv"),
        ("x,b\n1,2\n", "no column 'a'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text, newline="")
    with pytest.raises(InputError) as caught:
        read(path, "a")
    assert message in str(caught.value)


def test_numbers_and_gaps_are_written(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_table(path, [{"n": 0.1, "none": None, "list": [1, "a"]}])
    assert path.read_text() == 'n,none,list\n0.1,,"[1, ""a""]"\n'
