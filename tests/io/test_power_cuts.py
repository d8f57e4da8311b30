"""A power cut at any moment: what was finished stays, and nothing half-written is taken for it."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

from paraphrast.corpora.build.manifest import MANIFEST, Manifest, Provenance, write_manifest
from paraphrast.corpora.build.output_folder import staged
from paraphrast.engine.shards import Counts, Shards
from paraphrast.engine.step import Dropped
from paraphrast.io import atomic_writer, write_table
from paraphrast.io.journal import journal_of, open_journal
from paraphrast.io.resume import is_sealed, seal_file
from tests.power import ForgetfulDisk, forgetful, lay_out

pytestmark = pytest.mark.skipif(os.name == "nt", reason="folders cannot be brought to the disk")

NAME = "out.txt"
OLD, NEW = b"old\n" * 100, b"new\n" * 300


class Stopped(Exception):
    """What ends a job in the middle."""


def final(disk: ForgetfulDisk) -> set[bytes | None]:
    """What the file of the final name may hold after a cut; None if there is none."""
    return {state.get(NAME) for state in disk.cuts}


@pytest.mark.parametrize("old", [None, OLD])
def test_a_file_is_the_old_one_or_the_new_one_and_then_the_new_one(
    tmp_path: Path, old: bytes | None
) -> None:
    if old is not None:
        (tmp_path / NAME).write_bytes(old)
    with forgetful(tmp_path) as disk:
        with atomic_writer(tmp_path / NAME, binary=True) as file:
            file.write(NEW)
            file.flush()
            disk.cut()
        assert final(disk) == {old, NEW}
        assert {state.get(NAME) for state in disk.states()} == {NEW}


def test_the_disk_finds_a_writer_that_does_not_wait(tmp_path: Path) -> None:
    """The simulation itself: a rename may overtake the contents, or be forgotten."""
    (tmp_path / NAME).write_bytes(OLD)
    with forgetful(tmp_path) as disk:
        (tmp_path / "temporary").write_bytes(NEW)
        os.replace(tmp_path / "temporary", tmp_path / NAME)
        assert final(disk) == {OLD, b"", NEW[: len(NEW) // 2], bytes(len(NEW))}
        with (tmp_path / NAME).open("rb") as file:
            os.fsync(file.fileno())
        assert {state[NAME] for state in disk.states()} == {OLD, NEW}


@pytest.mark.parametrize("name", ["t.jsonl", "t.tsv", "t.csv", "t.jsonl.gz"])
def test_tables_are_whole_or_not_there(tmp_path: Path, name: str) -> None:
    rows = [{"text": f"row {number}", "value": number / 7} for number in range(500)]
    with forgetful(tmp_path) as disk:
        write_table(tmp_path / name, rows)
        whole = (tmp_path / name).read_bytes()
        assert {state.get(name) for state in disk.cuts} == {None, whole}
        assert {state.get(name) for state in disk.states()} == {whole}


def test_a_seal_never_vouches_for_what_is_not_there(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with forgetful(home) as disk:
        with atomic_writer(home / NAME, binary=True) as file:
            file.write(NEW)
        seal_file(home / NAME)
        after = disk.states()
    for number, state in enumerate(disk.cuts):
        path = lay_out(state, tmp_path / str(number)) / NAME
        assert not is_sealed(path) or path.read_bytes() == NEW
    assert all(NAME in state and len(state) == 2 for state in after)  # the file and its seal


def test_a_shard_is_done_with_all_its_rows_or_not_done(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    rows = [{"id": str(number)} for number in range(300)]
    with forgetful(home) as disk:
        shards = Shards(home)
        shards.seal(0, shards.put(0, [*rows, Dropped({"id": "x"}, "bad")], Counts(rows_in=301)))
        after = disk.states()
    done = 0
    for number, state in enumerate([*disk.cuts, *after]):
        found = Shards(lay_out(state, tmp_path / str(number)))
        if found.has(0):
            done += 1
            assert found.rows_of(0) == rows
            assert found.counts_of(0).dropped == {"bad": 1}
        else:
            assert state not in after
    assert done


def test_rows_of_a_journal_are_safe_when_add_returns(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    job = {"model": "a"}
    rows = [{"source": f"text {number}", "candidates": [number] * 20} for number in range(6)]
    sure: list[tuple[int, list[dict[str, bytes]]]] = []
    with forgetful(home) as disk:
        with suppress(Stopped), open_journal(home / NAME, job) as journal:
            for start in range(0, len(rows), 2):
                journal.add(rows[start : start + 2])
                sure.append((start + 2, disk.states()))
            raise Stopped
        sure.append((0, disk.cuts))
    places = iter(range(10_000))
    for least, states in sure:
        for state in states:
            output = lay_out(state, tmp_path / str(next(places))) / NAME
            with open_journal(output, job) as journal:
                assert least <= journal.done <= len(rows)
                assert list(journal.rows()) == rows[: journal.done]


def test_a_journal_that_was_damaged_is_no_traceback(tmp_path: Path) -> None:
    job = {"model": "a"}
    out = tmp_path / NAME
    with suppress(Stopped), open_journal(out, job) as journal:
        journal.add([{"source": "a"}, {"source": "b"}, {"source": "c"}])
        raise Stopped
    whole = journal_of(out).read_bytes()
    first = whole.index(b"\n") + 1
    for place in range(first, len(whole)):
        journal_of(out).write_bytes(whole[:place] + b"\xff" + whole[place + 1 :])
        with suppress(Stopped), open_journal(out, job) as journal:
            found = list(journal.rows())
            assert found == [{"source": text} for text in "abc"[: len(found)]]
            assert len(found) == whole.count(b"\n", first, place)
            raise Stopped
    assert json.loads(whole[:first])["job"] == job


def test_a_manifest_never_comes_before_the_files_that_it_names(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    names = ["train.jsonl", "README.md"]
    with forgetful(home) as disk:
        with staged(home) as folder:
            for name in names:
                with atomic_writer(folder / name) as file:
                    file.write(f"{name}\n" * 100)
            made = Provenance(recipe="r", recipe_sha256="0", seed=0, steps={})
            empty = Manifest(provenance=made.to_dict(), files=())
            write_manifest(folder, empty.with_files(folder, names))
        after = disk.states()
    whole = {name: f"{name}\n".encode() * 100 for name in names}
    for state in disk.cuts:
        assert MANIFEST not in state or whole.items() <= state.items()
    assert all(MANIFEST in state for state in after)
