"""Cells of any kind from JSONL, TSV, CSV and Parquet."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from paraphrast.errors import ConfigError, InputError
from paraphrast.io.cells import read_cells, text_cell

ROWS = [("a, “b”", 1), ('say "x"', 0), ("c", None)]


def written(folder: Path, kind: str) -> str:
    path = folder / f"pairs.{kind}"
    if kind.startswith("jsonl"):
        text = "".join(json.dumps({"id": "x", "text": t, "label": n}) + "\n" for t, n in ROWS)
    elif kind == "tsv":
        text = "id\ttext\tlabel\n" + "".join(f"x\t{t}\t{'' if n is None else n}\n" for t, n in ROWS)
    else:
        quoted = [t.replace('"', '""') for t, _ in ROWS]
        cells = zip(quoted, (n for _, n in ROWS), strict=True)
        text = "id,text,label\n" + "".join(f'x,"{t}",{"" if n is None else n}\n' for t, n in cells)
    if kind.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "tsv", "csv"])
def test_every_format_gives_the_same_cells(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path, kind)
    found = list(read_cells(path, ["text", "label"]))
    flat = kind in ("tsv", "csv")
    wanted = [(t, ("" if n is None else str(n)) if flat else n) for t, n in ROWS]
    assert [cells for _, cells in found] == wanted
    assert found[1][0] == f"{path}, line {3 if flat else 2}"


def test_parquet(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    texts = [f"t{n}" for n in range(5000)]
    table = arrow.table({"text": texts, "label": [1, None] * 2500, "more": [0.5] * 5000})
    path = str(tmp_path / "p.parquet")
    parquet.write_table(table, path)
    found = list(read_cells(path, ["label", "text"]))
    assert found[0] == (f"{path}, row 1", (1, "t0"))
    assert found[4999] == (f"{path}, row 5000", (None, "t4999"))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.jsonl", '{"text": "a"}\n', "{}, line 1: no column 'label'; it has: text"),
        ("a.tsv", "text\tlable\na\t1\n",
         "{}: no column 'label' (did you mean 'lable'?); it has: text, lable"),
        ("a.tsv", "text\tlabel\na\n", "{}, line 2: 1 fields where the header has 2"),
        ("a.tsv", "text\ttext\na\tb\n", "{}, line 1: two columns are named 'text'; rename one"),
        ("a.jsonl", "{\n", "{}, line 1: not valid JSON: "),
        ("a.jsonl", "[1]\n", "{}, line 1: JSONL holds one object, {{...}}, per line"),
        ("a.jsonl", '{"text": 1, "text": 2, "label": 1}\n',
         "{}, line 1: not valid JSON: the key 'text' occurs twice"),
        ("a.csv", 'text,label\n"a,1\n', "{}, line 2: the row that begins here opens"),
        ("a.jsonl", "", "{} is empty: there are no rows in it"),
        ("a.tsv", "text\tlabel\n", "{} is empty: there are no rows in it"),
        ("a.parquet", "no", "{}: not a Parquet file, or damaged ("),
    ],
)  # fmt: skip
def test_bad_files(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError) as error:
        list(read_cells(str(path), ["text", "label"]))
    assert str(error.value).startswith(said.format(path))


def test_a_name_without_a_format() -> None:
    with pytest.raises(ConfigError) as error:
        list(read_cells("pairs.txt", ["text"]))
    assert str(error.value) == (
        "pairs.txt: the name tells no table format; end it in .jsonl, .tsv, .csv or .parquet"
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "f, line 1: text is needed; got nothing"),
        (3, "f, line 1: text is needed; got 3"),
        ("\ud800", "f, line 1 holds half a surrogate pair (\\ud800)"),
    ],
)
def test_cells_that_are_no_text(value: object, said: str) -> None:
    with pytest.raises(InputError) as error:
        text_cell(value, "f, line 1")
    assert str(error.value).startswith(said)
    assert text_cell("é", "f") == "é"
