"""Small programs that map lines to lines, well and badly."""

from __future__ import annotations

import sys
from pathlib import Path

_LIVE = """
import os, sys
for line in sys.stdin:
    if "poison" in line:
        sys.stderr.write("first complaint\\nit is poison\\n")
        sys.stderr.flush()
        os._exit(3)
    print(line.strip()[::-1], flush=True)
"""
_DEAD = """
import sys
sys.exit("no model at all")
"""


def reverser(folder: Path) -> tuple[str, ...]:
    """A command that turns each line round at once, and dies on the word "poison"."""
    return _written(folder / "reverser.py", _LIVE)


def dead(folder: Path) -> tuple[str, ...]:
    """A command that ends at once."""
    return _written(folder / "dead.py", _DEAD)


def shell(script: str) -> tuple[str, ...]:
    """A command of the shell, which starts in no time."""
    return "sh", "-c", script


def _written(path: Path, text: str) -> tuple[str, ...]:
    path.write_text(text, encoding="utf-8")
    return sys.executable, "-S", str(path)
