"""Every option of decoding with its default; options that contradict each other are refused."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal, get_args

from paraphrast.errors import ConfigError, check_characters, did_you_mean
from paraphrast.generation.constraints import forbidden_in

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
    is the strength with which source sub-words are favoured from the other end. `shorten` is the
    share of the source's length beyond which beams pay for each sub-word.

    `forbid` holds strings that no output contains, in upper or lower case, not even inside a word;
    a space at either end asks for the edge of a word there (" he " leaves "the" alone). `keep`
    holds strings that survive where the source has them; `protect` does so for names, numbers,
    URLs, addresses and code. What the search cannot keep, `Candidate.missing` names.
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
        _check_numbers(self)
        _check_lengths(self)
        _check_strings(self)
        _check_method(self)

    @property
    def uses_beams(self) -> bool:
        """Whether outputs are searched for, best first, rather than drawn."""
        return self.method in BEAMS

    @property
    def parts(self) -> int:
        """The number of groups that beams or samples are parted into."""
        if self.groups is not None:
            return self.groups
        return self.beams if self.method == "diverse-beam" else 1


def _check_numbers(given: Decoding) -> None:
    for name in ("n", "top_k", "repetition_window", "beams"):
        _require(_is_whole(getattr(given, name), 1), name, "a whole number from 1", given)
    _require(_is_whole(given.no_repeat, 0), "no_repeat", "a whole number from 0", given)
    _require(_is_whole(given.seed, 0), "seed", "a whole number from 0", given)
    if given.groups is not None:
        _require(_is_whole(given.groups, 1), "groups", "a whole number from 1", given)
    for name in ("top_p", "typical"):
        _require(0 < getattr(given, name) <= 1, name, "above 0 and at most 1", given)
    for name in ("length_penalty", "diversity", "reverse"):
        _require(0 <= getattr(given, name) < math.inf, name, "a number from 0", given)
    _require(0 < given.temperature < math.inf, "temperature", "a number above 0", given)
    _require(
        1 <= given.repetition_penalty < math.inf, "repetition_penalty", "a number from 1", given
    )
    _require(given.patience >= 1, "patience", "a number from 1", given)
    if given.shorten is not None:
        _require(0 < given.shorten < math.inf, "shorten", "a share above 0", given)


def _check_lengths(given: Decoding) -> None:
    least, most = given.min_length, given.max_length
    _require(0 <= least < math.inf, "min_length", "a number of sub-words or a share from 0", given)
    _require(0 < most < math.inf, "max_length", "a number of sub-words or a share above 0", given)
    if least > most and isinstance(least, int) == isinstance(most, int):
        raise ConfigError(
            f"min_length={least} is above max_length={most}; lower the one or raise the other"
        )


def _check_strings(given: Decoding) -> None:
    for name in ("forbid", "keep"):
        strings = getattr(given, name)
        if isinstance(strings, str) or not all(isinstance(each, str) for each in strings):
            raise ConfigError(f"{name} takes several strings; write {name}=('…',)")
        for each in strings:
            check_characters(each, f"{name}={each!r}")
            if not each.strip():
                raise ConfigError(f"{name} holds an empty string; give it a word or leave it out")
    for each in given.keep:
        against = forbidden_in(each, given.forbid)
        if against is not None:
            raise ConfigError(
                f"keep={each!r} and forbid={against!r} contradict each other; drop one of them"
            )


def _check_method(given: Decoding) -> None:
    for field in fields(given):
        readers = _READ_BY.get(field.name)
        value = getattr(given, field.name)
        if readers and given.method not in readers and value not in (field.default, None):
            raise ConfigError(
                f"{field.name}={value} has no effect with method {given.method!r}; leave it out, "
                f"or choose {' or '.join(readers)}"
            )
    if given.method == "greedy" and given.n > 1:
        raise ConfigError(f"n={given.n}: greedy gives one output; choose a sampled method or beam")
    if given.uses_beams and given.n > given.beams:
        raise ConfigError(f"n={given.n} is above beams={given.beams}; search with more beams")
    if given.method == "diverse-beam" and (given.parts < 2 or given.beams % given.parts):
        raise ConfigError(
            f"groups={given.parts} does not part beams={given.beams} into equal groups of beams, "
            "at least 2; choose a divisor of the number of beams"
        )


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _require(holds: bool, name: str, wanted: str, given: Decoding) -> None:
    if not holds:
        raise ConfigError(f"{name}={getattr(given, name)} is wrong: it must be {wanted}")
