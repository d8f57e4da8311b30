"""Run the examples that the pages show, and write what they print into the pages.

The pages are those of `docs/` and the README. A ```console block holds commands after "$ " and
their output; it runs in a copy of `examples/`.
The ```python blocks of a page run in order as one module; a ```text block right after one holds
what it prints. `python docs/examples.py` brings all outputs up to date; a test demands that they
are. What cannot be run here (installing, other tools) stands in ```sh blocks.
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
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from paraphrast.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(
    r"^```console\n(?P<console>.*?)^```$"
    r"|^```python\n(?P<python>.*?)^```$(?P<text>\n\n```text\n.*?^```$)?",
    re.DOTALL | re.MULTILINE,
)
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n", re.MULTILINE)
_LONG = re.compile(r"\d+\.\d{12,}")
_SHELL = re.compile(r"[|<>;&$]")
# "make" runs in the project itself and installs nothing.
_MAKE = 'make() { command make --no-print-directory -C "$ROOT" -o setup BIN="$BIN" "$@"; }\n'


def commands(page: str) -> list[str]:
    """Return all commands of a page's console blocks, with continued lines joined."""
    blocks = (block["console"] or "" for block in _BLOCK.finditer(page))
    return [_joined(command) for block in blocks for command in _COMMAND.findall(block)]


def outputs(page: str) -> list[tuple[str, str]]:
    """Return each command of a page's console blocks with the output that the page shows."""
    blocks = (block["console"] or "" for block in _BLOCK.finditer(page))
    pieces = [_COMMAND.split(block)[1:] for block in blocks]
    return [pair for found in pieces for pair in zip(found[::2], found[1::2], strict=True)]


def programs(page: str) -> list[tuple[str, str]]:
    """Return each Python block of a page with the output that the page shows, if it shows one."""
    blocks = [block for block in _BLOCK.finditer(page) if block["python"] is not None]
    shown = ((block["text"] or "").removeprefix("\n\n```text\n") for block in blocks)
    return [
        (block["python"], text.removesuffix("```"))
        for block, text in zip(blocks, shown, strict=True)
    ]


def refreshed(page: str) -> str:
    """Return the page with the output that its examples give now."""
    module = ModuleType("example")
    sys.modules[module.__name__] = module  # dataclasses look their module up
    try:
        return _BLOCK.sub(lambda block: _fresh(block, module), page)
    finally:
        del sys.modules[module.__name__]


def same(one: str, other: str) -> bool:
    """Tell whether pages agree but for the last digits, which processors round in their own way."""
    rounded = (_LONG.sub(lambda found: f"{float(found[0]):.12g}", page) for page in (one, other))
    return next(rounded) == next(rounded)


def _fresh(block: re.Match[str], module: ModuleType) -> str:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples" / "guide", folder, dirs_exist_ok=True)
        shutil.copytree(ROOT / "examples", Path(folder, "examples"))
        with chdir(folder):
            if block["python"] is None:
                return "```console\n" + "".join(_shown(_COMMAND.findall(block["console"]))) + "```"
            with _captured() as printed:
                code = compile(block["python"], "example", "exec", dont_inherit=True)
                exec(code, module.__dict__)  # noqa: S102 - our own pages
    shown = f"```python\n{block['python']}```"
    return f"{shown}\n\n```text\n{printed[0]}```" if block["text"] else shown


def _shown(known: list[str]) -> list[str]:
    shown, code = [], 0
    for command in known:
        if command == "echo $?":
            output = f"{code}\n"
        elif command.startswith("paraphrast ") and not _SHELL.search(command):
            with _captured() as printed:
                code = run(shlex.split(_joined(command))[1:])
            output = printed[0]
        else:
            code, output = _in_shell(command)
        shown.append(f"$ {command}\n{output}")
    return shown


def _joined(command: str) -> str:
    return command.replace("\\\n", "")


@contextmanager
def _captured() -> Iterator[list[str]]:
    """Collect what this process prints; a process for each example would take most of the time."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    printed: list[str] = []
    with redirect_stdout(stream), redirect_stderr(stream):
        yield printed
    buffer = stream.detach()
    buffer.seek(0)
    printed.append(buffer.read().decode())


def _in_shell(command: str) -> tuple[int, str]:
    binaries = str(Path(sys.executable).parent)
    env = os.environ | {"ROOT": str(ROOT), "BIN": binaries}
    env["PATH"] = f"{binaries}{os.pathsep}{env['PATH']}"
    done = subprocess.run(  # noqa: S603 - our own pages
        ["bash", "-c", _MAKE + command],  # noqa: S607
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.returncode, done.stdout.decode().replace(binaries, ".venv/bin")


def main() -> None:
    """Bring every page up to date and name those that changed."""
    for path in PAGES:
        old = path.read_text(encoding="utf-8")
        new = refreshed(old)
        if not same(new, old):
            path.write_text(new, encoding="utf-8")
            print(path.name)


if __name__ == "__main__":
    main()
