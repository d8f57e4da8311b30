"""Field: specs, formats and the choice of a column."""

from __future__ import annotations

from pathlib import Path

import pytest

from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field


@pytest.mark.parametrize(
    ("spec", "path", "column"),
    [
        ("data.jsonl", "data.jsonl", None),
        ("data.jsonl:hyp", "data.jsonl", "hyp"),
        ("a:b.tsv:hyp", "a:b.tsv", "hyp"),
        ("-", "-", None),
        ("-:hyp", "-", "hyp"),
        ("C:\\data\\cand.txt", "C:\\data\\cand.txt", None),
        ("C:/data/cand.txt", "C:/data/cand.txt", None),
        ("C:\\data\\cand.tsv:hyp", "C:\\data\\cand.tsv", "hyp"),
        ("data.tsv:my column", "data.tsv", "my column"),
    ],
)
def test_parse(spec: str, path: str, column: str | None) -> None:
    assert Field.parse(spec, role="source") == Field(path, column, None, "source")


def test_a_file_with_a_colon_in_its_name_wins(tmp_path: Path) -> None:
    odd = tmp_path / "data.tsv:hyp"
    assert Field.parse(str(odd), role="candidate").column == "hyp"
    odd.write_text("x")
    assert Field.parse(str(odd), role="candidate") == Field(str(odd))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("data.tsv:", "'data.tsv:' names no column after the ':'; write FILE:COLUMN"),
        (":hyp", "':hyp' names no file; write FILE or FILE:COLUMN"),
        ("", "'' names no file; write FILE or FILE:COLUMN"),
    ],
)
def test_parse_refuses(spec: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Field.parse(spec, role="candidate")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("path", "layout"),
    [
        ("x", "text"),
        ("x.txt", "text"),
        ("x.en.gz", "text"),
        ("x.tsv", "tsv"),
        ("x.TSV.GZ", "tsv"),
        ("x.jsonl", "jsonl"),
        ("x.ndjson.gz", "jsonl"),
        ("x.json", "jsonl"),
        ("x.parquet.gz", "parquet"),
        ("dir.tsv/x", "text"),
        ("-", "text"),
    ],
)
def test_format_from_the_name(path: str, layout: str) -> None:
    assert Field(path).layout == layout
    assert Field(path, format="tsv").layout == "tsv"


def test_csv_is_not_taken_for_text() -> None:
    assert Field("x.csv").layout == "csv"
    assert Field("x.csv.gz").layout == "csv"
    assert Field("x.csv", format="text").layout == "text"


def test_unknown_format() -> None:
    with pytest.raises(ConfigError) as caught:
        Field("x", format="json")
    assert str(caught.value) == (
        "unknown format 'json' (did you mean 'jsonl'?); "
        "one of text, tsv, csv, jsonl, parquet is needed"
    )


@pytest.mark.parametrize(
    ("role", "known", "chosen"),
    [
        ("candidate", ["hypothesis", "candidates", "candidate"], "candidate"),
        ("candidate", ["hypothesis", "candidates"], "candidates"),
        ("candidate", ["hypothesis"], "hypothesis"),
        ("reference", ["reference", "references"], "references"),
        ("source", ["src", "source"], "source"),
        ("source", ["src"], "src"),
        ("id", ["id"], "id"),
        ("system", ["system"], "system"),
    ],
)
def test_usual_names(role: str, known: list[str], chosen: str) -> None:
    assert Field("x", role=role).choose(known, "x") == chosen


def test_no_usual_name() -> None:
    with pytest.raises(InputError) as caught:
        Field("x.tsv", role="reference").choose(["a", "b"], "x.tsv")
    assert str(caught.value) == (
        "x.tsv: no column named 'references' or 'reference' for the reference; "
        "it has: a, b; choose one with x.tsv:COLUMN"
    )


def test_missing_column() -> None:
    with pytest.raises(InputError) as caught:
        Field("x.tsv", "candidat").choose(["id", "candidate"], "x.tsv")
    assert str(caught.value) == (
        "x.tsv: no column 'candidat' (did you mean 'candidate'?); it has: id, candidate"
    )


def test_long_and_empty_listings() -> None:
    with pytest.raises(InputError, match=r"it has: c0, .*, c19 and 5 more$"):
        Field("x", "zzz").choose([f"c{n}" for n in range(25)], "x")
    with pytest.raises(InputError, match="it has no columns"):
        Field("x", "zzz").choose([], "x")
