"""Names: one text speaks of Toyota, the other of Honda."""

from __future__ import annotations

from functools import lru_cache

from paraphrast.meaning.checks.alone import Alone
from paraphrast.meaning.checks.check import Check
from paraphrast.meaning.checks.name_forms import initials, is_form, name_words
from paraphrast.meaning.reason import Reason
from paraphrast.text.lexicon import lexicon
from paraphrast.text.particulars.protected_strings import name_spans
from paraphrast.text.words import Span, WordText

_SHORT = 5  # letters of initials at most


class NameCheck(Check):
    """Refuse a pair of which each text has a name that nothing in the other can stand for."""

    name: str = "name"
    languages: tuple[str, ...] = ("en",)
    precision: float = 8 / 9
    recall: float = 8 / 299
    refused: int = 9

    def score(self, a: WordText, b: WordText) -> float:
        return names_alone(a.text, b.text).score

    def reason(self, a: WordText, b: WordText) -> Reason:
        return names_alone(a.text, b.text).reason("name", a, b)


@lru_cache(maxsize=64)
def names_alone(a: str, b: str) -> Alone:
    """Return the names that only one of two texts has."""
    return Alone(_without(a, b), _without(b, a))


def _without(own: str, other: str) -> tuple[Span, ...]:
    words = name_words(other)
    known = frozenset(words)
    short = initials(words)
    return tuple(
        (start, end)
        for start, end in name_spans(own)
        if not _is_known(name_words(own[start:end]), known, short)
    )


def _is_known(name: list[str], known: frozenset[str], short: set[str]) -> bool:
    """Tell whether a text has a name: its last word, which names alone, or its initials."""
    content = [
        word
        for word in name
        if word not in lexicon().titles and word not in lexicon().function_words
    ]
    if not content or initials(name) & {word for word in known if 2 <= len(word) <= _SHORT}:
        return True
    last = content[-1]
    return is_form(last, known) or (len(last) <= _SHORT and last in short)
