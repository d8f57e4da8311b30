"""A number that a text names, with everything it may stand for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

_SLACK = Fraction(1, 200)  # between units, which are converted and rounded
_ROUGH = Fraction(1, 10)  # how far a rough number may be from the exact one


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number from `start` up to `end` of a text, in characters.

    `figures` are the numbers as written. `measures` holds what it may amount to, each in the basic
    unit of what it measures ("pound" is money or mass); a bare number measures nothing, or "" if it
    may be more than that. A `firm` number can be nothing else ("one" can, and so can "second"); a
    `rough` one stands for numbers near it ("about 3,000").
    """

    start: int
    end: int
    figures: frozenset[Fraction] = frozenset()
    measures: frozenset[tuple[str, Fraction]] = frozenset()
    firm: bool = True
    rough: bool = False

    def agrees(self, other: Quantity) -> bool:
        """Tell whether two texts may mean the same number by these.

        Where one may be bare, its figures decide.
        """
        rough = self.rough or other.rough
        if (self.is_bare or other.is_bare) and any(
            _near(value, amount, rough=rough) for value in self.figures for amount in other.figures
        ):
            return True
        return any(
            one == another and _near(value, amount, rough=rough, slack=_SLACK)
            for one, value in self.measures
            for another, amount in other.measures
        )

    @property
    def is_bare(self) -> bool:
        """Whether it may be a number without a unit."""
        return not self.measures or any(not measured for measured, _ in self.measures)


def _near(a: Fraction, b: Fraction, *, rough: bool, slack: Fraction = Fraction(0)) -> bool:
    """Tell whether numbers are the same, or near; rough ones may be one apart ("more than 5")."""
    apart = abs(a - b)
    if rough and (apart <= _ROUGH * max(abs(a), abs(b)) or (not slack and apart == 1)):
        return True
    return apart <= slack * max(abs(a), abs(b))
