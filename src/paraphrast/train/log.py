"""The log of a run: one JSON object per line, readable while the run goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from paraphrast.errors import InputError
from paraphrast.io import atomic_writer
from paraphrast.io.atomic import flush_file, flush_folder

NAME = "log.jsonl"
EVERY = 10  # steps to a line


def append(run: Path, entry: dict[str, Any]) -> None:
    """Add a line."""
    try:
        with (run / NAME).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    except OSError as error:
        raise InputError(f"cannot write {run / NAME}: {error.strerror or error}") from error


def text(run: Path) -> str:
    """Bring the log to the disk and return it, "" before there is one.

    A checkpoint that a power cut leaves never knows of lines that the log has lost.
    """
    path = run / NAME
    if not path.exists():
        return ""
    try:
        flush_file(path)
        flush_folder(run)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    return path.read_text(encoding="utf-8")


def entries(run: Path) -> list[dict[str, Any]]:
    """Return the log; a last line cut off by a kill is left out."""
    path = run / NAME
    if not path.exists():
        raise InputError(f"{run} holds no {NAME}: it is not a training run")
    found = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error}") from None
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            if number < len(lines):
                raise InputError(f"{path}, line {number}: not JSON") from None
            break
        if not isinstance(entry, dict):
            raise InputError(f"{path}, line {number}: not a JSON object")
        for key, value in entry.items():
            if key != "kind" and (isinstance(value, bool) or not isinstance(value, int | float)):
                raise InputError(f"{path}, line {number}: {key!r} is not a number: {value!r:.40}")
        found.append(entry)
    return found


def rewind(run: Path, step: int) -> None:
    """Forget what was logged after `step`: a resumed run goes through it again."""
    if (run / NAME).exists():
        kept = [entry for entry in entries(run) if entry.get("step", 0) <= step]
        replace(run, "".join(json.dumps(entry) + "\n" for entry in kept))


def replace(run: Path, content: str) -> None:
    """Put another log in the place of the one there is."""
    with atomic_writer(run / NAME) as file:
        file.write(content)
