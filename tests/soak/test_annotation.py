"""Annotating under kills: what was acknowledged is in the log, and the log makes the tables."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from paraphrast.corpora.annotation.project import OWNER, AnnotationProject
from tests.corpora.annotation.conftest import postgresql, store  # noqa: F401
from tests.corpora.annotation.desk import make, pairs
from tests.soak.campaign import ROUNDS, SEED

pytestmark = pytest.mark.soak

_ANNOTATOR = """
import sys
from paraphrast.corpora.annotation.project import AnnotationProject
from paraphrast.corpora.annotation.pair_item import PairAnswer
project = AnnotationProject.open(sys.argv[1])
answer = PairAnswer(label="negative", spans1=((1, 2),))
while True:
    item = project.work.next("ana")
    item = project.work.save("ana", item.pair.id, answer, version=item.version)
    print(item.version, flush=True)
    project.work.submit(
        "ana", item.pair.id, answer, version=item.version, guideline=item.guideline
    )
    project.work.undo("ana")
"""


def test_kill_after_kill_nothing_acknowledged_is_lost(
    tmp_path: Path,
    store: str | None,
) -> None:
    draw, told = random.Random(SEED), set()
    with make(tmp_path, pairs(5), store=store) as project:
        folder = str(project.folder.path)
    for _ in range(ROUNDS):
        process = subprocess.Popen(
            [sys.executable, "-c", _ANNOTATOR, folder], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        told |= {int(process.stdout.readline()) for _ in range(draw.randint(1, 12))}
        process.kill()
        told |= {int(line) for line in process.stdout if line.endswith("\n")}
        process.wait()
        process.stdout.close()
    with AnnotationProject.open(folder) as project:
        assert {one.seq for one in project.events(OWNER)} >= told
        before = project.snapshot()
        project.rebuild()
        assert project.snapshot() == before
