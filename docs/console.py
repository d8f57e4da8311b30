"""Run the commands that the pages show, and write what they print into the pages.

Every ```console block holds commands after "$ " and their output. `python docs/console.py` runs
each block in a copy of `examples/guide` and brings the output up to date; a test demands that it
is. Commands that cannot be run here (installing, other tools) stand in ```sh blocks.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from paraphrast.cli.main import run

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n", re.MULTILINE)
_SHELL = re.compile(r"[|<>;&$]")
# "make" runs in the project itself and installs nothing.
_MAKE = 'make() { command make --no-print-directory -C "$ROOT" -o setup BIN="$BIN" "$@"; }\n'


def commands(block: str) -> list[str]:
    """Return the commands of a block, line continuations included."""
    return _COMMAND.findall(block)


def refreshed(page: str) -> str:
    """Return the page with the output that its commands print now."""
    return BLOCK.sub(lambda block: f"```console\n{_run(block[1])}```", page)


def _run(block: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples" / "guide", folder, dirs_exist_ok=True)
        shutil.copytree(ROOT / "examples", Path(folder, "examples"))
        with chdir(folder):
            return "".join(_shown(commands(block)))


def _shown(known: list[str]) -> list[str]:
    shown, code = [], 0
    for command in known:
        if command == "echo $?":
            output = f"{code}\n"
        elif command.startswith("paraphrast ") and not _SHELL.search(command):
            code, output = _here(shlex.split(command)[1:])
        else:
            code, output = _shell(command)
        shown.append(f"$ {command}\n{output}")
    return shown


def _here(arguments: list[str]) -> tuple[int, str]:
    """Run paraphrast in this process: starting one for each command would take most of the time."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(stream), redirect_stderr(stream):
        code = run(arguments)
    buffer = stream.detach()
    buffer.seek(0)
    return code, buffer.read().decode()


def _shell(command: str) -> tuple[int, str]:
    binaries = str(Path(sys.executable).parent)
    env = os.environ | {"ROOT": str(ROOT), "BIN": binaries}
    env["PATH"] = f"{binaries}{os.pathsep}{env['PATH']}"
    done = subprocess.run(
        ["bash", "-c", _MAKE + command],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.returncode, done.stdout.decode().replace(binaries, ".venv/bin")


def main() -> None:
    """Bring every page up to date and name those that changed."""
    for path in sorted((ROOT / "docs").glob("*.md")):
        old = path.read_text(encoding="utf-8")
        new = refreshed(old)
        if new != old:
            path.write_text(new, encoding="utf-8")
            print(path.name)


if __name__ == "__main__":
    main()
