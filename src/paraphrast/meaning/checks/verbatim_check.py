"""Addresses, code and placeholders, which no paraphrase may put in other words."""

from __future__ import annotations

from paraphrast.meaning.checks.alone import Alone
from paraphrast.meaning.checks.check import Check
from paraphrast.meaning.reason import Reason
from paraphrast.text.particulars.protected_strings import verbatim_spans
from paraphrast.text.words import Span, WordText


class VerbatimCheck(Check):
    """Refuse a pair of which each text has an address, code or placeholder the other lacks."""

    name: str = "verbatim"
    languages: tuple[str, ...] = ("en",)
    precision: float = 0.0  # it refused none
    recall: float = 0.0
    refused: int = 0

    def score(self, a: WordText, b: WordText) -> float:
        return strings_alone(a.text, b.text).score

    def reason(self, a: WordText, b: WordText) -> Reason:
        return strings_alone(a.text, b.text).reason("changed", a, b)


def strings_alone(a: str, b: str) -> Alone:
    """Return the strings that must stay as they are and stand in only one of two texts."""
    return Alone(_without(a, b), _without(b, a))


def _without(own: str, other: str) -> tuple[Span, ...]:
    """Return what a text alone has; case and the marks around code and addresses do not count."""
    folded = other.casefold()
    return tuple(
        (start, end) for start, end in verbatim_spans(own) if _bare(own[start:end]) not in folded
    )


def _bare(string: str) -> str:
    plain = string.casefold().strip("`").removesuffix("()").rstrip("/")
    for opening in ("https://", "http://", "www."):
        plain = plain.removeprefix(opening)
    return plain
