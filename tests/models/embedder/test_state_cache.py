"""What was computed before: the same bits back, bounded in memory, whole on disk."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import numpy as np
import pytest

from paraphrast.errors import InputError
from paraphrast.models.embedder.state_cache import FILE, Recent, StateFile, text_key


def states(rows: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, 4)).astype(np.float32)


def test_memory_holds_what_was_asked_for_last() -> None:
    recent = Recent(limit=3 * states(2).nbytes)
    for name in (b"a", b"b", b"c"):
        recent.add(1, {name: states(2)})
    assert recent.get(1, b"a") is not None
    recent.add(1, {b"d": states(2)})
    assert recent.get(1, b"b") is None
    assert all(recent.get(1, name) is not None for name in (b"a", b"c", b"d"))


def test_memory_tells_layers_apart_and_counts_a_text_once() -> None:
    recent = Recent(limit=2 * states(2).nbytes)
    recent.add(1, {b"a": states(2)})
    assert recent.get(2, b"a") is None
    recent.add(1, {b"a": states(2)})
    recent.add(2, {b"a": states(2, 1)})
    assert recent.get(1, b"a") is not None


def test_the_file_gives_the_same_bits_back(tmp_path: Path) -> None:
    new = {text_key(str(n)): states(n % 7 + 1, n) for n in range(1200)}
    StateFile(tmp_path / "made" / "here", "abc", 4).add(3, new)
    found = StateFile(tmp_path / "made" / "here", "abc", 4).get(3, [*new, b"other"])
    assert found.keys() == new.keys()
    assert all(np.array_equal(found[key], new[key]) for key in new)


def test_other_weights_and_layers_see_nothing(tmp_path: Path) -> None:
    StateFile(tmp_path, "abc", 4).add(3, {b"a": states(1)})
    assert StateFile(tmp_path, "other", 4).get(3, [b"a"]) == {}
    assert StateFile(tmp_path, "abc", 4).get(2, [b"a"]) == {}


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    def write(first: int) -> None:
        file = StateFile(tmp_path, "abc", 4)
        for number in range(first, 40, 2):
            file.add(1, {bytes([number]): states(1, number)})

    both = [threading.Thread(target=write, args=(n,)) for n in (0, 1)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert len(StateFile(tmp_path, "abc", 4).get(1, [bytes([n]) for n in range(40)])) == 40


def test_a_file_that_two_make_at_once_is_theirs_both(tmp_path: Path) -> None:
    failed = []

    def make(folder: Path, together: threading.Barrier) -> None:
        together.wait()
        try:
            StateFile(folder, "abc", 4)
        except InputError as error:
            failed.append(str(error))

    for number in range(60):
        together = threading.Barrier(4)
        folder = tmp_path / str(number)
        several = [threading.Thread(target=make, args=(folder, together)) for _ in range(4)]
        for one in several:
            one.start()
        for one in several:
            one.join()
    assert failed == []


def test_a_full_disk_is_told_and_leaves_what_was_there(tmp_path: Path) -> None:
    file = StateFile(tmp_path, "abc", 4)
    file.add(1, {b"a": states(2)})

    real = file._ask

    def limited(work):  # type: ignore[no-untyped-def]
        def bounded(found: sqlite3.Connection) -> object:
            (pages,) = found.execute("PRAGMA page_count").fetchone()
            found.execute(f"PRAGMA max_page_count = {pages}")
            return work(found)

        return real(bounded)

    file._ask = limited  # type: ignore[method-assign]
    with pytest.raises(InputError) as caught:
        file.add(1, {text_key(str(n)): states(500, n) for n in range(50)})
    assert str(caught.value) == (
        f"the cache of embeddings {tmp_path / FILE} cannot be used: database or disk is full; what "
        "it held is as it was; name another folder or leave the cache out"
    )
    after = StateFile(tmp_path, "abc", 4)
    assert np.array_equal(after.get(1, [b"a"])[b"a"], states(2))
    after.add(1, {b"b": states(1)})
    assert after.get(1, [b"b"]).keys() == {b"b"}


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: path.write_bytes(b"some other file " * 99), "file is not a database"),
        (lambda path: path.mkdir(), "unable to open database file"),
    ],
)
def test_a_file_that_is_no_cache(tmp_path: Path, spoil, reason: str) -> None:  # type: ignore[no-untyped-def]
    spoil(tmp_path / FILE)
    with pytest.raises(InputError, match=f"cannot be used: {reason}; what it held is as it was"):
        StateFile(tmp_path, "abc", 4)


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as theirs:
        theirs.execute("CREATE TABLE mail (text TEXT)")
    theirs.close()
    with pytest.raises(InputError, match="it is another program's database"):
        StateFile(tmp_path, "abc", 4)


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match=r"embeddings\.sqlite cannot be used"):
        StateFile(tmp_path / "taken", "abc", 4)
