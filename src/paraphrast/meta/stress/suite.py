"""The stress suite: hand-written minimal pairs of sixteen kinds, half of which say the same.

In each kind, half of the pairs say the same in other words and half say something else in nearly
the same words, so that word overlap tells nothing. Pairs of the `tuning` half may be used to
choose thresholds; those of the `reporting` half are for reporting alone. No sentence is in both.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from paraphrast.errors import ConfigError, did_you_mean

TUNING, REPORTING = "tuning", "reporting"
HALVES = (TUNING, REPORTING)
_FILE = "pairs.jsonl"


@dataclass(frozen=True, slots=True)
class StressPair:
    """Two texts, and whether they say the same."""

    id: str
    kind: str
    half: str
    same: bool
    text1: str
    text2: str


def stress_pairs(half: str | None = None) -> tuple[StressPair, ...]:
    """Return the pairs of a half, or all, in the order in which scores of other tools must be."""
    if half is None:
        return _every()
    if half not in HALVES:
        raise ConfigError(
            f"the stress suite has no half {half!r}{did_you_mean(half, HALVES)}; "
            f"it has: {', '.join(HALVES)}"
        )
    return tuple(pair for pair in _every() if pair.half == half)


def stress_kinds() -> tuple[str, ...]:
    """Return the sixteen kinds in their order."""
    return tuple(dict.fromkeys(pair.kind for pair in _every()))


@cache
def suite_fingerprint() -> str:
    """Return what tells this suite from another version of it: figures of two do not compare."""
    return hashlib.sha256(_text().encode()).hexdigest()[:12]


@cache
def _every() -> tuple[StressPair, ...]:
    return tuple(StressPair(**json.loads(line)) for line in _text().splitlines())


def _text() -> str:
    return files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
