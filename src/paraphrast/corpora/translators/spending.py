"""A log of what was asked of systems: workers append to it, however many there are."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

from paraphrast.corpora.translators.translator import Usage
from paraphrast.errors import InputError


def log_usage(path: Path, system: str, usage: Usage) -> None:
    """Append one line in one piece, and begin to count anew.

    A job that is killed has logged all but its last call, and a rerun adds what it asks again.
    """
    line = json.dumps({"system": system, **usage.drain().to_dict()}, ensure_ascii=False) + "\n"
    try:
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(number, line.encode())
        finally:
            os.close(number)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def read_usage(path: Path) -> dict[str, Usage]:
    """Return what each system has used by a log, nothing if there is none.

    A line that was cut off is skipped.
    """
    found: dict[str, Usage] = {}
    if not path.exists():
        return found
    names = [each.name for each in fields(Usage)]
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        row = _parsed(line)
        if row:
            used = Usage(**{name: row[name] for name in names if name in row})
            found.setdefault(str(row.get("system")), Usage()).add(used)
    return found


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
