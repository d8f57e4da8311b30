"""Files that are open already are written to, not replaced."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paraphrast.io.atomic import atomic_writer, is_stream

WRITE = (
    "import sys; from paraphrast.io.atomic import atomic_writer\n"
    "print('before')\n"
    "with atomic_writer(sys.argv[1]) as file: file.write('result\\n')\n"
    "print('after')"
)
pytestmark = pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no /dev/stdout here")


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_by_its_file_name(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITE, name]
    piped = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert piped == "before\nresult\nafter\n"
    path = tmp_path / "out"
    with path.open("w") as file:
        subprocess.run(command, stdout=file, check=True)
    with path.open("a") as file:
        subprocess.run(command, stdout=file, check=True)
    assert path.read_text() == piped * 2


def test_a_pipe_of_the_shell() -> None:
    script = f'{sys.executable} -c "{WRITE}" >(tr a-z A-Z >&2) > /dev/null; sleep 0.2'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "RESULT\n"


def test_a_named_pipe_is_a_stream_and_a_new_file_is_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert is_stream(tmp_path / "pipe")
    assert not is_stream(tmp_path / "new")
    assert not is_stream(tmp_path)
    with atomic_writer(tmp_path / "new") as file:
        file.write("x")
    assert not is_stream(tmp_path / "new")
