"""What a metric is: statistics per segment, then a value of their sum."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import ClassVar, Protocol, Self

import numpy as np

from paraphrast import signature
from paraphrast._version import VERSION
from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.text.column import Column, Vocabularies
from paraphrast.types import Chunk, Direction, Floats

REFERENCES, SOURCE, SET, TREES = "references", "source", "set", "trees"


@dataclass(frozen=True, slots=True)
class Card:
    """What a metric declares about itself; documentation pages and checks are made from it."""

    title: str
    summary: str
    formula: str
    paper: str
    range: tuple[float, float]
    better: Direction
    empty: str
    parts: Mapping[str, str] = field(default_factory=dict)
    digits: int = 4  # after the point, in tables
    sets: bool = False  # takes a set of candidates per segment as well as one
    usual: str = ""  # where values lie as a rule, if the range does not tell


@dataclass(frozen=True, slots=True)
class Place:
    """Where models run: it changes how fast, and no value by more than 1e-4."""

    threads: int | None = None  # one for each core
    device: str = "cpu"
    cache: str | None = None  # a folder in which embeddings are kept for later runs


@dataclass(frozen=True, slots=True)
class Batch:
    """Segments of one system as columns; what the systems share is tokenised once for all."""

    candidates: Column
    references: Column | None = None
    sources: Column | None = None
    trees: Column | None = None
    start: int = 0  # segments before these, so that an error can name the row
    place: Place = Place()

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def refs(self) -> Column:
        """Return the references of a metric that needs them; they were checked before."""
        assert self.references is not None
        return self.references

    @property
    def srcs(self) -> Column:
        """Return the sources of a metric that needs them; they were checked before."""
        assert self.sources is not None
        return self.sources


def batches(chunk: Chunk, place: Place | None = None) -> dict[str, Batch]:
    """Turn a chunk into one batch per system, with one vocabulary and shared columns."""
    lexicon = Vocabularies()
    references = chunk.references and Column.ragged(chunk.references, lexicon)
    sources = Column(chunk.sources, lexicon) if chunk.sources else None
    return {
        name: Batch(
            candidates=Column.ragged(texts, lexicon),
            references=references or None,
            sources=sources,
            trees=Column.ragged(chunk.trees[name], lexicon) if chunk.trees else None,
            start=chunk.start,
            place=place or Place(),
        )
        for name, texts in chunk.candidates.items()
    }


class Survey(Protocol):
    """Looks at a whole corpus before scoring begins, a piece at a time."""

    def add(self, texts: Sequence[str]) -> None:
        """Take the next texts of the corpus."""

    def done(self) -> Metric:
        """Return the metric with what it had to know filled in."""


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """A metric with its parameters; subclasses are frozen dataclasses whose fields are options.

    `part` names the part of the card that is to be the score, in place of the metric's own.

    The corpus value is `value` of the *sum* of the points of all segments, and a segment's value
    is `segment_value` of its own points. Confidence intervals and paired tests therefore only
    ever add points up again; they never look at text.
    """

    part: str | None = None
    name: ClassVar[str]
    card: ClassVar[Card]
    needs: ClassVar[frozenset[str]] = frozenset({REFERENCES})
    whole_corpus: ClassVar[bool] = False  # True: `fit` needs the statistics of every segment
    ragged: ClassVar[bool] = False  # True: statistics have other than one row per segment
    runs_model: ClassVar[bool] = False  # True: stay in one process, where the model is loaded once

    def required(self) -> frozenset[str]:
        """Return the inputs this metric needs with these options."""
        return self.needs

    def prepare(self, place: Place) -> None:  # noqa: B027  (most have nothing to load)
        """Load what is slow to load or may be missing, before any work starts."""

    def corpus(self) -> str | None:
        """Name the texts that must be surveyed before scoring: "references", a file, or none."""
        return None

    def survey(self, place: Place) -> Survey:
        """Return what surveys them; only asked for where `corpus` names some."""
        raise ConfigError(f"metric {self.name!r} surveys no corpus")

    def ahead(self, batches: Sequence[Batch]) -> None:  # noqa: B027  (most have nothing to share)
        """See the same segments of all systems before the statistics of each are asked for."""

    @abstractmethod
    def stats(self, batch: Batch) -> Floats:
        """Return one row of statistics per segment."""

    def fit(self, rows: Floats) -> Self:
        """Return the metric with constants that depend on the whole corpus filled in."""
        return self

    def points(self, rows: Floats) -> Floats:
        """Turn statistics into rows that may be added up; for most metrics they already are."""
        return rows

    def condense(self, rows: Floats) -> Floats:
        """Shorten the statistics of a whole-corpus metric when only the corpus value is wanted."""
        return rows

    def total(self, rows: Floats) -> Floats:
        """Return the sum of all points, as one row."""
        summed: Floats = self.points(rows).sum(axis=0, keepdims=True)
        return summed

    @abstractmethod
    def value(self, points: Floats) -> Floats:
        """Return the score and then the card's parts, for each row of (summed) points."""

    def segment_value(self, points: Floats) -> Floats:
        """Return the same columns for single segments."""
        return self.value(points)

    def notes(self, points: Floats) -> list[str]:
        """Return what the user should know of these points, of single segments or their sum."""
        return []

    def parts(self) -> tuple[str, ...]:
        """Name the columns of `value` after the first."""
        return tuple(self.card.parts)

    @property
    def label(self) -> str:
        """The name, with the part if it is not the usual one."""
        usual = self.part is None or self.part == type(self).part
        return self.name if usual else f"{self.name}.{self.part}"

    def check_part(self) -> None:
        """Refuse a part that the metric does not have."""
        if self.part is not None and self.part not in self.parts():
            known = ", ".join(self.parts()) or "none"
            hint = did_you_mean(self.part, self.parts())
            raise ConfigError(
                f"metric {self.name!r} has no part {self.part!r}{hint}; parts: {known}"
            )

    def part_first(self, values: Floats) -> Floats:
        """Put the chosen part, if there is one, in the place of the score."""
        if self.part is None:
            return values
        column = 1 + self.parts().index(self.part)
        return np.column_stack([values[:, column], values[:, 1:]])

    def describe(self) -> dict[str, signature.Value]:
        """Return what the signature says beside references and part: every option."""
        return {
            option.name: "none" if value is None else value
            for option in fields(self)
            for value in (getattr(self, option.name),)
            if option.name != "part"
        }

    def signature(self, references: str | None = None, candidates: str | None = None) -> str:
        """Return the signature for a corpus with that many references and candidates a segment."""
        count: dict[str, signature.Value] = {"nrefs": references} if references else {}
        count |= {"ncands": candidates} if candidates else {}
        part: dict[str, signature.Value] = {"part": self.part} if self.part else {}
        return signature.signature(self.name, {**count, **self.describe(), **part}, VERSION)


@dataclass(frozen=True, kw_only=True)
class MeanMetric(Metric):
    """A metric whose corpus value is the mean of its segment values.

    Points are `[weight, score, *parts]`: weight 1, or 0 for a segment where it is undefined, which
    gives NaN there and for a resample of such segments only.
    """

    def value(self, points: Floats) -> Floats:
        weight = points[:, :1]
        undefined = np.full_like(points[:, 1:], np.nan)
        return np.divide(points[:, 1:], weight, out=undefined, where=weight > 0)

    def segment_value(self, points: Floats) -> Floats:
        """Return the values again, also where a family's own `segment_value` would come first."""
        return self.value(points)


def weighted(*columns: Floats) -> Floats:
    """Put a weight of one before the columns of a MeanMetric."""
    return np.column_stack([np.ones(len(columns[0])), *columns])


def choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Reject an option's value that is not one of those allowed."""
    if value not in allowed:
        raise ConfigError(f"{name} must be one of {', '.join(allowed)}; got {value!r}")
