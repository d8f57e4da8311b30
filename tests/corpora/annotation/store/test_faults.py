"""Kills, crowds, full disks and lost connections: what was acknowledged is there."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import text

from paraphrast.corpora.annotation.project import OWNER, AnnotationProject
from paraphrast.corpora.annotation.refusals import StoreUnavailable
from paraphrast.corpora.annotation.store import event_log as log
from tests.corpora.annotation.desk import NEGATIVE, answer_all, given, hand_in, make, pairs
from tests.disks import small_disk

_WRITER = """
import sys
from paraphrast.corpora.annotation.project import AnnotationProject
from paraphrast.corpora.annotation.pair_item import PairAnswer
project = AnnotationProject.open(sys.argv[1])
item = project.work.next("ana")
for number in range(100_000):
    item = project.work.save(
        "ana", item.pair.id, PairAnswer(label="positive"), version=item.version, seconds=number
    )
    print(item.version, flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 7, 20])
def test_a_kill_loses_no_event_that_was_acknowledged(
    tmp_path: Path, store: str | None, acknowledged: int
) -> None:
    with make(tmp_path, pairs(1), store=store) as project:
        folder = project.folder.path
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    told = [int(process.stdout.readline()) for _ in range(acknowledged)]
    process.kill()  # SIGKILL, while it goes on writing
    told += [int(line) for line in process.stdout if line.endswith("\n")]
    process.wait()
    process.stdout.close()
    with AnnotationProject.open(folder) as project:
        kept = {one.seq for one in project.events(OWNER) if one.kind == log.SAVED}
        assert kept >= {*told}
        before = project.snapshot()
        project.rebuild()
        assert project.snapshot() == before
        hand_in(project, "ana", given(project, "ana"))


def test_fifty_annotators_at_once_lose_nothing_and_double_nothing(
    tmp_path: Path, store: str | None
) -> None:
    names = tuple(f"p{n}" for n in range(50))
    with make(tmp_path, pairs(40), store=store, people=names, annotators=3, shared=0.5) as project:
        places = [one.wanted for one in project.pairs.all(OWNER)]
        done: Counter[str] = Counter()
        faults: list[BaseException] = []

        def work(name: str) -> None:
            try:
                done[name] = answer_all(project, name)
            except BaseException as fault:  # noqa: BLE001 - shown below
                faults.append(fault)

        threads = [threading.Thread(target=work, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == []
        assert {1, 3} == {*places}
        handed_in = [one for one in project.events(OWNER) if one.kind == log.SUBMITTED]
        assert len(handed_in) == done.total() == sum(places)
        assert len({(one.item, one.subject) for one in handed_in}) == len(handed_in)
        assert [one.record.done for one in project.outcomes(OWNER)] == places


def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    with make(tmp_path, pairs(1)) as project:
        item = given(project, "ana")
        before = list(project.events(OWNER))
        size = sum(path.stat().st_size for path in project.folder.path.iterdir())
        told = ""
        with small_disk(size):
            try:
                for _ in range(2000):
                    item = project.work.save("ana", "p00", NEGATIVE, version=item.version)
                    before = list(project.events(OWNER))
            except StoreUnavailable as refusal:
                told = str(refusal)
        assert "the disk is full or cannot be written" in told
        assert "nothing of this request was recorded" in told
        assert list(project.events(OWNER)) == before
        assert hand_in(project, "ana", given(project, "ana")).state == "done"


def test_a_lost_connection_is_told_and_found_again(tmp_path: Path, postgresql: object) -> None:
    url = postgresql()  # type: ignore[operator]
    with make(tmp_path, pairs(2), store=url) as project:
        item = given(project, "ana")
        with pytest.raises(StoreUnavailable, match="the connection to the store is lost"):
            _cut(project)
        assert hand_in(project, "ana", item).state == "done"


def _cut(project: AnnotationProject) -> None:
    """Write while the server ends the connection."""
    database = project.ledger.database
    with database.writing() as connection:
        own = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        with database.reading() as other:
            other.execute(text(f"SELECT pg_terminate_backend({own})"))
        connection.execute(text("SELECT 1"))


def test_a_store_that_is_no_database_is_told(tmp_path: Path) -> None:
    make(tmp_path, pairs(1)).close()
    for path in (tmp_path / "desk").glob("annotations.sqlite3*"):
        path.write_bytes(os.urandom(4096))
    with pytest.raises(StoreUnavailable, match="damaged"):
        AnnotationProject.open(tmp_path / "desk")
