"""Fixtures that find the real data beside the project; tests that need it are skipped without."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(  # a busy machine is no failure
    "paraphrast", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("paraphrast")

_PROJECT = Path(__file__).parents[1]
os.environ.setdefault("PARAPHRAST_DATA", str(_PROJECT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def data() -> Callable[[str], Path]:
    """A function from a file's name under PARAPHRAST_DATA to its path; it skips if it is absent."""
    root = Path(os.environ["PARAPHRAST_DATA"])

    def find(name: str) -> Path:
        path = root / name
        if not path.exists():
            pytest.skip(f"{name} is not under {root}; set PARAPHRAST_DATA")
        return path

    return find


@pytest.fixture(scope="session")
def mrpc(data: Callable[[str], Path]) -> tuple[list[str], list[str]]:
    """text1 and text2 of the 1,147 positive pairs of MRPC's test set."""
    with gzip.open(data("pairs/mrpc.test.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["label"] == 1]
    assert len(rows) == 1147
    return [row["text1"] for row in rows], [row["text2"] for row in rows]
