"""Denials that only one of two texts makes."""

from __future__ import annotations

import re

from paraphrast.meaning.checks.alone import ABSENCE, CONFLICT, NOTHING, Alone
from paraphrast.meaning.checks.check import Check
from paraphrast.meaning.checks.word_kinds import is_negation
from paraphrast.meaning.reason import Reason
from paraphrast.text.lexicon import lexicon
from paraphrast.text.words import Span, WordText

_PREFIX = re.compile(r"(?:un|in|im|il|ir|non|dis)-?[a-z]{4,}")


class NegationCheck(Check):
    """Refuse a pair of which one text denies and the other has no word that may deny.

    Words that deny without saying so ("failed to", "lacks", "unlikely") count as denials of either
    text. Antonyms are not known.
    """

    name: str = "negation"
    languages: tuple[str, ...] = ("en",)
    precision: float = 10 / 29
    recall: float = 10 / 299
    refused: int = 29

    def score(self, a: WordText, b: WordText) -> float:
        """Return 1 for a denial against none, .4 where one denies more often, else 0."""
        plain_a, plain_b = (len(_denials(side)) for side in (a, b))
        if (plain_a and not plain_b and not _may_deny(b)) or (
            plain_b and not plain_a and not _may_deny(a)
        ):
            return CONFLICT
        return ABSENCE if plain_a != plain_b else NOTHING

    def reason(self, a: WordText, b: WordText) -> Reason:
        found = Alone(_denials(a), _denials(b)).reason("negation", a, b)
        return Reason("negation", found.a, found.b, self.score(a, b), found.words_a, found.words_b)


def _denials(text: WordText) -> tuple[Span, ...]:
    words = text.words
    return tuple(text.spans[place] for place in range(len(words)) if is_negation(words, place))


def _may_deny(text: WordText) -> bool:
    known = lexicon().implied_negations
    return any(
        word in known or _PREFIX.fullmatch(word)
        for word in (word.casefold() for word in text.words)
    )
