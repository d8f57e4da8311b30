"""What is known of a built corpus: everything that its data card shows, and no more."""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast._version import VERSION
from paraphrast.corpora.build.manifest import CorpusFile
from paraphrast.corpora.pair_labels import LABELS, NAMES
from paraphrast.corpora.word_ids import word_tokeniser
from paraphrast.corpora.word_overlap import BINS, EXACT, Ints, bin_names, bin_of
from paraphrast.engine.step import Row

EXAMPLES = 3  # of each bin
MINED = "mined"

_TEXTS = ("text1", "text2", "source")


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCounts:
    """What a step took, gave and dropped, by reason, and what it cost."""

    name: str
    rows_in: int
    rows_out: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    seconds: float | None = None
    peak_bytes: int | None = None

    @property
    def rate(self) -> float | None:
        """Rows taken per second."""
        return self.rows_in / self.seconds if self.seconds else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemUse:
    """A translation system or prompted model: its version, and what was asked of it.

    `usage` counts whatever the system counts: sentences, requests, tokens, cost.
    """

    name: str
    kind: str
    version: str = ""
    usage: Mapping[str, int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BinCounts:
    """A line of the paper's Table 1; means are None where there is nothing to take them of.

    `available` counts the pairs that could have been sampled, `sampled` those that were, `mined`
    those that were found in plain text besides, `lacking` those that were to be found and were not.
    """

    bin: str
    available: int | None = None
    wanted: int | None = None
    sampled: int = 0
    mined: int = 0
    lacking: int = 0
    words_source: float | None = None
    words_text1: float | None = None
    words_text2: float | None = None
    quality: float | None = None
    labels: Mapping[str, int] = field(default_factory=dict)

    @property
    def short(self) -> int:
        """How many pairs the bin lacks of those that were wanted."""
        return max((self.wanted or 0) - self.sampled, 0)


@dataclass(frozen=True, slots=True)
class ExamplePair:
    """A pair to read."""

    bin: str
    id: str
    text1: str
    text2: str
    overlap: float
    quality: float | None
    origin: str
    systems: tuple[str, ...]
    source: str | None
    label: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusReport:
    """A built corpus: recipe, steps, bins, systems, splits, files and examples."""

    name: str
    seed: int
    recipe_sha256: str
    recipe_text: str
    steps: tuple[StepCounts, ...]
    bins: tuple[BinCounts, ...]
    splits: Mapping[str, int]
    systems: tuple[SystemUse, ...] = ()
    files: tuple[CorpusFile, ...] = ()
    examples: tuple[ExamplePair, ...] = ()
    language: str = ""
    licence: str = ""
    description: str = ""
    tokenize: str = "unicode"
    engine: str = ""
    method: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = ""
    version: str = VERSION

    @property
    def pairs(self) -> int:
        return sum(self.splits.values())

    @property
    def labels(self) -> dict[str, int]:
        """Pairs of each label, all 0 before annotation."""
        total = Counter(dict.fromkeys(NAMES, 0))
        for one in self.bins:
            total.update(one.labels)
        return dict(total)

    def to_dict(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in _PLAIN},
            "pairs": self.pairs,
            "labels": self.labels,
            "definitions": [one.to_dict() for one in LABELS],
            "splits": dict(self.splits),
            "steps": [asdict(one) | {"rate": one.rate} for one in self.steps],
            "bins": [asdict(one) | {"short": one.short} for one in self.bins],
            **{name: [asdict(one) for one in getattr(self, name)] for name in _LISTS},
            **{name: list(getattr(self, name)) for name in ("method", "limits", "notes")},
        }


Sums = defaultdict[str, float]
Drawn = tuple[int, int, ExamplePair]  # how high it hashes, negated; when it came; the pair

_PLAIN = (
    *("name", "version", "command", "seed", "recipe_sha256", "recipe_text", "language"),
    *("licence", "description", "tokenize", "engine"),
)
_LISTS = ("systems", "files", "examples")


@dataclass(slots=True)
class PairTally:
    """Counts the pairs of a corpus by bin and split, and picks the examples, as they go by.

    Examples are those whose ids hash lowest, so that neither order nor shards matter.
    """

    tokenize: str = "unicode"
    source_tokenize: str = "unicode"
    seed: int = 0
    splits: Counter[str] = field(default_factory=Counter)
    sums: list[Sums] = field(default_factory=lambda: [defaultdict(float) for _ in range(BINS)])
    best: list[list[Drawn]] = field(default_factory=lambda: [[] for _ in range(BINS)])

    @property
    def sampled(self) -> list[int]:
        """Pairs of each bin, without those that were mined."""
        return [int(sums["sampled"]) for sums in self.sums]

    def add(self, rows: Sequence[Row]) -> None:
        """Take the next pairs, a few thousand at the most."""
        places = np.array([bin_of(row["overlap"]) for row in rows], dtype=np.int64)
        self._count(places, rows)
        for name in _TEXTS:
            texts = [row.get(name) or "" for row in rows]
            tokenize = self.source_tokenize if name == "source" else self.tokenize
            self._sum(f"n {name}", places, [bool(text) for text in texts])
            self._sum(f"words {name}", places, _lengths(texts, tokenize))
        before = self.splits.total()
        for number, (row, place) in enumerate(zip(rows, places.tolist(), strict=True), before):
            self._show(place, row, number)
        self.splits.update(row.get("split") or "pairs" for row in rows)

    def _count(self, places: Ints, rows: Sequence[Row]) -> None:
        mined = np.array([row.get("origin") == MINED for row in rows], dtype=np.bool_)
        self._sum(MINED, places, mined)
        self._sum("sampled", places, ~mined)
        for label in {row.get("label") for row in rows} - {None, ""}:
            self._sum(f"label {label}", places, [row.get("label") == label for row in rows])
        quality = [row.get("quality") for row in rows]
        self._sum("n quality", places, [value is not None for value in quality])
        self._sum("sum quality", places, [value or 0.0 for value in quality])

    def _sum(self, name: str, places: Ints, values: Sequence[float] | NDArray[Any]) -> None:
        """Add values to the sums of their bins."""
        for place, total in enumerate(np.bincount(places, values, minlength=BINS).tolist()):
            if total:
                self.sums[place][name] += total

    def _show(self, place: int, row: Row, number: int) -> None:
        """Keep the pair if it is among those of its bin that hash lowest."""
        drawn = hashlib.blake2b(f"{self.seed} {row['id']}".encode(), digest_size=8).digest()
        key = -int.from_bytes(drawn, "big")
        kept = self.best[place]
        if len(kept) < EXAMPLES or key > kept[0][0]:
            push = heapq.heappush if len(kept) < EXAMPLES else heapq.heapreplace
            push(kept, (key, number, _example(row, bin_names()[place])))

    def bins(
        self,
        available: Sequence[int] | None = None,
        wanted: int | None = None,
        *,
        lacking: Sequence[int] = (),
    ) -> tuple[BinCounts, ...]:
        """Return the lines of Table 1; `available` are the pairs there were to sample from.

        `lacking` are the mined pairs that are still to be found, of each bin.
        """
        found = tuple(
            _bin(name, sums, None if available is None else available[place], wanted)
            for place, (name, sums) in enumerate(zip(bin_names(), self.sums, strict=True))
        )
        if not lacking:
            return found
        return tuple(replace(one, lacking=n) for one, n in zip(found, lacking, strict=True))

    def examples(self) -> tuple[ExamplePair, ...]:
        """Return the pairs to show, bin by bin."""
        return tuple(
            example
            for kept in self.best
            for _, _, example in sorted(kept, key=lambda entry: (-entry[0], entry[1]))
        )


def _lengths(texts: list[str], tokenize: str) -> Ints:
    """Count words; nothing but their number is made of them."""
    tokens, mark = word_tokeniser(tokenize).marked(texts)
    ends, at = [-1], -1
    for _ in texts:
        at = tokens.index(mark, at + 1)
        ends.append(at)
    return np.diff(ends) - 1


def _example(row: Row, name: str) -> ExamplePair:
    named = (row["id"], row["text1"], row["text2"], row["overlap"], row.get("quality"))
    systems = tuple(row.get("systems") or ())
    origin, source, label = row.get("origin") or "", row.get("source"), row.get("label")
    return ExamplePair(name, *named, origin, systems, source, label)


def _bin(name: str, sums: Sums, available: int | None, wanted: int | None) -> BinCounts:
    def mean(of: str, total: str) -> float | None:
        return sums[total] / sums[f"n {of}"] if sums[f"n {of}"] else None

    exact = name == bin_names()[EXACT]
    return BinCounts(
        bin=name,
        available=available,
        wanted=0 if exact and wanted else wanted,
        sampled=int(sums["sampled"]),
        mined=int(sums[MINED]),
        words_source=mean("source", "words source"),
        words_text1=mean("text1", "words text1"),
        words_text2=mean("text2", "words text2"),
        quality=mean("quality", "sum quality"),
        labels={label: int(sums[f"label {label}"]) for label in NAMES if f"label {label}" in sums},
    )
