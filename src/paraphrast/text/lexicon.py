"""What the package knows of English words: one file, lexicon.toml, read once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Sets of words in lower case, and numbers by their words; the file explains each."""

    function_words: frozenset[str]
    negations: frozenset[str]
    numbers: Mapping[str, int]
    multipliers: Mapping[str, int]
    ordinals: Mapping[str, int]


@cache
def lexicon() -> Lexicon:
    """Return the lexicon of English."""
    table = tomllib.loads(files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8"))
    return Lexicon(
        frozenset(table["function_words"].split()),
        frozenset(table["negations"].split()),
        table["numbers"],
        table["multipliers"],
        table["ordinals"],
    )
