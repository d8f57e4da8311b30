"""Candidates that are no use whatever their score, and the words in which they are refused."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paraphrast.generation.candidates import Candidate

if TYPE_CHECKING:
    from paraphrast.meaning.opinion import Opinion
    from paraphrast.meaning.reason import Reason

SAME = "the same as the source"
AGAIN = "drawn before"
CUT = "cut at the greatest length"
_NAMED = 2  # reasons of the judge that a refusal names
_SLACK = 1e-9  # what rounding may add to a figure on a bound


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one candidate is refused, and what all that are refused for it have in common."""

    reason: str
    kind: str


def screen(source: str, found: Sequence[Candidate]) -> list[Refusal | None]:
    """Return for each candidate why it cannot be used, as far as a look at the texts can tell.

    Of candidates that differ in case, white space and punctuation alone one is kept: one that is
    finished and lost nothing if there is one, the first drawn of these. An earlier one is refused
    for its own flaw, a later one for having been drawn before.
    """
    keys = [fold(candidate.text) for candidate in found]
    kept: dict[str, int] = {}
    for place in sorted(range(len(found)), key=lambda p: (*_flaws(found[p]), p)):
        kept.setdefault(keys[place], place)
    like_source = fold(source)
    return [
        _refusal(candidate, same=key == like_source, again=kept[key] < place)
        for place, (key, candidate) in enumerate(zip(keys, found, strict=True))
    ]


def _refusal(candidate: Candidate, *, same: bool, again: bool) -> Refusal | None:
    for holds, reason in ((same, SAME), (again, AGAIN), (not candidate.finished, CUT)):
        if holds:
            return Refusal(reason, reason)
    return lost(candidate.missing)


def lost(strings: Sequence[str]) -> Refusal | None:
    """Refuse a candidate without strings that it had to contain."""
    if not strings:
        return None
    return Refusal(f"lacks: {', '.join(strings)}", "without a string that had to be there")


def copied(rouge_l: float, novelty: float) -> Refusal | None:
    """Refuse a candidate of which less than `novelty` is new."""
    if 1 - rouge_l >= novelty - _SLACK:
        return None
    return Refusal(f"copies too much: ROUGE-L {shown(rouge_l, 1 - novelty)}", "copying too much")


def outside(rouge_l: float, lower: float, upper: float) -> Refusal | None:
    """Refuse a candidate whose ROUGE-L with the source is out of bounds."""
    if lower - _SLACK <= rouge_l <= upper + _SLACK:
        return None
    value = shown(rouge_l, lower if rouge_l < lower else upper)
    bounds = f"{number(lower)} to {number(upper)}"
    return Refusal(f"ROUGE-L {value} outside {bounds}", f"with ROUGE-L outside {bounds}")


def doubted(
    opinion: Opinion,
    *,
    floor: float | None = None,
    support: float | None = None,
    quality: float | None = None,
) -> Refusal | None:
    """Refuse a candidate for what a check found, or for the first floor that it does not reach."""
    if opinion.vetoes:
        return Refusal(_words(opinion.vetoes), f"with another {opinion.vetoes[0].kind}")
    refusal = None if floor is None else different(opinion, floor)
    if refusal is None and support is not None:
        refusal = unsupported(opinion.weakest.word, opinion.weakest.support, support)
    if refusal is None and quality is not None:
        refusal = poor(opinion.score, quality)
    return refusal


def different(opinion: Opinion, floor: float) -> Refusal | None:
    """Refuse a candidate that does not say the same as its source, and name the words."""
    if opinion.same >= floor:
        return None
    below = f"below {number(floor)}"
    words = _words(opinion.reasons)
    said = f"same {shown(opinion.same, floor)} {below}{': ' if words else ''}{words}"
    return Refusal(said, f"with same {below}")


def _words(reasons: Sequence[Reason]) -> str:
    return "; ".join(map(str, reasons[:_NAMED]))


def poor(quality: float, least: float) -> Refusal | None:
    """Refuse a candidate that people would not rate well."""
    if quality >= least:
        return None
    below = f"below {number(least)}"
    return Refusal(f"quality {shown(quality, least)} {below}", f"with quality {below}")


def unsupported(word: str, support: float, least: float) -> Refusal | None:
    """Refuse a candidate with a word that only one of the texts says."""
    if support >= least:
        return None
    below = f"below {number(least)}"
    said = f"support of {word!r} {shown(support, least)} {below}"
    return Refusal(said, f"with support {below}")


def shown(value: float, bound: float) -> str:
    """Return a share in two digits, or in as many more as tell it from the bound."""
    for digits in range(2, 10):
        text = f"{value:.{digits}f}"
        if float(text) != round(bound, digits):
            break
    return text.removeprefix("0") if text.startswith("0.") else text


def number(value: float) -> str:
    """Return a share as it was given: .5, 0, 1."""
    text = f"{value:g}"
    return text.removeprefix("0") if text.startswith("0.") else text


def fold(text: str) -> str:
    """Reduce a text to what case, white space and punctuation leave alone, if that is anything."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    kept = [char for char in plain if not char.isspace() and unicodedata.category(char)[0] != "P"]
    return "".join(kept) or text.strip()


def _flaws(candidate: Candidate) -> tuple[bool, int]:
    return not candidate.finished, len(candidate.missing)
