"""Texts that must stay out of training: those of test sets, and those set aside for validation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from paraphrast.errors import ConfigError
from paraphrast.train.data.examples import Example
from paraphrast.train.data.readers import rows

LEAST = 10  # characters: shorter texts ("Thank you.") are nobody's own
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def key(text: str) -> str:
    """Reduce a text to what tokenisation, case and punctuation leave alone; "" if it is short."""
    found = "".join(char for char in text.lower() if char.isalnum())
    return found if len(found) >= LEAST else ""


def texts_of(patterns: Iterable[str], root: Path) -> frozenset[str]:
    """Return the keys of every text, and of every sentence of it, in the JSONL files named.

    A name may hold `*`, and `**` for any folder under the root; one that begins with ./ is a file
    under this folder.
    """
    found: set[str] = set()
    for pattern in patterns:
        folder = Path() if pattern.startswith("./") else root
        paths = sorted(folder.glob(pattern.removeprefix("./")))
        if not paths:
            raise ConfigError(f"without: no file in {folder} is called {pattern!r}")
        for path in paths:
            for row in rows(path):
                found.update(map(key, _texts(row)))
    return frozenset(found - {""})


def keys_of(examples: Iterable[Example]) -> frozenset[str]:
    """Return the keys of both texts of every example."""
    return frozenset(key(side.text) for row in examples for side in (row.a, row.b)) - {""}


def without_texts(examples: Iterable[Example], kept_out: frozenset[str]) -> list[Example]:
    """Return the examples neither of whose texts is kept out."""
    return [row for row in examples if not {key(row.a.text), key(row.b.text)} & kept_out]


def _texts(value: Any) -> Iterator[str]:
    """Walk a row: strings, their sentences, and lists of strings, which may be words, joined."""
    if isinstance(value, str):
        yield value
        sentences = _SENTENCE.split(value)
        if len(sentences) > 1:
            yield from sentences
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        if value and all(isinstance(inner, str) for inner in value):
            yield " ".join(value)
        for inner in value:
            yield from _texts(inner)
