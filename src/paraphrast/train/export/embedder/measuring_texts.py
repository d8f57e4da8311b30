"""The texts that an export of an embedder measures itself on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field, Rows

DEFAULT = Path("text") / "en_ud_ewt.jsonl.gz"  # in the folder of the data; English
LEAST = 100


@dataclass(frozen=True)
class Texts:
    """Distinct texts in an order drawn at random, and the file that they are from."""

    name: str
    sha256: str
    texts: list[str]


def default_texts(root: Path, languages: Iterable[str]) -> Path | None:
    """Return the texts of the data folder if they are there and in a language asked for."""
    found = root / DEFAULT
    return found if "en" in languages and found.is_file() else None


def read_texts(given: str, *, name: str | None = None, seed: int) -> Texts:
    """Read a text per line, or the column "text" of a table (FILE:COLUMN names another)."""
    field = Field.parse(given, role="text")
    path = Path(field.path)
    if not path.is_file():
        raise InputError(f"there is no file {path} to read texts from")
    found: dict[str, None] = {}
    for (value,) in Rows([field]):
        parts = [value] if isinstance(value, str) else value or []
        found.update((text.strip(), None) for text in parts)
    found.pop("", None)
    if len(found) < LEAST:
        raise InputError(
            f"{path} holds {len(found)} different texts; at least {LEAST} are needed to compare "
            "and to calibrate with"
        )
    ordered = list(found)
    order = np.random.default_rng(seed).permutation(len(ordered))
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Texts(name or path.name, digest, [ordered[place] for place in order])


def check_pairs(pairs: int, texts: int) -> None:
    """Refuse a number of pairs that the texts cannot give."""
    most = texts * (texts - 1) // 2
    if not 1 <= pairs <= most:
        raise ConfigError(f"pairs is {pairs:,}; {texts:,} texts make 1 to {most:,} pairs")
