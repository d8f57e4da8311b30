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

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0\ufeff"), max_size=8)


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
    assert read(path, "candidate") == [('a, "b"\nc',), ("plain",)]
    assert read(path, "id", "candidate")[1] == ("2", "plain")


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
        ('a,b\n1,"2\n', "line 2: the row that begins here opens a double quote"),
        ('a,b\n1,2\n3,"4\n5,6\n', "line 3: the row that begins here opens a double quote"),
        ('a,b\n1,"2"x\n', "line 2: ',' expected after '\"'"),
        ("x,b\n1,2\n", "no column 'a'"),
        ("a;b\n1;2\n", "no column 'a'; it has: a;b; columns are parted by a comma in .csv"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read(path, "a")
    assert message in str(caught.value)


def test_numbers_and_gaps_are_written(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_table(path, [{"n": 0.1, "none": None, "list": [1, "a"]}])
    assert path.read_text() == 'n,none,list\n0.1,,"[1, ""a""]"\n'
