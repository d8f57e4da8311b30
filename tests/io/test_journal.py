from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from paraphrast.errors import ConfigError
from paraphrast.io.journal import journal_of, open_journal

JOB = {"seed": 1}


def stopped(out: Path, rows: list[dict[str, object]]) -> int:
    """Add rows and stop before the end; return how many were there before."""
    opened = open_journal(out, JOB)
    journal = opened.__enter__()
    before = journal.done
    journal.add(rows)
    opened.__exit__(RuntimeError, RuntimeError(), None)
    return before


def test_a_job_that_was_stopped_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert stopped(out, [{"n": 1}, {"n": 2, "text": "zwei\nü \ud83d"}]) == 0
    assert stopped(out, [{"n": 3}]) == 2
    with open_journal(out, JOB) as journal:
        assert journal.done == 3
        assert [row["n"] for row in journal.rows()] == [1, 2, 3]
        assert next(row["text"] for row in journal.rows() if row["n"] == 2) == "zwei\nü \ud83d"
    assert list(tmp_path.iterdir()) == []


def test_half_a_line_is_written_anew(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    stopped(out, [{"n": 1}])
    path = journal_of(out)
    whole = path.read_bytes()
    for cut in range(1, 9):  # every way to lose the end of the last line
        path.write_bytes(whole[:-cut])
        assert stopped(out, [{"n": 1}]) == 0
        assert path.read_bytes() == whole
    path.write_bytes(whole[:5])  # not even the first line
    with open_journal(out, JOB) as journal:
        assert journal.done == 0


def test_rows_from_a_damaged_one_on_are_made_again(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    stopped(out, [{"n": 1}, {"n": 2}, {"n": 3}])
    path = journal_of(out)
    path.write_bytes(path.read_bytes().replace(b'"n": 2', b'"n": 7'))  # still a row
    with open_journal(out, JOB) as journal:
        assert [row["n"] for row in journal.rows()] == [1]


def test_another_job_s_journal_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    stopped(out, [{"n": 1}])
    before = journal_of(out).read_bytes()
    with pytest.raises(ConfigError, match="with other options or another input"):
        open_journal(out, {"seed": 2}).__enter__()
    assert journal_of(out).read_bytes() == before
    with open_journal(tmp_path / "other.jsonl", {"seed": 2}) as journal:
        assert journal.done == 0


def test_a_journal_without_a_row_blocks_no_other_job(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    stopped(out, [{"n": 1}])
    path = journal_of(out)
    head = path.read_bytes().splitlines(keepends=True)[0]
    for left in (head, head + b'{"n": '):
        path.write_bytes(left)
        with suppress(RuntimeError), open_journal(out, {"seed": 2}) as journal:
            assert journal.done == 0
            raise RuntimeError
        assert list(tmp_path.iterdir()) == []  # a job that fails before its first row leaves none


def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    journal_of(out).write_bytes(b"mine\n")
    with pytest.raises(ConfigError):
        open_journal(out, JOB).__enter__()
    assert journal_of(out).read_bytes() == b"mine\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks")
def test_two_processes_do_not_share_one(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    code = (
        "import sys; from paraphrast.io.journal import open_journal\n"
        "with open_journal(sys.argv[1], {'seed': 1}): pass"
    )
    with open_journal(out, JOB):
        done = subprocess.run(
            [sys.executable, "-c", code, str(out)], capture_output=True, text=True, check=False
        )
    assert "another process is writing" in done.stderr
