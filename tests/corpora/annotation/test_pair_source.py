"""Tables of pairs, with and without words, tags and known answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem, word_range
from paraphrast.corpora.annotation.pair_source import SourceRow, read_items
from paraphrast.corpora.annotation.project_settings import ProjectSettings
from paraphrast.errors import InputError
from paraphrast.text.words import WordText

BOTH = ProjectSettings(name="x", task="both")


def _read(tmp_path: Path, *rows: dict[str, Any]) -> list[SourceRow]:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return list(read_items(str(path), BOTH))


def test_texts_words_and_rows_of_the_tagger(tmp_path: Path) -> None:
    side = {"words": ["A", "dog", "."], "tags": [0, 1, 0]}
    found = _read(
        tmp_path,
        {"id": "x", "text1": "A cat.", "text2": "A dog."},
        {"a": "A cat.", "b": "A dog."},
        {"tokens1": ["A", "cat."], "tokens2": ["A", "dog."]},
        {"a": side, "b": side},
    )
    assert [one.pair.id for one in found] == ["x", "row 2", "row 3", "row 4"]
    assert [one.pair.text2.words for one in found[:3]] == [["A", "dog", "."]] * 2 + [["A", "dog."]]
    assert found[3].tagged == PairAnswer(spans1=((1, 2),), spans2=((1, 2),))
    assert found[0].tagged is None


def test_a_table_of_tabs_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("id\ttext1\ttext2\n7\tA cat.\tA dog.\n", encoding="utf-8")
    [found] = read_items(str(path), BOTH)
    assert (found.pair.id, found.pair.text1.text) == ("7", "A cat.")


def test_known_answers(tmp_path: Path) -> None:
    row = {
        "text1": "A cat.", "text2": "A dog.", "purpose": "gold", "label": "negative",
        "tags1": [0, 1, 0], "tags2": [0, 1, 0], "note": "pets",
    }  # fmt: skip
    [found] = _read(tmp_path, row)
    assert found.pair.gold == PairAnswer(label="negative", spans1=((1, 2),), spans2=((1, 2),))
    assert PairItem.from_dict(found.pair.to_dict()) == found.pair


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "x", "text1": "A."}, "no texts"),
        ({"text1": "A.", "text2": " "}, "the second text holds no word"),
        ({"text1": "A.", "text2": 3}, "text is needed"),
        ({"tokens1": ["A b"], "tokens2": ["A"]}, "words without spaces"),
        ({"text1": "A.", "text2": "B.", "purpose": "fun"}, "purpose is work, training, gold"),
        ({"text1": "A.", "text2": "B.", "purpose": "gold"}, "needs its answer: choose a label"),
        ({"text1": "A.", "text2": "B.", "purpose": "gold", "tags1": [1]}, "a 0 or 1 for each of 2"),
        ({"id": "x" * 201, "text1": "A.", "text2": "B."}, "1 to 200 characters"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as told:
        _read(tmp_path, {"text1": "A.", "text2": "B."}, row)
    assert "line 2" in str(told.value)


def test_an_id_that_occurs_twice_is_named(tmp_path: Path) -> None:
    row = {"id": "x", "text1": "A.", "text2": "B."}
    with pytest.raises(InputError, match=r"line 2: the id 'x' is that of .*line 1"):
        _read(tmp_path, row, row)


def test_code_points_become_whole_words() -> None:
    text = WordText.of("👩🏽‍🚒 sells cars")
    assert word_range(text, 0, 1) == (0, 1)
    assert word_range(text, 6, 12) == (1, 3)
    assert word_range(text, 4, 5) is None
