"""Pairs from tables: what is read, and how every mistake is named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from paraphrast.errors import ConfigError, InputError
from paraphrast.meaning.tag_rows import read_pairs

TAGGED = {"id": "x", "tokens1": ["don't", "go"], "tokens2": ["stay"], "tags1": [0, 1], "tags2": [0]}


def jsonl(path: Path, *rows: object) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def text(path: Path, content: str) -> str:
    path.write_text(content, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("names", [("text1", "text2"), ("a", "b")])
def test_texts_are_cut_into_words(names: tuple[str, str], tmp_path: Path) -> None:
    path = jsonl(tmp_path / "p.jsonl", dict(zip(names, ["We don't.", ""], strict=True)))
    (row,) = read_pairs(path)
    assert [side.words for side in row.pair] == [["We", "don't", "."], []]
    assert row.pair[0].text == "We don't."
    assert (row.where, row.gold, row.id) == (f"{path}, line 1", None, None)


def test_given_words_are_kept_and_come_first(tmp_path: Path) -> None:
    words = ["New York", "-LRB-", "it", "'s"]
    row = {"tokens1": words, "tokens2": [], "text1": "no", "text2": "no", "id": 7, "more": [1]}
    (found,) = read_pairs(jsonl(tmp_path / "p.jsonl", row))
    assert found.pair[0].words == words
    assert found.pair[0].text == "New York -LRB- it 's"
    assert len(found.pair[1]) == 0
    assert found.id == 7


def test_right_tags_are_read_when_asked_for(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "p.jsonl", TAGGED)
    assert next(read_pairs(path)).gold is None
    assert next(read_pairs(path, gold=True)).gold == ((0, 1), (0,))


def test_tsv_has_texts_or_words_with_spaces_between(tmp_path: Path) -> None:
    path = text(tmp_path / "p.tsv", 'id\ttext1\ttext2\nr1\tA "cat".\t\n')
    (row,) = read_pairs(path)
    assert (row.where, row.id) == (f"{path}, line 2", "r1")
    assert [side.words for side in row.pair] == [["A", '"', "cat", '"', "."], []]
    path = text(tmp_path / "w.tsv", "tokens1\ttokens2\ttags1\ttags2\nit 's\t\t0 1\t\n")
    (row,) = read_pairs(path, gold=True)
    assert [side.words for side in row.pair] == [["it", "'s"], []]
    assert row.gold == ((0, 1), ())


def test_gzip_standard_format_and_notes(tmp_path: Path) -> None:
    path = tmp_path / "odd.name"
    path.write_bytes(gzip.compress(b'{"a": "x", "b": "y"}\r\n'))
    notes: list[str] = []
    assert len(list(read_pairs(str(path), format="jsonl", notes=notes))) == 1
    assert notes == [
        f"{path}: gzip data although not named .gz; unpacked",
        f"{path}: removed a trailing carriage return from 1 line",
    ]


def test_reading_is_lazy(tmp_path: Path) -> None:
    rows = read_pairs(jsonl(tmp_path / "p.jsonl", TAGGED, {"tokens1": []}))
    assert next(rows).id == "x"
    with pytest.raises(InputError, match="line 2: 'tokens1' is there but 'tokens2' is not"):
        next(rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tags1": [0]}, ": tokens1 has 2 words but tags1 has 1 tags"),
        ({"tags2": [0, 1]}, ": tokens2 has 1 words but tags2 has 2 tags"),
        ({"tags1": [0, 2]}, ", tags1, word 2: a tag is 0 or 1; got 2"),
        ({"tags1": [0, "1"]}, ", tags1, word 2: a tag is 0 or 1; got '1'"),
        ({"tags1": [True, 1]}, ", tags1, word 1: a tag is 0 or 1; got True"),
        ({"tags1": "01"}, ", tags1: a list of tags is needed; got '01'"),
        ({"tokens1": "a b"}, ", tokens1: a list of words is needed; got 'a b'"),
        ({"tokens1": ["a", None]}, ", tokens1, word 2: text is needed; got None"),
        ({"tokens1": ["a", ""]}, ", tokens1, word 2 is empty; leave it out"),
        ({"id": [1]}, ": the id must be a text or a number; got [1]"),
        (
            {"tokens1": ["a", "\ud800"]},
            ", tokens1 holds half a surrogate pair (\\ud800), which is no character; "
            "mend the program that wrote it",
        ),
    ],
)
def test_a_bad_row_is_named(change: dict[str, object], message: str, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "p.jsonl", TAGGED, TAGGED | change)
    with pytest.raises(InputError) as error:
        list(read_pairs(path, gold=True))
    assert str(error.value) == f"{path}, line 2{message}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1]\n", ", line 1: JSONL holds one object, {...}, per line"),
        (
            '{"a": "x", "a": "y"}\n',
            ", line 1: not valid JSON: the key 'a' occurs twice in one object",
        ),
        (
            '{"a": "x"\n',
            ", line 1: not valid JSON: Expecting ',' delimiter: line 1 column 10 (char 9)",
        ),
        ('{"a": "x"}\n', ", line 1: 'a' is there but 'b' is not"),
        ('{"text2": "x"}\n', ", line 1: 'text2' is there but 'text1' is not"),
        ('{"a": 1, "b": "y"}\n', ", line 1, a: text is needed; got 1"),
        (
            '{"x": "x", "y": "y"}\n',
            ", line 1: no texts; name them text1 and text2, a and b, or, as lists of words, "
            "tokens1 and tokens2; it has: x, y",
        ),
        ("", " is empty: there are no rows in it"),
        ('{"a": "x", "b": "y"}\n\n{}\n', ", line 2: a blank line between rows; remove it"),
    ],
)
def test_a_bad_file_is_named(content: str, message: str, tmp_path: Path) -> None:
    path = text(tmp_path / "p.jsonl", content)
    with pytest.raises(InputError) as error:
        list(read_pairs(path))
    assert str(error.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\ta\nx\ty\n", ", line 1: two columns are named 'a'; rename one"),
        ("a\tb\nx\n", ", line 2: 1 fields where the header has 2"),
        ("a\tb\n", " is empty: there are no rows in it"),
        ("tokens1\ttokens2\nit  is\tx\n", ", line 2, tokens1, word 2 is empty; leave it out"),
    ],
)
def test_a_bad_tsv_is_named(content: str, message: str, tmp_path: Path) -> None:
    path = text(tmp_path / "p.tsv", content)
    with pytest.raises(InputError) as error:
        list(read_pairs(path))
    assert str(error.value) == f"{path}{message}"


def test_right_tags_need_given_words(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "p.jsonl", {"text1": "x", "text2": "y", "tags1": [0], "tags2": [0]})
    with pytest.raises(InputError) as error:
        list(read_pairs(path, gold=True))
    needed = "right tags need tokens1, tokens2, tags1 and tags2"
    assert str(error.value) == f"{path}, line 1: no 'tokens1'; {needed}"


def test_a_format_that_is_not_read_is_wrong_usage() -> None:
    with pytest.raises(ConfigError) as error:
        list(read_pairs("pairs.parquet"))
    expected = "the format 'parquet' is not read; pairs are read from jsonl or tsv"
    assert str(error.value) == f"pairs.parquet: {expected}"
    with pytest.raises(ConfigError) as error:
        list(read_pairs("pairs.txt"))
    expected = "the name tells no format; pairs are read from jsonl or tsv"
    assert str(error.value) == f"pairs.txt: {expected}"
