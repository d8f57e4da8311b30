"""Every option of decoding, its default and its check, and the lengths that follow from them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Literal, get_args

import numpy as np

from paraphrast.errors import ConfigError, check_characters, did_you_mean
from paraphrast.generation.decoding.constraints import forbidden_in
from paraphrast.generation.decoding.requirements import parse_all

Method = Literal["greedy", "sample", "top-k", "top-p", "typical", "beam", "diverse-beam"]
METHODS: tuple[str, ...] = get_args(Method)
BEAMS = ("beam", "diverse-beam")
SAMPLED = ("sample", "top-k", "top-p", "typical")

# Options that only some methods read: set to anything but the default elsewhere, they are refused.
_READ_BY: dict[str, tuple[str, ...]] = {
    "temperature": SAMPLED,
    "top_k": ("top-k",),
    "top_p": ("top-p",),
    "typical": ("typical",),
    "beams": BEAMS,
    "length_penalty": BEAMS,
    "patience": BEAMS,
    "shorten": BEAMS,
    "groups": (*SAMPLED, "diverse-beam"),
    "diversity": (*SAMPLED, "diverse-beam"),
}

MOST_MUST = 50  # strings that every output contains: each takes beams of its own
MOST_TEXTS, MOST_BEAMS = 10_000, 1_000  # of one source; beams are held together
LONGEST, LARGEST_SHARE = 1_000_000, 10  # in sub-words, and of a source's length
SLACK = 5  # sub-words granted beyond a greatest length that is a share: short sources need them
_WHOLE: dict[str, tuple[int, int | None]] = {
    "n": (1, MOST_TEXTS),
    "top_k": (1, None),
    "repetition_window": (1, None),
    "beams": (1, MOST_BEAMS),
    "groups": (1, MOST_BEAMS),
    "no_repeat": (0, None),
    "seed": (0, None),
}
_REAL: dict[str, tuple[float, float]] = {
    "temperature": (0.01, 100),
    "repetition_penalty": (1, 1e6),
    "length_penalty": (0, 10),
    "patience": (1, math.inf),
    "diversity": (0, 100),
    "reverse": (0, 50),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoding:
    """How texts are chosen from what the model thinks likely.

    Lengths count sub-words: a whole number is absolute, a fraction a share of the source's length;
    a greatest length given as a share is granted a few sub-words more, and where a share and an
    absolute length contradict each other the absolute one holds. No output is empty.

    `repetition_penalty` divides the probability of every sub-word written in the last
    `repetition_window` ones (ROUGE-P's paper: 5 and 40). `no_repeat` is the size of n-grams of
    sub-words that may not recur in an output. `groups` parts the beams of "diverse-beam" (each beam
    its own by default) or, with a sampled method, the samples into sets: a group pays `diversity`
    for each earlier group of its source that takes the same sub-word at the same step. Beams stop
    after `patience` × beams have ended (`math.inf`: when no other can come out ahead). `reverse`
    is the strength, in nats, with which what the source says last is favoured to come first.
    `shorten` is the share of the source's length beyond which beams pay for each sub-word, and
    towards which the search looks for a close.

    `forbid` holds strings that no output contains, in upper or lower case, not even inside a word;
    a space at either end asks for the edge of a word there (" he " leaves "the" alone, and loses a
    word that the model can only write as "he" and more). `must` holds strings that every output
    contains, in any order: "car|automobile" asks for one of the two. `keep`
    holds strings that survive where the source has them; `protect` does so for names, numbers,
    URLs, addresses and code. What the search cannot write, `Candidate.missing` names.
    """

    method: str = "top-p"
    n: int = 1
    temperature: float = 1.0
    top_k: int = 50
    top_p: float = 0.95
    typical: float = 0.95
    repetition_penalty: float = 1.0
    repetition_window: int = 40
    no_repeat: int = 0
    beams: int = 5
    length_penalty: float = 1.0
    patience: float = 1.0
    groups: int | None = None
    diversity: float = 0.5
    min_length: int | float = 0
    max_length: int | float = 1.8
    reverse: float = 0.0
    shorten: float | None = None
    forbid: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    protect: bool = True
    seed: int = 12345

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            near = did_you_mean(str(self.method), METHODS)
            raise ConfigError(
                f"no decoding method is called {self.method!r}{near}; "
                f"there are {', '.join(METHODS)}"
            )
        _plain_numbers(self)
        _check_numbers(self)
        _check_lengths(self)
        _check_strings(self)
        _check_method(self)

    @property
    def uses_beams(self) -> bool:
        """Whether outputs are searched for, best first, rather than drawn."""
        return self.method in BEAMS

    @property
    def group_count(self) -> int:
        """The number of groups that beams or samples are parted into."""
        if self.groups is not None:
            return self.groups
        return self.beams if self.method == "diverse-beam" else 1


def _plain_numbers(given: Decoding) -> None:
    """Take numpy's numbers for Python's."""
    for each in fields(given):
        value = getattr(given, each.name)
        if isinstance(value, np.generic):
            object.__setattr__(given, each.name, value.item())


def _check_numbers(given: Decoding) -> None:
    for name, (least, most) in _WHOLE.items():
        value = getattr(given, name)
        if value is None and name == "groups":
            continue
        limit = "" if most is None else f" to {most:,}"
        holds = _is_whole(value, least) and (most is None or value <= most)
        _require(holds, name, f"a whole number from {least}{limit}", given)
    for name, (low, high) in _REAL.items():
        value = getattr(given, name)
        limit = "" if high == math.inf else f" to {high:g}"
        holds = _is_number(value) and low <= value <= high
        _require(holds, name, f"a number from {low:g}{limit}", given)
    for name in ("top_p", "typical"):
        value = getattr(given, name)
        _require(_is_number(value) and 0 < value <= 1, name, "above 0 and at most 1", given)
    if given.shorten is not None:
        holds = _is_number(given.shorten) and 0 < given.shorten <= LARGEST_SHARE
        _require(holds, "shorten", f"a share above 0 and at most {LARGEST_SHARE}", given)


def _check_lengths(given: Decoding) -> None:
    least, most = given.min_length, given.max_length
    for name, value, low in (("min_length", least, "from 0"), ("max_length", most, "above 0")):
        holds = _is_number(value) and (value > 0 or (value == 0 and name == "min_length"))
        _require(holds, name, f"a number of sub-words or a share {low}", given)
        largest = LONGEST if isinstance(value, int) else LARGEST_SHARE
        _require(value <= largest, name, f"at most {LONGEST:,}, or {LARGEST_SHARE} shares", given)
    if least > most and isinstance(least, int) == isinstance(most, int):
        raise ConfigError(
            f"min_length={least} is above max_length={most}; lower the one or raise the other"
        )


def _check_strings(given: Decoding) -> None:
    for name in ("forbid", "keep", "must"):
        strings = getattr(given, name)
        several = isinstance(strings, tuple | list)
        if not several or not all(isinstance(each, str) for each in strings):
            raise ConfigError(f"{name} takes several strings; write {name}=('…',)")
        for each in strings:
            check_characters(each, f"{name}={each!r}")
            if not each.strip():
                raise ConfigError(f"{name} holds an empty string; give it a word or leave it out")
    if len(given.must) > MOST_MUST:
        raise ConfigError(f"must holds {len(given.must)} strings; at most {MOST_MUST} are allowed")
    parse_all(given.must, given.forbid)
    for each in given.keep:
        against = forbidden_in(each, given.forbid)
        if against is not None:
            raise ConfigError(
                f"keep={each!r} and forbid={against!r} contradict each other; drop one of them"
            )


def read_by(name: str, method: str) -> bool:
    """Whether a method reads an option."""
    return method in _READ_BY.get(name, METHODS)


def refuse_unread(given: Decoding, asked: Iterable[str]) -> None:
    """Refuse options that are asked for and that nothing would read."""
    for name in asked:
        readers, value = _READ_BY.get(name), getattr(given, name)
        if value is None:
            continue
        if readers and given.method not in readers:
            raise ConfigError(
                f"{name}={value} has no effect with method {given.method!r}; leave it out, "
                f"or choose {' or '.join(readers)}"
            )
        if name == "diversity" and given.group_count == 1:
            raise ConfigError(f"diversity={value} has no effect without groups; give groups too")
        if name == "repetition_window" and given.repetition_penalty == 1:
            raise ConfigError(
                f"repetition_window={value} has no effect without repetition_penalty; give both"
            )


def _check_method(given: Decoding) -> None:
    refuse_unread(
        given, [each.name for each in fields(given) if getattr(given, each.name) != each.default]
    )
    if given.method == "greedy" and given.n > 1:
        raise ConfigError(f"n={given.n}: greedy gives one output; choose a sampled method or beam")
    if given.uses_beams and given.n > given.beams:
        raise ConfigError(f"n={given.n} is above beams={given.beams}; search with more beams")
    groups = given.group_count
    if given.method == "diverse-beam" and (groups < 2 or given.beams % groups):
        raise ConfigError(
            f"groups={groups} does not part beams={given.beams} into equal groups of beams, "
            "at least 2; choose a divisor of the number of beams"
        )


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _require(holds: bool, name: str, wanted: str, given: Decoding) -> None:
    if not holds:
        value = getattr(given, name)
        shown = repr(value) if isinstance(value, str) else f"{value}"[:40]
        raise ConfigError(f"{name}={shown} is wrong: it must be {wanted}")


@dataclass(frozen=True, slots=True)
class Bounds:
    """The fewest and most sub-words of an output, and how many are free of charge."""

    least: int
    most: int
    free: int


def bounds(decoding: Decoding, length: int, *, room: int, share: float = 1.0) -> Bounds:
    """Return the bounds for a source of `length` sub-words, `share` of the text it belongs to.

    `room` is what the model can write. An absolute length is shared out among the parts of a long
    text; between an absolute length and one that is a share, the absolute one holds.
    """
    least, most = decoding.min_length, decoding.max_length
    low = math.ceil(least * share if isinstance(least, int) else least * length)
    high = math.ceil(most * share) if isinstance(most, int) else math.ceil(most * length) + SLACK
    if low > high:
        low, high = (low, low) if isinstance(least, int) else (high, high)
    if low > room:
        if isinstance(least, int):
            raise ConfigError(f"min_length={least} is more than the {room} sub-words of the model")
        low = room
    free = room if decoding.shorten is None else math.ceil(decoding.shorten * length)
    return Bounds(max(low, 1), max(min(high, room), 1), max(free, 1))
