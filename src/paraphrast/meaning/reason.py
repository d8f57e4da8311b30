"""A reason why two texts do not say the same: words of each, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["number", "name", "negation", "missing", "added", "changed"]
KINDS: tuple[Kind, ...] = ("number", "name", "negation", "missing", "added", "changed")


@dataclass(frozen=True, slots=True)
class Reason:
    """Words of a, those that stand in their place in b, and what is wrong with them.

    `missing` words are in a alone, `added` ones in b alone; a `changed` one is another. `weight` is
    the probability that the other text does not say the strongest of them. `words_a` and `words_b`
    are places among the words of the texts.
    """

    kind: Kind
    a: str
    b: str
    weight: float
    words_a: tuple[int, ...]
    words_b: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "a": self.a,
            "b": self.b,
            "weight": self.weight,
            "words_a": list(self.words_a),
            "words_b": list(self.words_b),
        }

    def __str__(self) -> str:
        if not self.b:
            return f"{self.kind}: {self.a!r} has no counterpart"
        if not self.a:
            return f"{self.kind}: {self.b!r} has no counterpart"
        return f"{self.kind}: {self.a!r} became {self.b!r}"
