"""What the package knows of English words: one file, lexicon.toml, read once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Sets of words in lower case, and numbers by their words; the file explains each."""

    function_words: frozenset[str]
    negations: frozenset[str]
    implied_negations: frozenset[str]
    modal_words: frozenset[str]
    titles: frozenset[str]
    name_endings: frozenset[str]
    numbers: Mapping[str, int]
    multipliers: Mapping[str, int]
    ordinals: Mapping[str, int]
    parts: Mapping[str, int]
    amounts: Mapping[str, int]
    months: Mapping[str, int]
    units: Mapping[str, Mapping[str, Fraction]]  # a word → what it may measure → how much
    rough: frozenset[str]


@cache
def lexicon() -> Lexicon:
    """Return the lexicon of English."""
    table = tomllib.loads(files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8"))

    def words(name: str) -> frozenset[str]:
        return frozenset(table[name].split())

    return Lexicon(
        function_words=words("function_words"),
        negations=words("negations"),
        implied_negations=words("implied_negations"),
        modal_words=words("modal_words"),
        titles=words("titles"),
        name_endings=words("name_endings"),
        rough=words("rough"),
        numbers=table["numbers"],
        multipliers=table["multipliers"],
        ordinals=table["ordinals"],
        parts=table["parts"],
        amounts=table["amounts"],
        months=table["months"],
        units=_units(table["units"]),
    )


def _units(table: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, Fraction]]:
    """Turn units by what they measure into what each word may measure."""
    found: dict[str, dict[str, Fraction]] = {}
    for dimension, words in table.items():
        for word, size in words.items():
            found.setdefault(word, {})[dimension] = Fraction(size)
    return found
