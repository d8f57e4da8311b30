"""Human judgements as values, and the checks that every set passes; layouts.py knows the files."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from paraphrast.errors import ConfigError, InputError, did_you_mean

Key = tuple[str, str, str]
"""(group, item, system): what names an output; item "" stands for the whole system."""
Missing = Literal["error", "drop"]

_Z_SCORES = 5.0  # no z-score of a rating lies further from 0
_LARGE = 10.0  # no z-score, star or grade is larger
_MANY = 10  # values in (0, 5] and none in (5, 10]: on one even scale 1 chance in 2^10
_FEW = 3
_DROPPED = "ratings without a finite value: {:,}, left out"


@dataclass(frozen=True, slots=True)
class Named:
    """What names an output.

    `group` is the language pair, or "": correlations are taken per group and then averaged.
    `item` is the segment or document within the group, `system` "" when unknown.
    """

    group: str
    item: str
    system: str

    @property
    def key(self) -> Key:
        return self.group, self.item, self.system


@dataclass(frozen=True, slots=True)
class Output(Named):
    """A text that people judged."""

    candidate: str
    references: tuple[str, ...] = ()
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Rating(Named):
    """One human score of one output, or of a whole system: item ""."""

    dimension: str
    value: float
    rater: str = ""


@dataclass(frozen=True, slots=True)
class Preference:
    """One human judgement that, on one item, a system did better than another."""

    group: str
    item: str
    better: str
    worse: str

    @property
    def keys(self) -> tuple[Key, Key]:
        return (self.group, self.item, self.better), (self.group, self.item, self.worse)


@dataclass(frozen=True, slots=True)
class MeanRating(Named):
    """The mean over raters, and how many there were."""

    dimension: str
    value: float
    count: int


@dataclass(frozen=True, slots=True)
class Judgements:
    """A checked set: make it with `collect` or a reader, which refuse what cannot be used.

    `outputs` is empty when no texts were given; otherwise every judged output is in it. `notes`
    name and count what was left out or looks odd.
    """

    name: str
    outputs: tuple[Output, ...]
    ratings: tuple[Rating, ...] = ()
    preferences: tuple[Preference, ...] = ()
    notes: tuple[str, ...] = ()

    def dimensions(self) -> tuple[str, ...]:
        """The dimensions rated, in the order of their first rating."""
        return tuple(dict.fromkeys(rating.dimension for rating in self.ratings))

    def groups(self) -> tuple[str, ...]:
        """The groups judged, in the order of their first judgement."""
        rated, compared = (r.group for r in self.ratings), (p.group for p in self.preferences)
        return tuple(dict.fromkeys(chain(rated, compared)))

    def systems(self, group: str) -> tuple[str, ...]:
        """The systems judged in a group, in the order of their first judgement."""
        keys = chain((one.key for one in self.ratings), *(one.keys for one in self.preferences))
        return tuple(dict.fromkeys(key[2] for key in keys if key[0] == group))

    def sources(self) -> dict[Key, str]:
        """The source text of every output that has one."""
        return {one.key: one.source for one in self.outputs if one.source is not None}

    def rated(self, dimension: str) -> tuple[MeanRating, ...]:
        """Mean ratings in one dimension; one that nobody rated is an InputError."""
        known = self.dimensions()
        if dimension not in known:
            near, listed = did_you_mean(dimension, known), ", ".join(known) or "none"
            raise InputError(f"{self.name}: nobody rated {dimension!r}{near}; rated: {listed}")
        return mean_ratings(rating for rating in self.ratings if rating.dimension == dimension)


def mean_ratings(ratings: Iterable[Rating]) -> tuple[MeanRating, ...]:
    """Average raters per (group, item, system, dimension), in the order of first mention."""
    values: dict[tuple[Key, str], list[float]] = {}
    for rating in ratings:
        values.setdefault((rating.key, rating.dimension), []).append(rating.value)
    return tuple(
        MeanRating(*key, dimension, math.fsum(many) / len(many), len(many))
        for (key, dimension), many in values.items()
    )


def collect(
    name: str,
    outputs: Iterable[Output] = (),
    ratings: Iterable[Rating] = (),
    preferences: Iterable[Preference] = (),
    *,
    missing: Missing = "error",
) -> Judgements:
    """Check judgements made in Python; errors count outputs, ratings and preferences from 1."""
    into = Collector(name, missing=missing)
    for number, output in enumerate(outputs, 1):
        into.output(output, f"{name}, output {number}")
    for number, rating in enumerate(ratings, 1):
        into.rating(rating, f"{name}, rating {number}")
    for number, preference in enumerate(preferences, 1):
        into.preference(preference, f"{name}, preference {number}")
    return into.done()


class Collector:
    """Judgements one by one, each with the place that an error about it names.

    Ratings that are NaN or infinite are errors, or with missing="drop" left out, counted and
    noted. The same rating twice counts once; two values from one rater are an error. Preferences
    have no rater, so that each one counts, repeated or contradicted as it may be: both are noted.
    """

    def __init__(self, name: str, *, missing: Missing = "error") -> None:
        if missing not in ("error", "drop"):
            raise ConfigError(f"missing must be 'error' or 'drop'; got {missing!r}")
        self._name = name
        self._drop = missing == "drop"
        self._outputs: dict[Key, tuple[Output, str]] = {}
        self._ratings: dict[tuple[Key, str, str], tuple[Rating, str]] = {}
        self._preferences: list[tuple[Preference, str]] = []
        self._dropped = self._repeated = 0

    def output(self, output: Output, where: str) -> None:
        """Add a text; again with the same text is fine, and may fill in references or source."""
        if not output.item:
            raise InputError(f"{where}: a text without an item; name its segment or document")
        if output.key in self._outputs:
            known, place = self._outputs[output.key]
            output, where = _merged(known, output, place, where), place
        self._outputs[output.key] = output, where

    def rating(self, rating: Rating, where: str) -> None:
        """Add a rating; `value` NaN stands for a missing one."""
        if not (rating.item or rating.system):
            raise InputError(f"{where}: a rating that names neither an item nor a system")
        if not rating.dimension:
            raise InputError(f"{where}: a rating without a dimension")
        if not math.isfinite(rating.value):
            if not self._drop:
                raise _unusable(rating, where)
            self._dropped += 1
            return
        key = (rating.key, rating.dimension, rating.rater)
        self._repeated += key in self._ratings
        known, place = self._ratings.setdefault(key, (rating, where))
        if known.value != rating.value:
            raise _contradiction(known, rating, place, where)

    def preference(self, preference: Preference, where: str) -> None:
        """Add a better/worse judgement."""
        if not preference.item:
            raise InputError(f"{where}: a preference without an item")
        if not (preference.better and preference.worse):
            raise InputError(f"{where}: a preference must name both systems, better and worse")
        if preference.better == preference.worse:
            raise InputError(f"{where}: system {preference.better!r} is preferred to itself")
        self._preferences.append((preference, where))

    def done(self, notes: Sequence[str] = ()) -> Judgements:
        """Return the set after the checks that need all of it; `notes` come first."""
        ratings = tuple(rating for rating, _ in self._ratings.values())
        if not ratings and not self._preferences:
            left = f"; {_DROPPED.format(self._dropped)}" if self._dropped else ""
            raise InputError(f"{self._name}: no ratings and no preferences in it{left}")
        _check_levels(self._name, ratings)
        _check_scales(self._name, ratings)
        if self._outputs:
            self._check_presence()
            _check_complete(self._name, ratings, self._outputs)
        return Judgements(
            self._name,
            tuple(output for output, _ in self._outputs.values()),
            ratings,
            tuple(preference for preference, _ in self._preferences),
            (*notes, *self._notes()),
        )

    def _check_presence(self) -> None:
        """Demand a text for whatever was judged."""
        systems = {(group, system) for group, _, system in self._outputs}
        for rating, where in self._ratings.values():
            group, item, system = rating.key
            if (rating.key not in self._outputs) if item else ((group, system) not in systems):
                raise InputError(f"{where}: a rating of {describe(rating.key)}: no such output")
        for preference, where in self._preferences:
            for key in preference.keys:
                if (key[0], key[2]) not in systems:
                    who = describe((key[0], "", key[2]))
                    raise InputError(f"{where}: {who} is in the preferences only; it has no output")
                if key not in self._outputs:
                    raise InputError(f"{where}: a preference on {describe(key)}: no such output")

    def _notes(self) -> Iterator[str]:
        pairs = Counter(preference for preference, _ in self._preferences)
        turned = sum(replace(one, better=one.worse, worse=one.better) in pairs for one in pairs)
        keys = {key for key, _, _ in self._ratings}.union(*(pair.keys for pair in pairs))
        judged = sum(bool(keys & {key, (key[0], "", key[2])}) for key in self._outputs)
        for count, text in (
            (self._dropped, _DROPPED),
            (self._repeated, "ratings given again with the same value: {:,}, counted once"),
            (pairs.total() - len(pairs), "preferences given again: {:,}, each counts"),
            (turned // 2, "preferences given in both directions: {:,}, both count"),
            (len(self._outputs) - judged, "outputs without a judgement: {:,}"),
        ):
            if count:
                yield text.format(count)


def describe(key: Key) -> str:
    """Name an output, or a system, in a message."""
    named = zip(("item", "system", "group"), (key[1], key[2], key[0]), strict=True)
    return ", ".join(f"{kind} {name!r}" for kind, name in named if name)


def _merged(known: Output, again: Output, place: str, where: str) -> Output:
    for field in ("candidate", "references", "source"):
        old, new = getattr(known, field), getattr(again, field)
        if old != new and (field == "candidate" or (old and new)):
            raise InputError(
                f"{where}: {describe(again.key)} has a different {field} at {place}; "
                "an output has one text: name the item or the system apart"
            )
    references, source = known.references or again.references, known.source or again.source
    return replace(known, references=references, source=source)


def _unusable(rating: Rating, where: str) -> InputError:
    is_nan = math.isnan(rating.value)
    found = "missing (empty, null or NaN)" if is_nan else f"{rating.value}, which is no rating"
    return InputError(
        f"{where}: the value of {rating.dimension!r} for {describe(rating.key)} is {found}; "
        "give a number, or leave such ratings out (--missing drop)"
    )


def _contradiction(known: Rating, again: Rating, place: str, where: str) -> InputError:
    who = f"rater {again.rater!r}" if again.rater else "an unnamed rater"
    fix = "" if again.rater else "; name the raters if there are several"
    if not again.item:
        fix += "; where single outputs were rated, name their column (--column item=id)"
    return InputError(
        f"{where}: {who} gives {describe(again.key)} {again.value:g} for {again.dimension!r} "
        f"but {known.value:g} at {place}{fix}"
    )


def _check_levels(name: str, ratings: Iterable[Rating]) -> None:
    """Refuse a dimension that holds ratings of items and of whole systems."""
    levels: dict[str, bool] = {}
    for rating in ratings:
        if levels.setdefault(rating.dimension, bool(rating.item)) != bool(rating.item):
            raise InputError(
                f"{name}: {rating.dimension!r} has ratings of items and ratings of whole systems "
                "(without an item); name the dimensions apart"
            )


def _check_scales(name: str, ratings: Iterable[Rating]) -> None:
    """Refuse a dimension that mixes scales within a group, where the values show it.

    They show it when small negative values (z-scores: none below -5) stand beside values above
    10; when ten or more lie in (0, 5] and ten or more above 10 but none between; and when every
    rater keeps to one side, some within [-5, 5] and some above 10. Raw 0-100 ratings pass.
    """
    values: dict[tuple[str, str], dict[str, list[float]]] = {}
    for rating in ratings:
        by_rater = values.setdefault((rating.group, rating.dimension), {})
        by_rater.setdefault(rating.rater, []).append(rating.value)
    for (group, dimension), by_rater in values.items():
        if _mixes([value for many in by_rater.values() for value in many]) or _disagree(by_rater):
            where = f"{name}, group {group!r}" if group else name
            raise InputError(
                f"{where}: mixed scales: {dimension!r} has values within [-5, 5] and values above "
                "10; bring them to one scale, or name the dimensions apart"
            )


def _mixes(values: Sequence[float]) -> bool:
    large = sum(value > _LARGE for value in values)
    small = sum(0 < value <= _Z_SCORES for value in values)
    between = any(_Z_SCORES < value <= _LARGE for value in values)
    is_z = large > 0 and -_Z_SCORES <= min(values) < 0
    return is_z or (min(small, large) >= _MANY and not between)


def _disagree(by_rater: dict[str, list[float]]) -> bool:
    many = [values for values in by_rater.values() if len(values) >= _FEW]
    small = sum(max(map(abs, values)) <= _Z_SCORES for values in many)
    large = sum(min(values) > _LARGE for values in many)
    return small > 0 and large > 0 and small + large == len(many)


def _check_complete(name: str, ratings: Iterable[Rating], outputs: Iterable[Key]) -> None:
    """Demand that systems rated as a whole answer the same items of their group."""
    items = {(one.group, one.system): set[str]() for one in ratings if not one.item}
    for group, item, system in outputs:
        if (group, system) in items:
            items[group, system].add(item)
    for (group, system), found in items.items():
        needed = set().union(*(many for (other, _), many in items.items() if other == group))
        if lacking := needed - found:
            raise InputError(
                f"{name}: {describe((group, '', system))} has outputs for {len(found)} of "
                f"{len(needed)} items (none for item {min(lacking)!r}); systems are compared on "
                "the same items: complete it, or leave it out"
            )
