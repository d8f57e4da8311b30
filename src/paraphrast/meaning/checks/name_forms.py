"""Whether a name may stand for another: accents, initials, parts of a name, peoples of places."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

import regex
from rapidfuzz.distance import Levenshtein

from paraphrast.text.lexicon import lexicon

_WORD = regex.compile(r"[^\W\d_](?:[\w&]|['’.](?=[^\W_]))*")
_POSSESSIVE = regex.compile(r"['’]s?$")
_SPELLED, _ALIKE = 6, 0.8  # letters, and how alike long names must be to be spellings of one
_SHORTEST = 3  # letters of a part of a name, or of the beginning that a place and its people share


def name_words(text: str) -> list[str]:
    """Split a text into words as names compare them: no accents, case, points or possessives."""
    return [_plain(match[0]) for match in _WORD.finditer(text)]


@lru_cache(maxsize=4096)
def _plain(word: str) -> str:
    bare = _POSSESSIVE.sub("", word).replace(".", "")
    letters = unicodedata.normalize("NFKD", bare.casefold())
    return "".join(char for char in letters if not unicodedata.combining(char))


def initials(words: Sequence[str]) -> set[str]:
    """Return the initials of runs of words, with and without "of", "the" and the like."""
    content = [word for word in words if word not in lexicon().function_words]
    found: set[str] = set()
    for sequence in (words, content):
        letters = "".join(word[:1] for word in sequence)
        found.update(
            letters[start:end]
            for start in range(len(letters))
            for end in range(start + 2, min(start + 7, len(letters) + 1))
        )
    return found


def is_form(word: str, others: Iterable[str]) -> bool:
    """Tell whether a word of a name may be a form of any of some words."""
    return any(_may_be(word, other) for other in others)


def _may_be(word: str, other: str) -> bool:
    if word == other:
        return True
    short, long = sorted((word, other), key=len)
    if len(short) >= _SHORTEST and short in long:
        return True
    spelled = len(short) >= _SPELLED and Levenshtein.normalized_similarity(short, long) >= _ALIKE
    return spelled or _is_abbreviation(short, long) or _is_of_one_stem(word, other)


def _is_abbreviation(short: str, long: str) -> bool:
    """Tell whether the letters of "st" or "dr" are those of "saint", "doctor", first and last."""
    return 2 <= len(short) <= _SHORTEST < len(long) and (short[0], short[-1]) == (long[0], long[-1])


def _is_of_one_stem(word: str, other: str) -> bool:
    """Tell whether only the endings of names of places and peoples differ: Poland, Polish."""
    shared = 0
    while shared < min(len(word), len(other)) and word[shared] == other[shared]:
        shared += 1
    endings = lexicon().name_endings
    return any(
        all(not rest or rest in endings for rest in (word[stem:], other[stem:]))
        for stem in range(_SHORTEST, shared + 1)
    )
