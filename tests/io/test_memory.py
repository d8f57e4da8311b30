"""Reading and writing hold no file whole; time is in benchmarks, not here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GROWTH = """
import re
from collections import deque
from paraphrast.io import Field, Rows
# getrusage would not do: its peak begins with that of the process that forked this one
peak = lambda: int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
fields = [Field(path, column) for path, column in {fields}]
next(iter(Rows(fields)))
before = peak()
deque(Rows(fields), maxlen=0)
print(peak() - before)
"""


def growth(fields: list[tuple[str, str | None]]) -> float:
    """Mebibytes by which memory grows over a whole reading, after the first rows."""
    command = [sys.executable, "-c", GROWTH.format(fields=fields)]
    return int(subprocess.run(command, capture_output=True, check=True).stdout) / 1024


@pytest.mark.parametrize("length", [40, 20_000])
def test_text_of_200_megabytes(tmp_path: Path, length: int) -> None:
    path = tmp_path / "big.txt"
    block = (b"x" * (length - 1) + b"\n") * (10_000_000 // length)
    with path.open("wb") as file:
        for _ in range(20):
            file.write(block)
    assert growth([(str(path), None)]) < 20


def test_parquet_of_many_rows(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "big.parquet"
    table = arrow.table({"c": [f"{n:0100}" for n in range(100_000)]})
    with parquet.ParquetWriter(path, table.schema, use_dictionary=False) as writer:
        for _ in range(20):  # 200 MB when decoded
            writer.write_table(table)
    assert growth([(str(path), "c")]) < 80
