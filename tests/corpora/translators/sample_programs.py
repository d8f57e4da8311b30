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
_FAULTY = """
import itertools, os, random, sys, time
faults = {faults!r}
for number, line in enumerate(sys.stdin):
    text = line.strip()
    if "greets" in faults and number == 0:
        print("ready", flush=True)
    if "silent" in text:
        continue
    shown, tab, rest = text.rpartition("\\t")
    dice = f" {{random.random()}}" if "random" in faults else ""
    print(shown + tab + rest[::-1] + dice, flush=True)
    if "stray" in text or "chatty" in faults:
        time.sleep(0.02)
        print("that was a long one", flush=True)
    if "crash" in text:
        os._exit(1)
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


def faulty(folder: Path, *faults: str) -> tuple[str, ...]:
    """A command that turns lines round, says nothing to "silent" and too much to "stray".

    `faults`: "greets" writes a line before all others, "chatty" one after each, "random" answers
    the same line in different ways.
    """
    return _written(folder / "faulty.py", _FAULTY.format(faults=faults))


def _written(path: Path, text: str) -> tuple[str, ...]:
    path.write_text(text, encoding="utf-8")
    return sys.executable, "-S", str(path)
