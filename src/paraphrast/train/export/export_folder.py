"""What all exports share: the card of a folder, and files put into place."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paraphrast.errors import InputError
from paraphrast.models.weights_card import CARD


def check_writable(out: Path) -> None:
    """Refuse a folder that cannot be written, before any work."""
    nearest = next(one for one in (out.absolute(), *out.absolute().parents) if one.exists())
    if not nearest.is_dir():
        raise InputError(f"cannot write {out}: {nearest} is a file")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"cannot write {out}: {nearest} is write-protected")


def write_card(folder: Path, entries: dict[str, Any], files: Sequence[str]) -> None:
    """Write the card of a folder: its entries, and the sha256 of each of its files."""
    card = {**entries, "files": {file: sha256(folder / file) for file in files}}
    text = json.dumps(card, indent=1, ensure_ascii=False)
    (folder / CARD).write_text(text + "\n", encoding="utf-8")


def sha256(path: Path) -> str:
    """Return the hash of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def install(folder: Path, out: Path, files: Sequence[str]) -> int:
    """Move files into place, the card last: it holds the hashes of the others. Return their size.

    The folder is on the disk of `out`, so that a file is there as a whole or not at all.
    """
    out.mkdir(exist_ok=True)
    names = [*files, CARD]
    size = sum((folder / name).stat().st_size for name in names)
    for name in names:
        (folder / name).replace(out / name)
    return size
