"""Readers: a row into an example, and a bad row into an error that names it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paraphrast.errors import InputError
from paraphrast.train.data.examples import Example
from paraphrast.train.data.readers import read


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


RATED = {"reference": "a cat", "hypothesis": "the cat", "human": 0.5}
TAGGED = {"tokens1": ["a", "b c"], "tokens2": ["d"], "tags1": [0, 1], "tags2": [0.5]}


def test_ratings_are_grouped_by_their_reference(tmp_path: Path) -> None:
    (example,) = read("ratings", write(tmp_path / "x.jsonl", RATED))
    assert (example.a.text, example.b.text, example.group) == ("a cat", "the cat", "a cat")
    assert (example.score, example.forward, example.tags_a) == (0.5, None, None)


def test_similarities_move_to_the_scale_of_ratings(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", {"text1": "a", "text2": "b", "score": 5})
    assert read("similarity", path)[0].score == 0.75


@pytest.mark.parametrize(
    ("reader", "label", "forward", "backward", "same"),
    [
        ("pairs", {"nli": "entailment"}, [1, 0, 0], None, None),
        ("pairs", {"nli": "neutral"}, [0, 1, 0], None, 0.0),
        ("pairs", {"nli": "contradiction"}, [0, 0, 1], None, 0.0),
        ("pairs", {"label": 0}, None, None, 0.0),
        ("pairs", {"label": 1}, [1, 0, 0], [1, 0, 0], 1.0),
        ("pairs", {}, [1, 0, 0], [1, 0, 0], 1.0),
        ("entailments", {"label": 1}, [1, 0, 0], None, None),
        ("entailments", {"label": 0}, [0, np.nan, np.nan], None, 0.0),
        ("alterations", {"same": True}, [1, 0, 0], [1, 0, 0], 1.0),
        ("alterations", {"same": False, "nli": None}, None, None, 0.0),
        (
            "alterations",
            {"same": False, "nli": "entailment", "nli_back": "neutral"},
            [1, 0, 0],
            [0, 1, 0],
            0.0,
        ),
    ],
)
def test_labels_of_pairs(
    tmp_path: Path,
    reader: str,
    label: dict[str, Any],
    forward: list[float] | None,
    backward: list[float] | None,
    same: float | None,
) -> None:
    path = write(tmp_path / "x.jsonl", {"text1": "a", "text2": "b", **label})
    (example,) = read(reader, path)
    assert example.same == same
    for found, expected in ((example.forward, forward), (example.backward, backward)):
        assert (found is None) == (expected is None)
        if found is not None:
            np.testing.assert_array_equal(found, expected)


def test_altered_copies_may_have_tags(tmp_path: Path) -> None:
    row = TAGGED | {"same": False, "text1": "", "text2": ""}
    (example,) = read("alterations", write(tmp_path / "x.jsonl", row))
    (tagged,) = read("tags", write(tmp_path / "y.jsonl", TAGGED))
    assert example.tags_a is not None
    assert example.tags_a.tolist() == tagged.tags_a.tolist()  # type: ignore[union-attr]
    assert example.a == tagged.a


SET = {
    "text": "He sold two cats.",
    "same": ["Two cats were sold by him."],
    "changed": [
        {"text": "He sold three cats.", "nli": "contradiction", "nli_back": "neutral"},
        {"text": "He sold two old cats today.", "nli": "neutral", "nli_back": "entailment"},
    ],
}


def test_sets_pair_every_text_with_every_other_that_is_known(tmp_path: Path) -> None:
    found = read("sets", write(tmp_path / "x.jsonl", SET))
    original, turned = SET["text"], SET["same"][0]  # type: ignore[index]
    changed, more = (change["text"] for change in SET["changed"])  # type: ignore[index]
    assert [(one.a.text, one.b.text, one.same) for one in found] == [
        (original, turned, 1.0),
        (original, changed, 0.0),
        (turned, changed, 0.0),
        (original, more, 0.0),
        (turned, more, 0.0),
    ]
    assert {one.group for one in found} == {original}
    first, second, _, fourth, _ = found
    assert first.forward is not None
    assert second.forward is not None
    assert fourth.backward is not None
    assert first.forward.tolist() == [1, 0, 0]
    assert second.forward.tolist() == [0, 0, 1]
    assert fourth.backward.tolist() == [1, 0, 0]


def test_words_of_sets_are_tagged_where_one_place_differs(tmp_path: Path) -> None:
    first, second, third, fourth, _ = read("sets", write(tmp_path / "x.jsonl", SET))

    def tags(one: Example) -> list[list[float] | None]:
        return [side if side is None else side.tolist() for side in (one.tags_a, one.tags_b)]

    assert tags(first) == [[0] * 5, [0] * 7]
    assert tags(second) == [[0, 0, 1, 0, 0], [0, 0, 1, 0, 0]]
    assert tags(third) == [None, None]  # another order: which words tell is not known
    assert tags(fourth) == [None, None]  # two places


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nli": "maybe"}, "nli is 'maybe', not one of entailment, neutral, contradiction"),
        ({"text": 3}, "text is 3, not a text"),
    ],
)
def test_a_wrong_set_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    one = {"text": "a", "nli": "neutral", "nli_back": "neutral"} | change
    path = write(tmp_path / "x.jsonl", SET | {"changed": [one]})
    with pytest.raises(InputError) as caught:
        read("sets", path)
    assert str(caught.value) == f"{path}, line 1: not a row for the reader 'sets': {message}"


def test_references_of_one_source_say_the_same(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", {"references": ["a", "b", "c"]}, {"references": ["d"]})
    found = [(row.a.text, row.b.text, row.same) for row in read("references", path)]
    assert found == [("a", "b", 1.0), ("b", "c", 1.0)]


def test_given_words_stay_words(tmp_path: Path) -> None:
    (example,) = read("tags", write(tmp_path / "x.jsonl", TAGGED))
    assert example.a.words == ["a", "b c"]
    assert example.tags_a is not None
    assert example.tags_a.tolist() == [0.0, 1.0]
    assert example.tags_b is not None
    assert example.tags_b.tolist() == [0.5]


def test_captions_pair_with_the_next_and_texts_with_themselves(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", {"captions": ["a", "b", "c"]})
    assert [(row.a.text, row.b.text) for row in read("captions", path)] == [("a", "b"), ("b", "c")]
    path = write(tmp_path / "y.jsonl", {"sentence": "s"}, {"text": "t"})
    assert [(row.a.text, row.b.text) for row in read("texts", path)] == [("s", "s"), ("t", "t")]


@pytest.mark.parametrize(
    ("reader", "row", "message"),
    [
        ("ratings", {"reference": "a"}, "the reader 'ratings' needs the key 'hypothesis'"),
        ("ratings", {**RATED, "human": None}, "NOT human is None, not a number"),
        ("ratings", {**RATED, "human": float("nan")}, "NOT human is nan, not a number"),
        ("ratings", {**RATED, "reference": 3}, "NOT reference is 3, not a text"),
        ("ratings", [1], "not a JSON object"),
        ("pairs", {"text1": "a", "text2": "b", "label": 2}, "NOT label is 2, not between 0 and 1"),
        (
            "pairs",
            {"text1": "a", "text2": "b", "nli": "-"},
            "NOT nli is '-', not one of entailment, neutral, contradiction",
        ),
        ("tags", {**TAGGED, "tags2": [0, 1]}, "NOT tokens and tags differ in number"),
        ("tags", {**TAGGED, "tags2": [2]}, "NOT tags2 is not a list of numbers between 0 and 1"),
        ("tags", {**TAGGED, "tokens2": "d"}, "NOT tokens2 is not a list of words"),
        ("captions", {"captions": "abc"}, "NOT captions is not a list"),
        ("texts", {"txet": "a"}, "the reader 'texts' needs the key 'sentence'"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, reader: str, row: Any, message: str) -> None:
    good = {"ratings": RATED, "tags": TAGGED, "captions": {"captions": []}, "texts": {"text": "t"}}
    path = write(tmp_path / "x.jsonl", good.get(reader, {"text1": "a", "text2": "b"}), row)
    with pytest.raises(InputError) as caught:
        read(reader, path)
    message = message.replace("NOT", f"not a row for the reader {reader!r}:")
    assert str(caught.value) == f"{path}, line 2: {message}"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "x.jsonl"
    with pytest.raises(InputError) as caught:
        read("pairs", missing)
    assert str(caught.value) == (
        f"there is no file {missing}; set PARAPHRAST_DATA to the folder that holds the data"
    )
    missing.write_text("{\n")
    with pytest.raises(InputError, match=f"^{missing}, line 1: not JSON: "):
        read("pairs", missing)
    cut = tmp_path / "x.jsonl.gz"
    cut.write_bytes(gzip.compress(b'{"text1": "a", "text2": "b"}\n' * 99)[:-9])
    with pytest.raises(InputError, match=f"^cannot read {cut}: "):
        read("pairs", cut)
    cut.write_bytes(b"no gzip")
    with pytest.raises(InputError, match=f"^cannot read {cut}: Not a gzipped file"):
        read("pairs", cut)


def test_half_a_surrogate_pair_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rated.jsonl"
    path.write_text('{"reference": "the \\ud800 cat", "hypothesis": "a cat", "human": 1}\n')
    with pytest.raises(InputError, match=r"rated.jsonl, line 1: .*half a surrogate pair"):
        read("ratings", path)
