"""What kind of word stands at a place of a text: a number, a name, a negation."""

from __future__ import annotations

from collections.abc import Sequence

from paraphrast.text.lexicon import lexicon

_OFTEN_NO_NUMBER = frozenset(("one", "second", "k", "m", "b"))


def is_number(words: Sequence[str], place: int) -> bool:
    """Tell whether a word counts: it has a digit, or is a number in words."""
    word = words[place].casefold()
    if any(char.isdigit() for char in word):
        return True
    known = lexicon()
    tables = (known.numbers, known.multipliers, known.ordinals)
    return word not in _OFTEN_NO_NUMBER and any(word in table for table in tables)


def is_name(words: Sequence[str], place: int) -> bool:
    """Tell whether a word is a name: it has a capital, and not because a sentence begins there."""
    word = words[place]
    if not word[:1].isupper() or word in ("I", "I'm", "I'll", "I've", "I'd"):
        return False
    begins = place == 0 or words[place - 1] in (".", "!", "?", ":", '"', "“")
    return not begins or word.casefold() not in lexicon().function_words


def is_negation(words: Sequence[str], place: int) -> bool:
    """Tell whether a word denies."""
    word = words[place].casefold().replace("’", "'")
    return word in lexicon().negations or word.endswith("n't")
