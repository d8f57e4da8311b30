"""What kind of text a corpus holds: its scripts, and whether it looks tokenised."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import cache
from importlib import import_module
from itertools import chain
from typing import Any

_ASCII = bytes(range(128))
_NOT_ASCII_LETTERS = bytes(byte for byte in range(256) if not chr(byte).isalpha() or byte > 127)
SPACELESS = (  # scripts that are written without spaces between words
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
    r"\p{Balinese}\p{Javanese}"
)
_DETACHED_STOP = " ."  # how a tokenised sentence ends


@dataclass(frozen=True, slots=True)
class TextTraits:
    """Counts over texts; those of two parts of a corpus may be added.

    `letters` are those of candidates and references, of which `latin` are Latin and `spaceless` of
    a script without spaces. Of the `candidates`, `detached` end in a full stop after a space.
    """

    letters: int = 0
    latin: int = 0
    spaceless: int = 0
    candidates: int = 0
    detached: int = 0

    def __add__(self, other: TextTraits) -> TextTraits:
        return TextTraits(*map(sum, zip(astuple(self), astuple(other), strict=True)))


def text_traits(candidates: list[str], references: Iterable[str]) -> TextTraits:
    """Count the letters of texts by script, and the candidates that look tokenised."""
    detached = sum(text.endswith(_DETACHED_STOP) for text in candidates)
    raw = "".join(chain(candidates, references)).encode("utf-8", "surrogatepass")
    ascii_letters = len(raw.translate(None, _NOT_ASCII_LETTERS))
    beyond = raw.translate(None, _ASCII).decode("utf-8", "surrogatepass")
    letters, latin, spaceless = map(_count, _patterns(), [beyond] * 3) if beyond else (0, 0, 0)
    return TextTraits(
        letters=ascii_letters + letters,
        latin=ascii_letters + latin,
        spaceless=spaceless,
        candidates=len(candidates),
        detached=detached,
    )


def _count(pattern: Any, text: str) -> int:
    return sum(map(len, pattern.findall(text)))


@cache
def _patterns() -> tuple[Any, Any, Any]:
    """Return what matches runs of letters: any, Latin ones, those of scripts without spaces."""
    regex = import_module("regex")
    return (
        regex.compile(r"\p{L}+"),
        regex.compile(r"[\p{L}&&\p{Latin}]+", regex.V1),
        regex.compile(rf"[\p{{L}}&&[{SPACELESS}]]+", regex.V1),
    )
