"""Candidates that are no use whatever their score, and the words in which they are refused."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.generation.candidates import Candidate
from paraphrast.generation.selection.changed import changed
from paraphrast.generation.selection.invented import invented

SAME = "the same as the source"
AGAIN = "drawn before"
CUT = "cut at the greatest length"
_SLACK = 1e-9  # what rounding may add to a figure on a bound


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one candidate is refused, and what all that are refused for it have in common."""

    reason: str
    kind: str


def screen(
    source: str, found: Sequence[Candidate], *, protect: bool = False, shorter: bool = False
) -> list[Refusal | None]:
    """Return for each candidate why it cannot be used, as far as a look at the texts can tell.

    With `protect` that is also a name or a number that the source has not, and a small word that
    says something else (`changed`); a text that is meant to be `shorter` may leave words out.

    Of candidates that differ in case, white space and punctuation alone one is kept: one that is
    finished and lost nothing if there is one, the first drawn of these. An earlier one is refused
    for its own flaw, a later one for having been drawn before.
    """
    keys = [fold(candidate.text) for candidate in found]
    kept: dict[str, int] = {}
    for place in sorted(range(len(found)), key=lambda p: (*_flaws(found[p]), p)):
        kept.setdefault(keys[place], place)
    like_source = fold(source)
    refusals = [
        _refusal(candidate, same=key == like_source, again=kept[key] < place)
        for place, (key, candidate) in enumerate(zip(keys, found, strict=True))
    ]
    if not protect:
        return refusals
    return [
        refusal
        or _addition(invented(source, candidate.text))
        or _change(changed(source, candidate.text, shorter=shorter))
        for refusal, candidate in zip(refusals, found, strict=True)
    ]


def _refusal(candidate: Candidate, *, same: bool, again: bool) -> Refusal | None:
    for holds, reason in ((same, SAME), (again, AGAIN), (not candidate.finished, CUT)):
        if holds:
            return Refusal(reason, reason)
    if candidate.missing:
        return Refusal(f"lost: {', '.join(candidate.missing)}", "without a string that had to stay")
    return None


def _addition(strings: Sequence[str]) -> Refusal | None:
    if not strings:
        return None
    return Refusal(f"added: {', '.join(strings)}", "with a name or number of its own")


def _change(found: str | None) -> Refusal | None:
    if found is None:
        return None
    return Refusal(f"changed: {found}", "with a word that changes the sense")


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


def inadequate(adequacy: float, floor: float) -> Refusal | None:
    """Refuse a candidate that does not say what its source says."""
    if adequacy >= floor:
        return None
    below = f"below {number(floor)}"
    return Refusal(f"adequacy {shown(adequacy, floor)} {below}", f"with adequacy {below}")


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
