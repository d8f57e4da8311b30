"""Shards that were damaged on disk: what is cut is done again, what is altered is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from paraphrast.engine.shards import DONE, Counts, Shards
from paraphrast.engine.step import Dropped
from paraphrast.errors import InputError


@pytest.fixture
def shards(tmp_path: Path) -> Shards:
    """A finished step of two shards, with a row set aside."""
    found = Shards(tmp_path / "step")
    for number in range(2):
        rows = [{"id": f"{number}-{n}", "text": "a"} for n in range(3)]
        counts = found.put(number, [*rows, Dropped({"id": "x"}, "bad")], Counts(rows_in=4))
        found.seal(number, counts)
    found.finish(2, Counts(rows_in=8, rows_out=6), wall=1.0)
    return Shards(found.folder)


def test_whole_shards_are_read(shards: Shards) -> None:
    assert shards.finished
    assert len(list(shards.rows())) == 6
    assert [row["id"] for row in shards.rows_of(1)] == ["1-0", "1-1", "1-2"]
    assert shards.counts_of(0) == Counts(rows_in=4, rows_out=3, dropped={"bad": 1})


@pytest.mark.parametrize("keep", [0, 10])
@pytest.mark.parametrize("kind", ["rows_file", "dropped_file"])
def test_a_shard_that_was_cut_is_not_done(shards: Shards, kind: str, keep: int) -> None:
    path: Path = getattr(shards, kind)(1)
    path.write_bytes(path.read_bytes()[:keep])
    assert shards.has(0)
    assert not shards.has(1)
    assert not shards.finished
    with pytest.raises(InputError, match=r"shard-000001.*not as it was written.*remove the folder"):
        list(shards.rows())


def test_a_shard_that_was_altered_is_refused_by_name(shards: Shards) -> None:
    path = shards.rows_file(0)
    path.write_bytes(path.read_bytes().replace(b'"a"', b'"b"'))
    with pytest.raises(InputError, match=r"shard-000000\.jsonl cannot be read \(it is not as it"):
        shards.rows_of(0)


def test_a_shard_of_an_older_version_has_no_hash(shards: Shards) -> None:
    shards.counts_file(0).write_text('{"taken": 4, "given": 3}')
    assert shards.finished
    assert len(shards.rows_of(0)) == 3


@pytest.mark.parametrize(
    "text", ["{}", "[]", "", "[" * 200_000, '{"shards": 1, "counts": {"x": 1}, "wall": 0}']
)
def test_totals_that_are_none_are_named(shards: Shards, text: str) -> None:
    (shards.folder / DONE).write_text(text)
    with pytest.raises(InputError, match=r"done\.json cannot be read .* remove the folder"):
        shards.counts()


@pytest.mark.parametrize("text", ['{"files": 1}', '{"files": {"a": 1}}', "[]"])
def test_counts_that_are_none_are_named(shards: Shards, text: str) -> None:
    shards.counts_file(0).write_text(text)
    with pytest.raises(InputError, match=r"shard-000000\.json cannot be read"):
        shards.check(0)


def test_counts_of_other_names_are_named(shards: Shards) -> None:
    shards.counts_file(0).write_text('{"unknown": 1}')
    with pytest.raises(InputError, match=r"shard-000000\.json cannot be read"):
        shards.counts_of(0)
