"""A work folder is taken up again, never shared, and never mistaken for another."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from paraphrast.corpora import array_files as arrays
from paraphrast.corpora.mine import vectors
from paraphrast.corpora.mine.neighbours import Wanted
from paraphrast.errors import ConfigError, InputError, ModelError
from paraphrast.io.resume import alone
from tests.corpora.stubs import WEIGHTS, Stub, mined

TEXTS = [f"text {number}" for number in range(20)]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


def stopped(work: Path, texts: list[str] = TEXTS, after: int = 7) -> Stub:
    """Mine until so many texts were read, and be killed then."""
    stub = Stub()
    stub.stop_after = after
    with pytest.raises(KeyboardInterrupt):
        mined(texts, embedder=stub, work=work)
    return stub


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_stopped_run_goes_on_where_it_was(work: Path) -> None:
    stopped(work)
    stub, notes = Stub(), list[str]()
    found = mined(TEXTS, embedder=stub, work=work, tell=notes.extend)
    assert found == mined(TEXTS)
    assert stub.asked == TEXTS[6:]  # two shards of three were there
    assert notes == [f"{work}: 2 of 7 shards were there already"]


def test_a_finished_folder_serves_other_thresholds_without_the_network(work: Path) -> None:
    mined(TEXTS, work=work)
    stub = Stub()
    wanted = Wanted(7, 0.1)
    assert mined(TEXTS, embedder=stub, work=work, wanted=wanted) == mined(TEXTS, wanted=wanted)
    assert stub.asked == []
    assert mined(TEXTS, work=work, search="approximate") == mined(TEXTS, search="approximate")


def test_the_shards_stay_as_they_were_begun(work: Path) -> None:
    stopped(work)
    stub = Stub()
    assert mined(TEXTS, embedder=stub, work=work, shard=5) == mined(TEXTS)
    assert stub.asked == TEXTS[6:]


def test_a_kill_while_texts_are_read_leaves_a_folder_to_begin_in(work: Path) -> None:
    def cut() -> Any:
        yield from TEXTS[:5]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mined(cut(), work=work)
    assert mined(TEXTS, work=work) == mined(TEXTS)


def test_half_written_and_damaged_shards_are_made_again(work: Path) -> None:
    mined(TEXTS, work=work)
    (work / "first" / ".paraphrast-0123456789ab.tmp").write_bytes(b"half")
    damaged = work / "first" / "shard-00002.npy"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    (work / "first" / "shard-00004.npy").unlink()
    stub = Stub()
    assert mined(TEXTS, embedder=stub, work=work) == mined(TEXTS)
    assert stub.asked == TEXTS[6:9] + TEXTS[12:15]
    assert not list(work.rglob("*.tmp"))


def test_other_weights_are_refused_by_name(work: Path) -> None:
    stopped(work)
    before = contents(work)
    with pytest.raises(ModelError) as caught:
        mined(TEXTS, work=work, weights=replace(WEIGHTS, name="stub 2", fingerprint="def"))
    assert str(caught.value) == (
        f"{work} was made with the weights stub 1 (abc), not with stub 2 (def); "
        "give another --work folder, or remove this one"
    )
    assert contents(work) == before


@pytest.mark.parametrize(
    ("texts", "others", "now"),
    [
        (TEXTS[:-1], None, r"texts \(19 texts, sha256 \w{12}\)"),
        ([*TEXTS[:-1], "new"], None, r"texts \(20 texts, sha256 \w{12}\)"),
        (TEXTS, ["new"], r"texts \(20 texts, .*\) and others \(1 texts, sha256 \w{12}\)"),
    ],
)
def test_other_texts_are_refused_by_name(
    texts: list[str], others: list[str] | None, now: str, work: Path
) -> None:
    stopped(work)
    before = contents(work)
    made = rf"{work} was made from texts \(20 texts, sha256 \w{{12}}\)"
    fix = "give another --work folder, or remove this one"
    with pytest.raises(InputError, match=f"^{made}, not from {now}; {fix}$"):
        mined(texts, others, work=work)
    assert contents(work) == before


def test_a_foreign_folder_is_left_alone(work: Path) -> None:
    work.mkdir()
    (work / "thesis.tex").write_text("mine")
    expected = "it has no manifest.json but holds thesis.tex; give a new or empty folder"
    with pytest.raises(InputError, match=expected):
        mined(TEXTS, work=work)
    assert [path.name for path in work.iterdir() if path.name != ".lock"] == ["thesis.tex"]


@pytest.mark.parametrize("change", ["{", "[]", '{"kind": "paraphrast mining", "format": 1}'])
def test_a_damaged_manifest_is_named(change: str, work: Path) -> None:
    mined(TEXTS, work=work)
    (work / "manifest.json").write_text(change)
    with pytest.raises(InputError, match=r"manifest\.json .*give another --work folder"):
        mined(TEXTS, work=work)


def test_a_later_format_is_refused(work: Path) -> None:
    mined(TEXTS, work=work)
    manifest = json.loads((work / "manifest.json").read_text())
    (work / "manifest.json").write_text(json.dumps(manifest | {"format": 2}))
    with pytest.raises(InputError, match="no manifest of a mining folder of this version"):
        mined(TEXTS, work=work)


def test_two_runs_never_share_a_folder(work: Path) -> None:
    work.mkdir()
    with (
        alone(work, doing="mining"),
        pytest.raises(ConfigError, match=f"^another process is mining in {work}; wait for it$"),
    ):
        mined(TEXTS, work=work)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot make the folder .*file/work: Not a directory"):
        mined(TEXTS, work=tmp_path / "file" / "work")


def test_an_index_that_is_not_ours_is_refused(work: Path) -> None:
    mined(TEXTS, work=work, search="approximate")
    index = work / "index.faiss"
    index.write_bytes(index.read_bytes() + b"x")
    with pytest.raises(ModelError) as caught:
        mined(TEXTS, work=work, search="approximate")
    assert str(caught.value) == (
        f"{index} is not the index that was built here from stub 1 (abc): its hash is not the one "
        "in manifest.json; remove it, and it is built again"
    )
    index.unlink()
    assert mined(TEXTS, work=work, search="approximate") == mined(TEXTS, search="approximate")


def full_after(writes: int) -> Callable[..., None]:
    """Save as many arrays as fit, and then find the disk full."""
    done = 0

    def save(path: Path, values: Any) -> None:
        nonlocal done
        done += 1
        if done > writes:
            try:
                raise OSError(errno.ENOSPC, "No space left on device")
            except OSError as error:
                raise InputError(f"cannot write {path}: {error.strerror}") from error
        arrays.save_array(path, values)

    return save


def test_a_full_disk_leaves_what_was_finished(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(vectors, "save_array", full_after(2))
        with pytest.raises(InputError) as caught:
            mined(TEXTS, work=work)
    shard = work / "first" / "shard-00002.npy"
    assert str(caught.value) == (
        f"cannot write {shard}: No space left on device; what is finished stays in {work}: "
        "make room and run the same command again"
    )
    stub = Stub()
    assert mined(TEXTS, embedder=stub, work=work) == mined(TEXTS)
    assert stub.asked == TEXTS[6:]


def test_a_full_temporary_folder_is_removed_and_a_larger_one_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(vectors, "save_array", full_after(2))
    fix = "make room, or name a folder on a larger disk with --work"
    with pytest.raises(InputError, match=f"No space left on device; {fix}$"):
        mined(TEXTS)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fills_up_with_pairs_is_named(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = work / ".paraphrast-pairs.tmp"
    opened = Path.open

    def full(path: Path, *arguments: Any, **options: Any) -> Any:
        if path == pairs:
            path = Path("/dev/full")
        return opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", full)
    message = f"cannot write {pairs}: No space left on device; what is finished stays in {work}"
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        mined(TEXTS, work=work, wanted=Wanted(5, -0.9))
    assert not pairs.exists()


def test_temporary_folders_of_killed_processes_go_and_those_of_living_ones_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    killed, living, begun, old = (tmp_path / f".paraphrast-mine-{n}" for n in "abcd")
    for folder in (killed, living, begun, old):
        folder.mkdir()
        (folder / "first").mkdir()
    (killed / ".lock").write_text("")
    os.utime(old, (0, 0))
    with alone(living, doing="mining"):
        mined(TEXTS)
        assert sorted(tmp_path.iterdir()) == [living, begun]
    os.utime(begun, (0, 0))
    mined(TEXTS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["texts.bin", "offsets.npy", "rows.npy", "keys.npy"])
@pytest.mark.parametrize("damage", ["cut", "zeroed", "gone"])
def test_damaged_texts_are_taken_in_again(work: Path, name: str, damage: str) -> None:
    whole = mined(TEXTS, work=work)
    path = work / "first" / name
    data = path.read_bytes()
    changed = {"cut": data[: len(data) // 2], "zeroed": bytes(len(data))}
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(changed[damage])
    stub = Stub()
    assert mined(TEXTS, embedder=stub, work=work) == whole
    assert path.read_bytes() == data
    assert stub.asked == [], "the vectors are still good"


def test_damaged_texts_are_not_replaced_by_others(work: Path) -> None:
    whole = mined(TEXTS, work=work)
    (work / "first" / "texts.bin").write_bytes(b"")
    with pytest.raises(InputError, match="was made from"):
        mined([*TEXTS[1:], "another"], work=work)
    assert mined(TEXTS, work=work) == whole


def test_zeroed_vectors_are_made_again(work: Path) -> None:
    whole = mined(TEXTS, work=work)
    shard = work / "first" / "shard-00002.npy"
    values = arrays.load_array(shard)
    arrays.save_array(shard, values * 0)
    stub = Stub()
    assert mined(TEXTS, embedder=stub, work=work) == whole
    assert stub.asked == TEXTS[6:9]
