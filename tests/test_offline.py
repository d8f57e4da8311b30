"""No verb opens a connection or writes outside the folders it was given.

Each verb runs in a process with an empty home. Where strace is there it sees every system call, of
native libraries too; an audit hook of Python's sees the rest everywhere.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

_HOOK = """
import os, sys

def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        with open(os.environ["WATCHED"], "a") as file:
            file.write(f"{event} {arguments[-1]}\\n")

sys.addaudithook(watch)
"""
_VERBS = {
    "score": "score -c a.txt -r b.txt -m bleu -m parableu -m bertscore -m perplexity".split(),
    "jobs": "score -c a.txt -r b.txt -m chrf -m meteor -j 2".split(),
    "tag": "tag pairs.tsv -f jsonl".split(),
    "generate": "generate a.txt -n 1 --method greedy".split(),
    "explain": ["explain", "The cat sat on the mat.", "A cat was sitting on the mat."],
    "mine": "mine a.txt -o mined.jsonl".split(),
}
_NEEDED = {"score", "tag", "generate", "explain", "mine"}
_INTERNET = re.compile(r"(?:connect|sendto|sendmsg|bind)\(.*AF_INET6?\b")
_OPENED = re.compile(r'(?:open|openat|creat)\((?:[^",]*, )?"([^"]+)", [^)]*O_(?:WRONLY|RDWR|CREAT)')
_MADE = re.compile(r'(?:mkdir|mkdirat)\((?:[^",]*, )?"([^"]+)".* = 0$')


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A folder with two texts, a home and the hook."""
    (tmp_path / "a.txt").write_text("The cat sat on the mat.\nIt rained all day in Paris.\n")
    (tmp_path / "b.txt").write_text("A cat was on the mat.\nIn Paris it rained the whole day.\n")
    (tmp_path / "pairs.tsv").write_text("text1\ttext2\nThe cat sat.\tA cat sat down.\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(_HOOK)
    return tmp_path


def _run(room: Path, arguments: list[str], *, traced: bool) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("XDG_", "HF_", "ORT_", "PARAPHRAST_"))
    }
    environment |= {
        "HOME": str(room / "home"),
        "TMPDIR": str(room),
        "WATCHED": str(room / "watched"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(room / "hook"), str(ROOT / "src")]),
    }
    trace = ["strace", "-f", "-qq", "-e", "trace=network,open,openat,creat,mkdir,mkdirat"]
    return subprocess.run(
        [
            *([*trace, "-o", str(room / "trace")] if traced else []),
            *[sys.executable, "-m", "paraphrast", *arguments],
        ],
        cwd=room,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("verb", _VERBS)
def test_no_verb_phones_home(room: Path, verb: str) -> None:
    if verb in _NEEDED:
        pytest.importorskip("onnxruntime", reason="the extra `encoder` is not installed")
    traced = shutil.which("strace") is not None
    done = _run(room, _VERBS[verb], traced=traced)
    if done.returncode and "pip install" in done.stderr:
        pytest.skip(done.stderr.strip())
    if traced and "ptrace" in done.stderr:  # a container may forbid it
        traced = False
        done = _run(room, _VERBS[verb], traced=False)
    assert done.returncode == 0, done.stderr
    assert not (room / "watched").exists(), (room / "watched").read_text()
    ours = room / "home" / ".cache" / "paraphrast"  # METEOR keeps its tables there
    strange = [path for path in (room / "home").rglob("*") if not path.is_relative_to(ours)]
    assert {*strange} <= {*ours.parents}
    if traced:
        calls = (room / "trace").read_text(errors="replace").splitlines()
        assert [line for line in calls if _INTERNET.search(line)] == []
        assert {path for path in _written(calls) if _is_outside(path, room)} == set()


def _written(calls: list[str]) -> list[str]:
    """Name what was opened for writing, or made, with success."""
    opened = [found[1] for line in calls if "= -1" not in line and (found := _OPENED.search(line))]
    return opened + [found[1] for line in calls if (found := _MADE.search(line))]


def _is_outside(path: str, room: Path) -> bool:
    if path.startswith(("/dev/", "/proc/")):  # devices, shared memory, the process itself
        return False
    return not (room / path).resolve().is_relative_to(room.resolve())


def test_every_process_that_imports_us_has_the_opt_out() -> None:
    environment = {name: value for name, value in os.environ.items() if name[:4] != "ORT_"}
    script = (
        "import json, os, paraphrast; print(json.dumps(os.environ.get('ORT_DISABLE_TELEMETRY')))"
    )
    for value in (None, "0"):  # a user's own choice stays
        chosen = environment | ({} if value is None else {"ORT_DISABLE_TELEMETRY": value})
        done = subprocess.run([sys.executable, "-c", script], env=chosen, capture_output=True)
        assert json.loads(done.stdout) == (value or "1")
