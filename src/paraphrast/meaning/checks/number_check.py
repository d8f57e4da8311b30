"""Numbers: one text says 28, the other 26."""

from __future__ import annotations

from functools import lru_cache

from paraphrast.meaning.checks.alone import Alone
from paraphrast.meaning.checks.check import Check
from paraphrast.meaning.reason import Reason
from paraphrast.text.particulars.quantities import quantities
from paraphrast.text.particulars.quantity import Quantity
from paraphrast.text.words import WordText


class NumberCheck(Check):
    """Refuse a pair of which each text has a number that the other has in no form."""

    name: str = "number"
    languages: tuple[str, ...] = ("en",)
    precision: float = 8 / 8
    recall: float = 8 / 299
    refused: int = 8

    def score(self, a: WordText, b: WordText) -> float:
        return numbers_alone(a.text, b.text).score

    def reason(self, a: WordText, b: WordText) -> Reason:
        return numbers_alone(a.text, b.text).reason("number", a, b)


@lru_cache(maxsize=64)
def numbers_alone(a: str, b: str) -> Alone:
    """Return the numbers that only one of two texts has.

    Numbers of one text that add up to one of the other are in both ("two men and three women",
    "five people").
    """
    in_a, in_b = quantities(a), quantities(b)
    only_a, only_b = _without(in_a, in_b), _without(in_b, in_a)
    if _adds_up(only_a, only_b) or _adds_up(only_b, only_a):
        return Alone()
    spans = (tuple((one.start, one.end) for one in only) for only in (only_a, only_b))
    return Alone(*spans)


def _without(own: list[Quantity], others: list[Quantity]) -> list[Quantity]:
    return [one for one in own if one.firm and not any(map(one.agrees, others))]


def _adds_up(parts: list[Quantity], wholes: list[Quantity]) -> bool:
    sums = sum(min(one.figures, default=0) for one in parts)
    return len(parts) > 1 and len(wholes) == 1 and sums in wholes[0].figures
