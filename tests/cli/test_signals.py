"""A command that is told to end leaves nothing behind, and says how to go on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from paraphrast.cli.main import run

SIGNALS = [signal.SIGTERM, signal.SIGINT]
AGAIN = "error: interrupted; run the same command again to go on\n"
SLOW = (
    "import sys, time\nfor line in sys.stdin:\n    time.sleep(0.2)\n    print(line, flush=True)\n"
)
START = (  # a shell's background jobs ignore an interrupt
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from paraphrast.cli.main import main; main()"
)


def ended(
    number: signal.Signals, begun: Callable[[], bool], folder: Path, *arguments: str
) -> tuple[int, str]:
    """Send a signal to a command when it has begun its work; return exit code and messages."""
    process = subprocess.Popen(
        [sys.executable, "-c", START, *arguments], cwd=folder, stderr=subprocess.PIPE, text=True
    )
    try:
        ends = time.monotonic() + 60
        while not begun():
            assert process.poll() is None
            assert time.monotonic() < ends
            threading.Event().wait(0.02)
        process.send_signal(number)
        _, messages = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    return process.returncode, messages


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("number", SIGNALS)
def test_mine_removes_its_temporary_folder(tmp_path: Path, number: signal.Signals) -> None:
    pytest.importorskip("onnxruntime", reason="the extra `encoder` is not installed")
    texts = tmp_path / "a.txt"
    texts.write_text("".join(f"Sentence {n} says that {n * 7} cats sat.\n" for n in range(20_000)))
    found = ended(
        number,
        lambda: bool(list(tmp_path.glob(".paraphrast-mine-*"))),
        *(tmp_path, "mine", "a.txt", "-o", "pairs.jsonl"),
    )
    assert found == (128 + number, "error: interrupted\n")  # nothing to go on from
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("number", SIGNALS)
def test_build_ends_its_workers_and_says_how_to_go_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "texts.txt").write_text("".join(f"The cat saw {n} dogs.\n" for n in range(100)))
    (tmp_path / "slow.py").write_text(SLOW)
    command = json.dumps([sys.executable, str(tmp_path / "slow.py")])
    (tmp_path / "recipe.toml").write_text(
        'name = "slow"\n[[system]]\nname = "slow"\nbackend = "command"\nsource = "en"\n'
        f'target = "xx"\ncommand = {command}\nback_command = {command}\n'
        '[[step]]\nuse = "source"\nfiles = ["./texts.txt"]\n[[step]]\nuse = "clean"\n'
        'language = "en"\ncheck = "none"\n[[step]]\nuse = "translate"\n'
        '[[step]]\nuse = "pair"\nways = ["source"]\n'
    )
    found = ended(
        number,
        lambda: bool(list(tmp_path.glob("corpus.work/translate*/.paraphrast-*.tmp"))),
        *(tmp_path, "build", "recipe.toml", "-o", "corpus"),
    )
    assert found == (128 + number, AGAIN)
    assert names(tmp_path) == ["corpus.work", "recipe.toml", "slow.py", "texts.txt"]
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["generate", "-i", "a.txt", "-o", "b.jsonl"], AGAIN),
        (["generate", "-i", "a.txt"], "error: interrupted\n"),
        (["generate", "A text."], "error: interrupted\n"),
    ],
)
def test_only_what_was_kept_can_be_gone_on_with(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("paraphrast.cli.generate.generate_files", interrupted)
    assert run(arguments) == 130
    assert capsys.readouterr().err == message


_NATIVE = """
import os, signal, sys
from paraphrast.cli import generate, main
from paraphrast.errors import MissingExtra

signal.signal(signal.SIGINT, signal.default_int_handler)
number, error = int(sys.argv[1]), {"import": ImportError("initialization failed"),
                                   "extra": MissingExtra("encoder", "onnxruntime"),
                                   "nothing": None}[sys.argv[2]]
main._UNWINDING = 0.0

def load(*_arguments, **_options):
    for _ in range(2):
        try:
            os.kill(os.getpid(), number)
        except KeyboardInterrupt:
            if error is not None:
                raise error from None
            if len(main._HEARD) == 2:
                raise
    sys.exit("it went on")

generate.generate_files = load
main.main(["generate", "-i", "a.txt"])
"""


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("error", ["import", "extra", "nothing"])
def test_a_signal_that_native_code_makes_another_error_of_is_still_one(
    number: signal.Signals, error: str
) -> None:
    """Python's imports of native modules do that; some programs then try another module."""
    command = [sys.executable, "-c", _NATIVE, str(int(number)), error]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (128 + number, "error: interrupted\n")
