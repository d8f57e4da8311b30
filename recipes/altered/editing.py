"""Edits of parsed sentences: replace, remove and swap words; spaces and capitals stay right."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Any

from rewriting import lowered, raised

from .grammar import HERE, entries

Doc = Any
Token = Any
Piece = tuple[int, int, str]  # from this token to that one: another text
TABLES: dict[str, Any] = tomllib.loads((HERE / "swaps.toml").read_text(encoding="utf-8"))
QUANTIFIED = set(TABLES["words"]["quantified"].split())


@dataclass(frozen=True)
class Edit:
    """A changed text and the relation of the sentence to it, there and back."""

    text: str
    nli: str | None = None
    back: str | None = None
    reason: str | None = None


def contradicts(text: str, doc: Doc) -> Edit:
    """Return an edit that denies the sentence; where scope is unsure, the relation is left open."""
    return Edit(text, *(["contradiction"] * 2 if plain(doc) else [None, None]))


def plain(doc: Doc) -> bool:
    """Tell whether a statement has no negation, quantifier, condition or question in it."""
    words = {token.lower_ for token in doc}
    return not (words & QUANTIFIED or words & {"not", "n't", "if", "unless", "or", "?", "without"})


def put(doc: Doc, *pieces: Piece) -> str:
    """Return the text with pieces in place of tokens; an empty piece removes them."""
    text: str = doc.text
    for start, stop, new in sorted(pieces, reverse=True):
        at = doc[start].idx if start < len(doc) else len(text)
        end = doc[stop - 1].idx + len(doc[stop - 1]) if stop > start else at
        text = text[:at] + new + (" " if stop == start and new else "") + text[end:]
    return tidied(text)


def tidied(text: str) -> str:
    """Return a text without doubled spaces or commas, with a capital first and right articles."""
    text = re.sub(r"\s+([,.;:?!])", r"\1", " ".join(text.split()))
    text = re.sub(r",([,.;?!])", r"\1", text).lstrip(" ,;")
    return articles(raised(text))


def articles(text: str) -> str:
    """Return a text with "a" and "an" as the next letter asks, where letters and sounds agree."""
    silent = r"(?!hour|honest|heir|honou?r)"
    text = re.sub(
        rf"\b([Aa])n (?=[bcdfgjkmnpqrtvwyz]|[hls][aeiou])({silent})(?=[a-z]{{2}})", r"\1 ", text
    )
    return re.sub(r"\b([Aa]) (?=[aeio])(?!one\b|once\b|eu|ewe)(?=[a-z]{2})", r"\1n ", text)


def phrase(doc: Doc, start: int, stop: int) -> str:
    """Return a span as it stands inside a sentence."""
    text: str = doc[start:stop].text
    return lowered(doc[start:stop]) if start == 0 else text


def swapped(doc: Doc, one: tuple[int, int], two: tuple[int, int]) -> str:
    """Return the text with two spans exchanged."""
    first, second = phrase(doc, *one), phrase(doc, *two)
    return put(doc, (*one, second), (*two, first))


def cased(new: str, old: str) -> str:
    """Return a word with a capital if the old one has it."""
    return raised(new) if old[:1].isupper() else new


def pairs_of(text: str) -> dict[str, list[str]]:
    """Return, for words of a list of pairs, their partners, both ways."""
    found: dict[str, list[str]] = {}
    for entry in entries(text):
        one, two = entry.split()
        found.setdefault(one, []).append(two)
        found.setdefault(two, []).append(one)
    return found
