"""Agreement of annotators: Cohen's κ, Krippendorff's α, F1 of words and spans, the alarm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from paraphrast.corpora.annotation.judging.answer_comparison import (
    accuracy,
    compare_answers,
    f1,
)
from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem
from paraphrast.corpora.annotation.project_settings import ProjectSettings
from paraphrast.errors import InputError
from paraphrast.meaning.tag_evaluation import TagCounts
from paraphrast.stats.agreement import Scale, cohen_kappa, krippendorff_alpha


@dataclass(frozen=True, slots=True)
class SharedItem:
    """An item that several people answered; `at` is when the last of them did."""

    pair: PairItem
    answers: dict[str, PairAnswer]
    at: float

    def only(self, names: Sequence[str]) -> SharedItem:
        """Return the item with the answers of some people."""
        kept = {name: one for name, one in self.answers.items() if name in names}
        return SharedItem(self.pair, kept, self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementFigures:
    """What the answers to some items agree in; None where a figure is undefined or not asked for.

    κ takes every two answers to an item as one pair of raters, in the order of their names. α of
    words and of labels is nominal, that of ratings is of an interval scale. `word_f1`, `span_f1`
    and `accuracy` are those of one annotator against the other, over all pairs of answers.
    """

    items: int
    answers: int
    kappa: float | None = None
    alpha: float | None = None
    word_kappa: float | None = None
    word_alpha: float | None = None
    word_f1: float | None = None
    span_f1: float | None = None
    accuracy: float | None = None
    rating_alpha: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def least(self) -> float | None:
        """Return the lowest α of the task, which the alarm watches."""
        known = [one for one in (self.alpha, self.word_alpha, self.rating_alpha) if one is not None]
        return min(known, default=None)


Timeline = tuple[tuple[float, AgreementFigures], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveAgreement:
    """Agreement as it stands: overall, for each annotator, for each two, and over time.

    `timeline` holds figures of `alarm_items` consecutive items each, the last one ending now, and
    `personal` those of each annotator's items;
    `close` are the items that ParaTag's filter (§4.2) leaves, and how people agree in these.
    """

    overall: AgreementFigures
    annotators: dict[str, AgreementFigures]
    couples: dict[tuple[str, str], AgreementFigures]
    timeline: Timeline
    personal: dict[str, Timeline]
    close: AgreementFigures
    alarms: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "overall": self.overall.to_dict(),
            "annotators": {name: one.to_dict() for name, one in self.annotators.items()},
            "couples": [
                {"annotators": list(names), **one.to_dict()} for names, one in self.couples.items()
            ],
            "timeline": _plain(self.timeline),
            "personal": {name: _plain(line) for name, line in self.personal.items()},
            "close": self.close.to_dict(),
            "alarms": list(self.alarms),
        }


def live_agreement(shared: Sequence[SharedItem], settings: ProjectSettings) -> LiveAgreement:
    """Compute agreement of items that two or more people answered, in the order of time."""
    ordered = sorted(shared, key=lambda one: (one.at, one.pair.id))
    names = sorted({name for one in ordered for name in one.answers})
    each = {name: [one for one in ordered if name in one.answers] for name in names}
    couples = {
        couple: [one.only(couple) for one in ordered if {*couple} <= one.answers.keys()]
        for couple in combinations(names, 2)
    }
    return LiveAgreement(
        overall=figures(ordered, settings),
        annotators={name: figures(some, settings, about=name) for name, some in each.items()},
        couples={names: figures(some, settings) for names, some in couples.items() if some},
        timeline=_timeline(ordered, settings),
        personal={name: _timeline(some, settings, about=name) for name, some in each.items()},
        close=figures(_close(ordered, settings), settings),
        alarms=tuple(_alarms(ordered, each, settings)),
    )


def figures(
    shared: Sequence[SharedItem], settings: ProjectSettings, *, about: str | None = None
) -> AgreementFigures:
    """Compute the figures of some items; `about` one person, only pairs with him count."""
    couples = [
        (one.pair, one.answers[a], one.answers[b])
        for one in shared
        for a, b in combinations(sorted(one.answers), 2)
        if about is None or about in (a, b)
    ]
    found: dict[str, Any] = {}
    if settings.takes_label:
        labels = [(str(a.label), str(b.label)) for _, a, b in couples]
        found["kappa"] = _defined(cohen_kappa, *_columns(labels))
        found["alpha"] = _label_alpha(shared, about)
    if settings.takes_spans:
        found |= _span_figures(couples)
        found["word_alpha"] = _word_alpha(shared, about)
    if settings.takes_rating:
        found["rating_alpha"] = _rating_alpha(shared, about)
    return AgreementFigures(items=len(shared), answers=sum(len(o.answers) for o in shared), **found)


def _span_figures(couples: Sequence[tuple[PairItem, PairAnswer, PairAnswer]]) -> dict[str, Any]:
    words, spans = TagCounts(), TagCounts()
    tags: list[tuple[int, int]] = []
    for pair, one, other in couples:
        seen = compare_answers(pair, one, other)
        words, spans = words + seen.words, spans + seen.spans
        for left, right in zip(one.tags(pair), other.tags(pair), strict=True):
            tags += zip(left, right, strict=True)
    return {
        "word_kappa": _defined(cohen_kappa, *_columns(tags)),
        "word_f1": f1(words) if couples else None,
        "span_f1": f1(spans) if couples else None,
        "accuracy": accuracy(words),
    }


def _label_alpha(shared: Sequence[SharedItem], about: str | None) -> float | None:
    names = sorted({str(a.label) for one in shared for a in one.answers.values()})
    rows = _couples_of(shared, about)
    return _alpha(
        [[names.index(str(answer.label)) for answer in row] for _, row in rows], "nominal"
    )


def _word_alpha(shared: Sequence[SharedItem], about: str | None) -> float | None:
    units: list[list[float]] = []
    for pair, answers in _couples_of(shared, about):
        tags = [[*first, *second] for first, second in (one.tags(pair) for one in answers)]
        units += [list(map(float, unit)) for unit in zip(*tags, strict=True)]
    return _alpha(units, "nominal")


def _rating_alpha(shared: Sequence[SharedItem], about: str | None) -> float | None:
    rows = _couples_of(shared, about)
    return _alpha([[one.rating or 0.0 for one in row] for _, row in rows], "interval")


def _couples_of(
    shared: Sequence[SharedItem], about: str | None
) -> list[tuple[PairItem, list[PairAnswer]]]:
    """Return items with their answers; `about` one person, each of the others beside his."""
    if about is None:
        return [(one.pair, list(one.answers.values())) for one in shared]
    return [
        (one.pair, [one.answers[about], answer])
        for one in shared
        for name, answer in one.answers.items()
        if name != about
    ]


def _alpha(units: Sequence[Sequence[float]], scale: Scale) -> float | None:
    if not units:
        return None
    table = np.full((max(map(len, units)), len(units)), np.nan)
    for column, unit in enumerate(units):
        table[: len(unit), column] = unit
    return _defined(lambda: krippendorff_alpha(table, scale=scale))


def _defined(measure: Callable[..., float], *arguments: Any) -> float | None:
    """Return a figure, None where chance explains everything or nothing is there to measure."""
    try:
        return measure(*arguments)
    except InputError:
        return None


def _columns(rows: Sequence[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    return [one for one, _ in rows], [other for _, other in rows]


def _timeline(
    shared: Sequence[SharedItem], settings: ProjectSettings, *, about: str | None = None
) -> Timeline:
    """Return the figures of each window, and when it ended."""
    return tuple(
        (some[-1].at, figures(some, settings, about=about))
        for some in _windows(shared, settings.alarm_items)
    )


def _plain(line: Timeline) -> list[dict[str, Any]]:
    return [{"at": at, **one.to_dict()} for at, one in line]


def _windows(shared: Sequence[SharedItem], size: int) -> list[Sequence[SharedItem]]:
    """Cut items into windows of one size from the end; a rest at the beginning is left out."""
    return [shared[at : at + size] for at in range(len(shared) % size, len(shared), size)]


def _close(shared: Sequence[SharedItem], settings: ProjectSettings) -> list[SharedItem]:
    """Return the items of which no two span annotations have an F1 below the filter's."""
    return [
        one
        for one in shared
        if all(
            compare_answers(one.pair, a, b).span_f1 >= settings.adjudicate_below
            for a, b in combinations(one.answers.values(), 2)
        )
    ]


def _alarms(
    ordered: Sequence[SharedItem],
    each: dict[str, list[SharedItem]],
    settings: ProjectSettings,
) -> list[str]:
    """Say whose agreement over his last items lies below the value that was set."""
    if settings.alarm is None:
        return []
    size, found = settings.alarm_items, []
    for who, some, about in [
        ("all", ordered, None),
        *((name, some, name) for name, some in each.items()),
    ]:
        least = figures(some[-size:], settings, about=about).least() if len(some) >= size else None
        if least is not None and least < settings.alarm:
            found.append(
                f"{who}: α of the last {size} shared items is {least:.2f}, "
                f"below {settings.alarm:.2f}"
            )
    return found
