"""From candidates to outputs: what cannot be used is refused, the rest ranked, with reasons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from paraphrast.errors import ConfigError, InputError
from paraphrast.generation.candidates import Candidate
from paraphrast.generation.selection.adequacy import DEFAULT, AdequacyJudge
from paraphrast.generation.selection.candidate_ranking import DrawnCandidate, overlaps
from paraphrast.generation.selection.ranking_request import make_ranking
from paraphrast.generation.selection.screening import (
    Refusal,
    copied,
    doubted,
    number,
    outside,
    screen,
    shown,
)
from paraphrast.metrics.base import Place
from paraphrast.models.store import checked_name
from paraphrast.render.paraphrase_listing import paraphrase_html
from paraphrast.types import Floats

FARTHEST = "farthest from those before it"
NOTHING_DRAWN = "no output: nothing was drawn"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()


@dataclass(frozen=True)
class Paraphrase:
    """An output: its log-probability, every figure that was used, and why it was kept."""

    text: str
    logprob: float
    scores: dict[str, float]
    why: str


@dataclass(frozen=True)
class Rejected:
    """A candidate that is no output, and why."""

    text: str
    reason: str


@dataclass(frozen=True)
class Choice:
    """The outputs of one source, best first; what was rejected, in the order of drawing.

    `note` says why there are fewer outputs than were asked for, and is None if there are not.
    """

    source: str
    candidates: tuple[Paraphrase, ...]
    rejected: tuple[Rejected, ...]
    note: str | None

    def _repr_html_(self) -> str:
        return paraphrase_html(asdict(self))


@dataclass(frozen=True, kw_only=True)
class Selection:
    """What makes a candidate an output.

    `select` ranks: harmonic:w=3,lower=0,upper=1 (equation 5 of the ROUGE-P paper), quality (below),
    cosine, logprob, mbr:METRIC, a metric of candidate and source, or a weighted sum of these, as in
    harmonic:w=3 + 0.5*quality. `novelty` is the least 1 − ROUGE-L with the source; without it only
    copies are rejected, in whatever case and punctuation. `floor` is the least probability that
    source and output say the same, as the encoder `judge` has it. `quality` is the least score
    of the output, the source being the reference, on the scale of z-scores of human ratings.
    `support` is the least probability that a content word of one text is said by the other.
    `check` names a second encoder, larger and slower, to whose opinion the same floors apply: it
    is asked about the best ranked only, one after the other, until n pass. If the judge's weights
    are not installed they have no say, unless they are `required`. With `protect` the checks of the
    judge (numbers, names, …) overrule its encoder, whatever the floor. With `diverse` each output
    after the first is the candidate farthest from those before it.
    """

    n: int = 1
    select: str = "harmonic:w=3"
    novelty: float | None = None
    floor: float | None = 0.5
    quality: float | None = None
    support: float | None = None
    diverse: bool = False
    protect: bool = True
    judge: str = DEFAULT
    check: str | None = None
    required: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.n, int) or isinstance(self.n, bool) or self.n < 1:
            raise ConfigError(f"n={self.n} is wrong: it must be a whole number from 1")
        for name in ("novelty", "floor", "support"):
            value = getattr(self, name)
            if value is not None and not _is_share(value):
                raise ConfigError(f"{name}={value} is wrong: it must be a number from 0 to 1")
        if self.quality is not None and not _is_number(self.quality):
            raise ConfigError(f"quality={self.quality} is wrong: it must be a number")
        if self.required and not self.judged:
            raise ConfigError("required=True asks for an adequacy floor; give one, as floor=0.5")
        checked_name(self.judge)
        if self.check is not None:
            checked_name(self.check)
            if (self.floor, self.quality, self.support) == (None, None, None):
                raise ConfigError("check has nothing to look at: give a floor, support or quality")
        make_ranking(self.select)

    @property
    def floors(self) -> dict[str, float | None]:
        """What the judge's figures must reach."""
        return {"floor": self.floor, "support": self.support, "quality": self.quality}

    @property
    def judged(self) -> bool:
        """Whether the judge has a say."""
        asked = any(least is not None for least in self.floors.values())
        return asked or make_ranking(self.select).judged


@dataclass(slots=True)
class _Entry:
    """A candidate on its way: refused at some point, or with figures and a rank."""

    row: DrawnCandidate
    place_drawn: int
    refusal: Refusal | None
    scores: dict[str, float] = field(default_factory=dict)
    key: float = math.nan

    @property
    def rank(self) -> tuple[bool, float, float, int]:
        """Best first: by the ranking, what it is undefined for last; by log-probability; drawn."""
        undefined = math.isnan(self.key)
        key = 0.0 if undefined else -round(self.key, 9)
        return undefined, key, -self.row.candidate.logprob, self.place_drawn


class Chooser:
    """Chooses among the candidates of many sources at a time; models are loaded when needed."""

    def __init__(
        self, selection: Selection, *, threads: int | None = None, device: str = "cpu"
    ) -> None:
        self._selection = selection
        self._place = Place(threads=threads, device=device)
        self._ranking = make_ranking(selection.select)
        place: dict[str, Any] = {"threads": threads, "device": device}
        place["checked"] = selection.protect
        self._judge = self._second = None
        if selection.judged:
            self._judge = AdequacyJudge(selection.judge, required=selection.required, **place)
        if selection.check is not None:
            self._second = AdequacyJudge(selection.check, required=True, **place)

    @property
    def notes(self) -> list[str]:
        """What the user should know of all that was chosen so far, such as a missing judge."""
        return self._judge.notes if self._judge else []

    def prepare(self) -> None:
        """Load what is slow to load or may be missing, before any work starts."""
        self._ranking.prepare(self._place)
        for judge in (self._judge, self._second):
            if judge:
                judge.load()

    def choose(self, sources: Sequence[str], found: Sequence[Sequence[Candidate]]) -> list[Choice]:
        """Return a choice for each source; every metric and model sees all sources together."""
        if len(sources) != len(found):
            raise InputError(f"{len(sources)} sources, but candidates of {len(found)}")
        every = [
            list(_entries(source, drawn)) for source, drawn in zip(sources, found, strict=True)
        ]
        entries = [entry for mine in every for entry in mine]
        self._refuse_by_overlap(entries)
        self._refuse_by_adequacy(entries)
        self._rate(entries)
        ranked = [sorted(_open(mine), key=lambda entry: entry.rank) for mine in every]
        ranked = self._checked(ranked)
        chosen = self._sets(ranked) if self._selection.diverse else self._best(ranked)
        return [
            self._choice(source, mine, kept)
            for source, mine, kept in zip(sources, every, chosen, strict=True)
        ]

    def _refuse_by_overlap(self, entries: Sequence[_Entry]) -> None:
        """Refuse by ROUGE-L with the source: too little that is new, or out of bounds."""
        novelty = self._selection.novelty
        bounds = self._ranking.bounds
        left = _open(entries)
        if novelty is None and bounds is None:
            return
        shared = overlaps([e.row.text for e in left], [e.row.source for e in left])
        for entry, rouge_l in zip(left, shared.rouge_l.tolist(), strict=True):
            if novelty is not None:
                entry.scores["novelty"] = 1 - rouge_l
                entry.refusal = copied(rouge_l, novelty)
            if bounds is not None and entry.refusal is None:
                entry.refusal = outside(rouge_l, bounds.lower, bounds.upper)

    def _refuse_by_adequacy(self, entries: Sequence[_Entry]) -> None:
        """Refuse what the judge does not take for a paraphrase."""
        left = _open(entries)
        if self._judge is None or not left or not self._judge.load():
            return
        judged = self._judge([(entry.row.source, entry.row.text) for entry in left])
        for entry, found in zip(left, judged, strict=True):
            entry.scores |= {
                "same": found.same,
                "entailment": found.chances.entailment,
                "tags": found.tags,
                "quality": found.score,
                "support": found.weakest.support,
            }
            entry.row = replace(entry.row, quality=found.score)
            entry.refusal = doubted(found, **self._selection.floors)

    def _checked(self, ranked: Sequence[Sequence[_Entry]]) -> list[list[_Entry]]:
        """Leave what the second judge agrees with, as many of the best as are wanted."""
        if self._second is None or not self._second.load():
            return [list(mine) for mine in ranked]
        wanted = math.inf if self._selection.diverse else self._selection.n
        left = [list(mine) for mine in ranked]
        passed: list[list[_Entry]] = [[] for _ in ranked]
        while asked := [
            (place, mine.pop(0))
            for place, mine in enumerate(left)
            for _ in range(int(min(wanted - len(passed[place]), len(mine))))
        ]:
            pairs = [(entry.row.source, entry.row.text) for _, entry in asked]
            for (place, entry), found in zip(asked, self._second(pairs), strict=True):
                entry.refusal = doubted(found, **self._selection.floors)
                if entry.refusal is None:
                    entry.scores |= {"checked same": found.same}
                    entry.scores |= {"checked quality": found.score}
                    passed[place].append(entry)
                else:
                    reason = f"{self._selection.check}: {entry.refusal.reason}"
                    entry.refusal = Refusal(reason, f"refused by {self._selection.check}")
        return passed

    def _rate(self, entries: Sequence[_Entry]) -> None:
        """Give keys and figures to what is left; a figure that is undefined is left out."""
        left = _open(entries)
        if not left:
            return
        rated = self._ranking.rate([entry.row for entry in left], self._place)
        for place, entry in enumerate(left):
            entry.key = float(rated.key[place])
            figures = {name: float(column[place]) for name, column in rated.figures.items()}
            entry.scores |= {k: value for k, value in figures.items() if math.isfinite(value)}

    def _best(self, ranked: Sequence[Sequence[_Entry]]) -> list[list[tuple[_Entry, str]]]:
        return [
            [
                (entry, self._why(place, mine))
                for place, entry in enumerate(mine[: self._selection.n])
            ]
            for mine in ranked
        ]

    def _sets(self, ranked: Sequence[Sequence[_Entry]]) -> list[list[tuple[_Entry, str]]]:
        texts = [[entry.row.text for entry in mine] for mine in ranked]
        chosen = []
        for mine, places in zip(ranked, farthest(texts, self._selection.n), strict=True):
            kept = []
            for place, distance in places:
                if distance is not None:
                    mine[place].scores["distance"] = distance
                why = self._why(0, mine) if distance is None else FARTHEST
                kept.append((mine[place], why))
            chosen.append(kept)
        return chosen

    def _why(self, place: int, ranked: Sequence[_Entry]) -> str:
        ordinal = _ORDINALS[place] if place < len(_ORDINALS) else f"number {place + 1}"
        return f"{ordinal} of {len(ranked)} by {self._selection.select.strip()}"

    def _choice(
        self, source: str, entries: Sequence[_Entry], chosen: Sequence[tuple[_Entry, str]]
    ) -> Choice:
        kept = tuple(
            Paraphrase(entry.row.text, entry.row.candidate.logprob, entry.scores, why)
            for entry, why in chosen
        )
        places = {entry.place_drawn for entry, _ in chosen}
        n = self._selection.n
        below = "ranked below the first" if n == 1 else f"ranked below the first {n}"
        rejected = tuple(
            Rejected(entry.row.text, entry.refusal.reason if entry.refusal else below)
            for entry in entries
            if entry.place_drawn not in places
        )
        return Choice(source, kept, rejected, self._note(entries, len(kept)))

    def _note(self, entries: Sequence[_Entry], kept: int) -> str | None:
        """Say why there are fewer than n."""
        if kept >= self._selection.n:
            return None
        if not entries:
            return NOTHING_DRAWN
        counts = Counter(entry.refusal.kind for entry in entries if entry.refusal)
        said = [f"{len(entries)} drawn", *(f"{count} {kind}" for kind, count in counts.items())]
        start = f"{kept} of {self._selection.n} outputs" if kept else "no output"
        return f"{start}: {', '.join(said)}{self._nearest(entries) if not kept else ''}"

    def _nearest(self, entries: Sequence[_Entry]) -> str:
        """Name the best figures seen, where none was enough."""
        said = []
        for name, figure, least in (
            ("the floor", "same", self._selection.floor),
            ("the least support", "support", self._selection.support),
            ("the least quality", "quality", self._selection.quality),
        ):
            seen = [entry.scores[figure] for entry in entries if figure in entry.scores]
            if least is not None and seen and max(seen) < least:
                best = shown(max(seen), least)
                said.append(
                    f"nothing passed {name} of {number(least)}, the best {figure} was {best}"
                )
        return "".join(f"; {each}" for each in said)


def _entries(source: str, drawn: Sequence[Candidate]) -> Iterator[_Entry]:
    counts = Counter(candidate.text for candidate in drawn)
    refusals = screen(source, drawn)
    for place_drawn, (candidate, refusal) in enumerate(zip(drawn, refusals, strict=True)):
        yield _Entry(DrawnCandidate(source, candidate, counts), place_drawn, refusal)


def _open(entries: Sequence[_Entry]) -> list[_Entry]:
    return [entry for entry in entries if entry.refusal is None]


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def farthest(ranked: Sequence[Sequence[str]], n: int) -> list[list[tuple[int, float | None]]]:
    """Return, for each list of texts, best first, the places of n of them and their distances.

    The first is the best. Each further one has the greatest distance from the nearest of those
    before it, the better ranked of two: Gonzalez 1985, Clustering to Minimize the Maximum
    Intercluster Distance. A distance is 1 − ROUGE-L F of the two texts, and None for the first.
    """
    near = [np.full(len(texts), np.inf) for texts in ranked]
    chosen: list[list[tuple[int, float | None]]] = [
        [(0, None)] if texts else [] for texts in ranked
    ]
    for _ in range(n - 1):
        going = [place for place, texts in enumerate(ranked) if len(chosen[place]) < len(texts)]
        _approach(ranked, near, [(place, chosen[place][-1][0]) for place in going])
        for place in going:
            left = near[place].copy()
            left[[number for number, _ in chosen[place]]] = -1.0
            best = int(np.argmax(np.round(left, 9)))
            chosen[place].append((best, float(left[best])))
    return chosen


def _approach(
    ranked: Sequence[Sequence[str]], near: list[Floats], latest: Sequence[tuple[int, int]]
) -> None:
    """Bring the distances from the nearest chosen text up to date with the latest chosen."""
    mine = [text for place, _ in latest for text in ranked[place]]
    theirs = [ranked[place][number] for place, number in latest for _ in ranked[place]]
    distances = 1 - overlaps(mine, theirs).rouge_l
    at = 0
    for place, _ in latest:
        size = len(ranked[place])
        near[place] = np.minimum(near[place], distances[at : at + size])
        at += size
