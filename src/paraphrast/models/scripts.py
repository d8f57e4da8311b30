"""Which letters the weights know: no language is detected, only scripts are counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import regex

from paraphrast.models.weights_card import WeightsCard

FOREIGN = 0.5  # share of letters above which a warning is due
_LATIN = "cs da de en es et fi fr ga gl hr hu is it la lt lv nl no pl pt ro sk sl sq sv sw tr vi"
_SCRIPTS = {
    **dict.fromkeys(_LATIN.split(), ("Latin",)),
    **dict.fromkeys("be bg mk ru uk".split(), ("Cyrillic",)),
    **dict.fromkeys("ar fa ur".split(), ("Arabic",)),
    "el": ("Greek",),
    "he": ("Hebrew",),
    "hi": ("Devanagari",),
    "ja": ("Han", "Hiragana", "Katakana"),
    "ko": ("Hangul", "Han"),
    "th": ("Thai",),
    "zh": ("Han",),
}
_LETTER = regex.compile(r"\p{L}")


def letters(text: str, languages: Sequence[str]) -> tuple[int, int]:
    """Count the letters, and those of scripts that none of the languages is written in.

    A language whose scripts are not listed here is taken to use any.
    """
    known = _known(tuple(languages))
    if text.isascii() and (known is None or known.search("a")):
        return sum(map(str.isalpha, text)), 0
    total = len(_LETTER.findall(text))
    return total, total - len(known.findall(text)) if known else 0


@lru_cache(maxsize=8)
def _known(languages: tuple[str, ...]) -> regex.Pattern[str] | None:
    if not all(language in _SCRIPTS for language in languages):
        return None
    scripts = dict.fromkeys(script for language in languages for script in _SCRIPTS[language])
    listed = "".join(rf"\p{{{script}}}" for script in scripts)
    return regex.compile(rf"[\p{{L}}&&[{listed}]]", regex.V1)


def language_note(total: int, foreign: int, card: WeightsCard) -> str | None:
    """Return a warning when most letters are of scripts the weights were not trained on."""
    if foreign <= FOREIGN * total:
        return None
    return (
        f"{foreign / total:.0%} of the letters are of scripts that the weights of {card.model!r} "
        f"were not trained on (languages: {', '.join(card.languages)}); the values may mean little"
    )


def script_warning(texts: Iterable[str], card: WeightsCard) -> str | None:
    """Return the warning for these texts, or None."""
    counts = [letters(text, card.languages) for text in texts]
    return language_note(sum(t for t, _ in counts), sum(f for _, f in counts), card)
