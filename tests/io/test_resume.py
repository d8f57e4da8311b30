"""Locks, checksums and leftovers: what every job that can be resumed stands on."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.errors import ConfigError, InputError
from paraphrast.io import atomic_writer
from paraphrast.io.resume import (
    alone,
    digest,
    is_sealed,
    remove_leftovers,
    seal_file,
    sealed_line,
    unsealed_line,
    whole_lines,
    work_folder,
)


def test_a_second_process_is_refused_until_the_first_is_done(tmp_path: Path) -> None:
    with (
        alone(tmp_path, doing="training"),
        pytest.raises(ConfigError, match=f"another process is training in {tmp_path}; wait for it"),
        alone(tmp_path, doing="training"),
    ):
        pass
    with alone(tmp_path, doing="training"):
        pass


def test_the_other_processes_of_a_group_take_no_lock(tmp_path: Path) -> None:
    with alone(tmp_path, doing="training"), alone(tmp_path, doing="training", main=False):
        pass


def test_a_folder_that_cannot_be_written_into_is_named(tmp_path: Path) -> None:
    """As a read-only one; permissions do not stop root."""
    (tmp_path / ".lock").mkdir()
    with (
        pytest.raises(InputError, match=f"cannot write into {tmp_path}: Is a directory"),
        alone(tmp_path, doing="training"),
    ):
        pass


def test_a_digest_depends_on_values_and_not_on_the_order_of_keys() -> None:
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})
    assert len(digest("\ud83d")) == 16


def test_a_sealed_file_that_was_changed_is_known(tmp_path: Path) -> None:
    path = tmp_path / "entry"
    assert not is_sealed(path)
    path.write_bytes(b"whole")
    assert is_sealed(path)  # as files of earlier versions, which had no seal
    seal_file(path)
    assert is_sealed(path)
    path.write_bytes(b"whale")
    assert not is_sealed(path)


@given(st.text(), st.integers(0, 200))
def test_a_sealed_line_is_whole_or_none(text: str, place: int) -> None:
    line = sealed_line({"text": text})
    assert unsealed_line(line) == {"text": text}
    assert json.loads(line)["row"] == {"text": text}
    assert unsealed_line(line[:-1]) is None
    place %= len(line)
    assert unsealed_line(line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]) is None


def test_lines_count_up_to_the_first_damaged_one() -> None:
    lines = [sealed_line({"n": text}) for text in ("a", "b", "c")]
    assert whole_lines(io.BytesIO(b"".join(lines))) == (3, sum(map(len, lines)))
    damaged = lines[0] + lines[1].replace(b'"b"', b'"x"') + lines[2]
    assert whole_lines(io.BytesIO(damaged)) == (1, len(lines[0]))


def test_a_work_folder_is_swept_when_it_is_locked(tmp_path: Path) -> None:
    left = tmp_path / "work" / "step" / ".paraphrast-0123.tmp"
    left.parent.mkdir(parents=True)
    left.write_text("half")
    with (
        work_folder(tmp_path / "work", doing="building") as folder,
        pytest.raises(ConfigError, match="another process is building"),
        work_folder(folder, doing="building"),
    ):
        pass
    assert not left.exists()


def test_leftovers_of_dead_processes_go_and_those_of_others_stay(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    (tmp_path / ".paraphrast-dead.tmp").write_text("half")
    dead = tmp_path / ".paraphrast-mine-dead"
    busy = tmp_path / ".paraphrast-mine-busy"
    for folder in (dead, busy):
        folder.mkdir()
    with alone(busy, doing="mining"), atomic_writer(tmp_path / "out") as file:
        file.write("half")
        (being_written,) = set(tmp_path.glob("*.tmp")) - {tmp_path / ".paraphrast-dead.tmp"}
        remove_leftovers(tmp_path, ".paraphrast-mine-*")  # all of them are new
        assert dead.exists()
        for path in tmp_path.rglob("*"):
            os.utime(path, (0, 0))
        remove_leftovers(tmp_path, ".paraphrast-mine-*")
        assert sorted(tmp_path.iterdir()) == sorted([busy, being_written])
    assert (tmp_path / "out").read_text() == "half"
