"""Live commands whose output has a line too many or too few: no text gets another's answer."""

from __future__ import annotations

import itertools
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paraphrast.corpora.translators.programs.command import Command
from paraphrast.corpora.translators.translator import Failed
from paraphrast.errors import ConfigError, InputError
from tests.corpora.translators.sample_programs import faulty


def run(given: tuple[str, ...], calls: list[list[str]], **options: Any) -> list[str | Failed]:
    options = {"live": True, "timeout": 1.5, **options}
    command = Command(name="tool", source="en", target="xx", command=given, **options)
    with command.open() as translate:
        return [answer for texts in calls for answer in translate(texts)]


def lines(*special: str, count: int = 90) -> list[str]:
    """Return texts; each special one follows thirty others."""
    found = [f"text {n}" for n in range(count)]
    for place, text in enumerate(special):
        found[30 * (place + 1) - 1] = text
    return found


def check(texts: list[str], found: list[str | Failed]) -> list[Failed]:
    """Every answer is that of its text; return those that are none."""
    for text, answer in zip(texts, found, strict=True):
        assert isinstance(answer, Failed) or answer == text[::-1]
    return [answer for answer in found if isinstance(answer, Failed)]


def test_a_stray_line_shifts_nothing(tmp_path: Path) -> None:
    texts = lines("a stray one", "another stray one")
    failed = check(texts, run(faulty(tmp_path), [texts]))
    assert len(failed) <= 2
    assert {each.reason for each in failed} <= {"out of step"}


def test_a_stray_line_at_the_end_of_a_call_does_not_reach_the_next(tmp_path: Path) -> None:
    calls = [lines(count=20), ["a stray one"], lines(count=20)]
    failed = check([*itertools.chain(*calls)], run(faulty(tmp_path), calls))
    assert len(failed) <= 1


def test_a_line_that_is_skipped_shifts_nothing(tmp_path: Path) -> None:
    texts = lines("a silent one")
    failed = check(texts, run(faulty(tmp_path), [texts]))
    assert failed == [Failed("timeout", "no answer within 1.5 s")]


def test_a_skipped_and_a_stray_line_do_not_make_up_for_each_other(tmp_path: Path) -> None:
    texts = [*lines(count=10), "a stray one", *lines(count=20), "a silent one", *lines(count=20)]
    failed = check(texts, run(faulty(tmp_path), [texts]))
    assert 1 <= len(failed) <= 2


@pytest.mark.parametrize(
    "special", [("a stray one", "a silent one"), ("a silent one", "a stray one")]
)
@pytest.mark.parametrize("between", [0, 1, 5])
def test_not_even_among_the_lines_that_are_sent_together(
    special: tuple[str, str], between: int, tmp_path: Path
) -> None:
    texts = ["the first", special[0], *lines(count=between), special[1], *lines(count=4)]
    failed = check(texts, run(faulty(tmp_path), [texts]))
    assert 1 <= len(failed) <= 2


def test_a_command_that_always_writes_too_much_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="wrote more lines than the 3 it was given"):
        run(faulty(tmp_path, "chatty"), [lines()])


def test_a_command_that_greets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="wrote more lines than the 3 it was given"):
        run(faulty(tmp_path, "greets"), [lines()])


def test_a_command_without_fixed_answers_is_refused_unless_it_numbers_them(tmp_path: Path) -> None:
    texts = lines("a silent one", "a stray one")
    with pytest.raises(InputError, match=r"in different ways, .* \(numbered = true\) or run it in"):
        run(faulty(tmp_path, "random"), [texts])
    found = run(faulty(tmp_path, "random"), [texts], numbered=True)
    assert [n for n, answer in enumerate(found) if isinstance(answer, Failed)] == [29]
    for text, answer in zip(texts, found, strict=True):
        assert isinstance(answer, Failed) or answer.startswith(text[::-1] + " 0.")


def test_numbers_need_a_live_command() -> None:
    with pytest.raises(ConfigError, match="numbered is of live commands only"):
        Command(name="tool", source="en", target="xx", command=("cat",), numbered=True)


_WORKER = """
import sys
from paraphrast.corpora.translators.programs.command import Command
live, script = sys.argv[1] == "live", sys.argv[2]
command = Command(name="t", source="a", target="b", command=("sh", "-c", script), live=live)
with command.open() as translate:
    translate(["one"])
"""


@pytest.mark.parametrize("way", ["live", "batch"])
def test_a_busy_command_ends_with_the_process_that_asked_it(way: str, tmp_path: Path) -> None:
    """The command is asleep with its own child when its worker is killed: neither may stay."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ours = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    script = f"exec 3> {pipe}; echo on >&3; sleep 1000 & sleep 1000; wait"
    worker = subprocess.Popen([sys.executable, "-c", _WORKER, way, script])
    try:
        assert select.select([ours], [], [], 60)[0]
        assert os.read(ours, 10) == b"on\n"
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        assert select.select([ours], [], [], 20)[0], "the command still holds the pipe"
        assert os.read(ours, 1) == b""
    finally:
        worker.kill()
        worker.wait()
        os.close(ours)
