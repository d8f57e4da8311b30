"""The paraphrase index: look-ups, and how it is kept."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from paraphrast.metrics.meteor import paraphrases
from paraphrast.metrics.meteor.paraphrases import ParaphraseTable, build_index, open_table

RECORDS = [
    ("in view of", "given"),
    ("in view of", "in the light of"),
    ("given", "in view of"),
    ("gr\u00f6\u00dfe", "size"),
    ("in", "within"),
    ("in", "into"),
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "paraphrase.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"0.5\n{phrase}\n{paraphrase}\n" for phrase, paraphrase in RECORDS)
    return path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache" / "nested"
    monkeypatch.setenv("PARAPHRAST_CACHE", str(path))
    return path


def pairs(table: ParaphraseTable, one: str, two: str) -> list[tuple[int, int, int, int]]:
    return list(table.pairs(table.phrases(one.split()), table.phrases(two.split())))


def test_finds_phrases_wherever_they_stand(source: Path) -> None:
    table = ParaphraseTable.from_array(build_index(source))
    assert pairs(table, "so in view of this", "given this , given that") == [
        (1, 3, 0, 1),
        (1, 3, 3, 1),
    ]
    assert pairs(table, "given", "seen in view of it") == [(0, 1, 1, 3)]
    assert pairs(table, "gr\u00f6\u00dfe", "a size") == [(0, 1, 1, 1)]


def test_the_table_has_a_direction(source: Path) -> None:
    table = ParaphraseTable.from_array(build_index(source))
    assert pairs(table, "in", "into")
    assert not pairs(table, "into", "in")


def test_paraphrases_come_in_the_order_of_the_file(source: Path) -> None:
    table = ParaphraseTable.from_array(build_index(source))
    assert pairs(table, "in", "into within") == [(0, 1, 1, 1), (0, 1, 0, 1)]


@pytest.mark.parametrize("text", ["", "nothing known here", "in view", "view of"])
def test_unknown_text_has_no_paraphrases(source: Path, text: str) -> None:
    table = ParaphraseTable.from_array(build_index(source))
    assert not pairs(table, text, "given in view of")
    assert not pairs(table, "given in view of", "")


def test_small_blocks_build_the_same_index(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = build_index(source)
    monkeypatch.setattr(paraphrases, "_BLOCK", 5)
    np.testing.assert_array_equal(build_index(source), whole)


def test_the_index_is_built_once(
    source: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_table(source)
    assert [path.suffix for path in cache.iterdir()] == [".npy"]
    monkeypatch.setattr(paraphrases, "build_index", None)
    second = open_table(source)
    np.testing.assert_array_equal(first.sources, second.sources)
    assert pairs(second, "given", "in view of") == [(0, 1, 0, 3)]


def test_another_text_gets_another_index(source: Path, cache: Path, tmp_path: Path) -> None:
    open_table(source)
    other = tmp_path / "other.gz"
    other.write_bytes(gzip.compress(b"0.5\nin\nat\n"))
    assert pairs(open_table(other), "in", "at") == [(0, 1, 0, 1)]
    assert len(list(cache.iterdir())) == 2


@pytest.mark.parametrize("keep", [0, 60, 200])
def test_a_damaged_index_is_built_again(source: Path, cache: Path, keep: int) -> None:
    open_table(source)
    (index,) = cache.iterdir()
    whole = index.read_bytes()
    index.write_bytes(whole[:keep])
    with pytest.warns(RuntimeWarning, match="damaged"):
        open_table(source)
    assert index.read_bytes() == whole


def test_an_array_that_is_no_index_is_refused() -> None:
    for data in ([1], [0, 0, 0, 0], [9, 1, 2, 3]):
        with pytest.raises(ValueError, match="not a paraphrase index"):
            ParaphraseTable.from_array(np.array(data, dtype=np.uint64))


def test_works_where_nothing_can_be_written(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv("PARAPHRAST_CACHE", str(blocked))
    with pytest.warns(RuntimeWarning, match="cannot be kept"):
        table = open_table(source)
    assert pairs(table, "in", "into") == [(0, 1, 0, 1)]
