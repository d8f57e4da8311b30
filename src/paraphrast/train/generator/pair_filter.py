"""Which pairs teach a generator to paraphrase: they differ in wording and in nothing else.

A pair that is nearly a copy teaches copying; one whose numbers, names or length differ teaches
invention. Each is left out with a reason that can be counted.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

_WORD = re.compile(r"\w+(?:['’.,-]\w+)*")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_OPENING = re.compile(
    r"(?:^|[.!?:]\s+|[\"“‘`(]\s*)[\"“‘`'(]*\s*(\w+)"
)  # words capitalised by place


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a pair may share: `copied` bounds ROUGE-L F, `shared` the words of the shorter text.

    `ratio` bounds the longer text's words over the shorter's, `words` those of the longer; `lost`
    is the share of the source's names that the target may do without.
    """

    copied: float = 0.85
    shared: float = 0.95
    ratio: float = 1.6
    words: int = 60
    lost: float = 0.25


USUAL = Limits()


def unfit(source: str, target: str, limits: Limits = USUAL) -> str | None:
    """Return why a pair is not one to learn from: copy, length, numbers or names; None if it is."""
    a, b = words(source), words(target)
    if not a or not b:
        return "empty"
    few, many = sorted((len(a), len(b)))
    if many > limits.ratio * few or many > limits.words:
        return "length"
    if rouge_l(a, b) > limits.copied or _shared(a, b) > limits.shared:
        return "copy"
    if numbers(source) != numbers(target):
        return "numbers"
    named = names(source)
    if names(target) - set(a) or len(named - set(b)) > limits.lost * len(named):
        return "names"
    return None


def words(text: str) -> list[str]:
    """Return the words in lower case, without punctuation."""
    return _WORD.findall(text.lower())


def rouge_l(a: list[str], b: list[str]) -> float:
    """ROUGE-L F of two lists of words: twice the longest common subsequence over both lengths."""
    return 2 * LCSseq.similarity(a, b) / max(len(a) + len(b), 1)


def numbers(text: str) -> Counter[str]:
    """Count the numbers written in digits; commas between thousands do not matter."""
    return Counter(found.replace(",", "") for found in _NUMBER.findall(text))


def names(text: str) -> set[str]:
    """Return, in lower case, the words with a capital that the beginning of a sentence owes none.

    "I" is no name.
    """
    opening = {match.start(1) for match in _OPENING.finditer(text)}
    return {
        match.group().lower()
        for match in _WORD.finditer(text)
        if match.group()[0].isupper()
        and match.start() not in opening
        and match.group().split("'")[0].split("’")[0] != "I"
    }


def _shared(a: list[str], b: list[str]) -> float:
    return (Counter(a) & Counter(b)).total() / min(len(a), len(b))
