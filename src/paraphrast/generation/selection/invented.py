"""Names and numbers that a text has and its source has not: what a paraphrase must not add."""

from __future__ import annotations

import re

from paraphrast.text.particulars.protected_strings import protected

_FIGURES = re.compile(r"\d+(?:[.,:/]\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:['’.&][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_STEM = 4  # letters that two forms of a word share: America, Americans


def invented(source: str, text: str) -> list[str]:
    """Return the names and numbers of a text of which its source has a word or figure less.

    A word counts as the source's in whatever case, with or without points (US, U.S.), and in
    another form (Iraq, Iraqi).

    >>> invented("The firm paid $20 in May.", "In May, Mr. Webber of the firm paid $20 to 3 banks.")
    ['Webber', '3']
    """
    figures = set(_FIGURES.findall(source))
    words = {_plain(word) for word in _WORD.findall(source)}
    return [string for string in protected(text) if not _is_known(string, source, figures, words)]


def _is_known(string: str, source: str, figures: set[str], words: set[str]) -> bool:
    own = _FIGURES.findall(string)
    if not own and string == string.lower():  # an address, code
        return string in source.lower()
    if not figures.issuperset(own):
        return False
    named = (_plain(word) for word in _WORD.findall(string) if not word.islower())
    return all(_is_form(word, words) for word in named)


def _is_form(word: str, words: set[str]) -> bool:
    if word in words or len(word) < 2:
        return True
    stem = word[: max(_STEM, len(word) - 3)]
    return len(word) >= _STEM and any(
        other.startswith(stem) or (len(other) >= _STEM and word.startswith(other))
        for other in words
    )


def _plain(word: str) -> str:
    return _POSSESSIVE.sub("", word).replace(".", "").casefold()
