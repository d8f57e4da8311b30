"""Lines in and out of a translator, and translations that are none."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from paraphrast.corpora.text_store import normal_form
from paraphrast.errors import InputError

WORDS = 4  # of letters, from which on a text has no business to be its own translation
ENOUGH, BROKEN = 20, 0.5

_CONTROL = regex.compile(r"[\p{Cc}\p{Noncharacter_Code_Point}]+")
_PLAIN = regex.compile(r"[^\p{L}\p{N}]*\p{L}[\p{L}\p{M}'’\-‐]*[^\p{L}\p{N}]*")
_SPACELESS = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]{2}"
)


def one_line(text: str) -> str | None:
    """Return the text with every run of white space and control characters as one space.

    What Unicode calls noncharacters goes too: U+FFFF is the end of a file to some programs. None
    for half a surrogate pair, which no program can be given.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return None
    return " ".join(_CONTROL.sub(" ", text).split())


def words_of_letters(text: str) -> int:
    """Count what a translation should change: no numbers, no addresses, no lone signs.

    Two characters of a script without spaces count as a word.
    """
    return sum(
        len(_SPACELESS.findall(token)) or bool(_PLAIN.fullmatch(token)) for token in text.split()
    )


def echoes(text: str, translation: str) -> bool:
    """Tell whether a text came back as it was but for case, punctuation and white space.

    Names, numbers and addresses may be their own translations: a text of fewer than four words
    never echoes.
    """
    if words_of_letters(text) < WORDS:
        return False
    return normal_form(text) == normal_form(translation)


def check_echoes(name: str, texts: Sequence[str], told: Sequence[bool]) -> None:
    """Raise InputError if more than half of at least 20 texts that could echo did."""
    could = [
        same for text, same in zip(texts, told, strict=True) if words_of_letters(text) >= WORDS
    ]
    if len(could) >= ENOUGH and sum(could) > BROKEN * len(could):
        example = texts[told.index(True)][:80]
        raise InputError(
            f"{name} does not translate: {sum(could)} of {len(could)} texts came back as they "
            f"were, such as {example!r}; check its languages and modes"
        )
