"""What a project shows: progress, agreement, labels by word overlap, edits, time, suggestions."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paraphrast.corpora.annotation.assignment_state import AssignmentState
from paraphrast.corpora.annotation.judging.agreement_figures import LiveAgreement
from paraphrast.corpora.annotation.judging.answer_comparison import (
    compare_answers,
    f1,
)
from paraphrast.corpora.annotation.judging.outcomes import ItemOutcome
from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem
from paraphrast.corpora.annotation.project_settings import ProjectSettings
from paraphrast.corpora.word_overlap import BINS, bin_names, bins_of, overlap
from paraphrast.meaning.tag_evaluation import TagCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorSummary:
    """What one person did; `gold_right` is the share of items with a known answer that he met.

    Met is an equal label and an equal rating, and words marked with an F1 of one half or more.
    `seconds` is the median time of an item.
    """

    name: str
    answers: int
    skipped: int
    flagged: int
    seconds: float | None
    gold: int
    gold_right: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapRow:
    """A row of Suzuki et al. 2017, Table 1: pairs of one bin of word overlap and their labels."""

    bin: str
    pairs: int
    words1: float | None
    words2: float | None
    labels: dict[str, int]
    unlabelled: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionInfluence:
    """How often answers are what models suggested, where they were shown and where they were not.

    The models suggest for blind items too; nobody saw it there. The difference is their influence.
    """

    shown: int
    same_when_shown: float | None
    blind: int
    same_when_blind: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskReport:
    """The figures of a project."""

    name: str
    task: str
    guideline: int
    items: dict[str, int]
    annotators: tuple[AnnotatorSummary, ...]
    agreement: LiveAgreement
    overlap: tuple[OverlapRow, ...]
    edits: dict[str, int]
    edited: int
    methods: dict[str, int]
    seconds: tuple[float, float, float] | None
    influence: SuggestionInfluence
    command: str = ""
    version: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "task": self.task,
            "guideline": self.guideline,
            "items": self.items,
            "annotators": [_plain(one) for one in self.annotators],
            "agreement": self.agreement.to_dict(),
            "overlap": [_plain(one) for one in self.overlap],
            "edits": self.edits,
            "edited": self.edited,
            "methods": self.methods,
            "seconds": None if self.seconds is None else list(self.seconds),
            "influence": _plain(self.influence),
            "command": self.command,
            "version": self.version,
        }

    def with_command(self, command: str, version: str) -> DeskReport:
        """Return the report with the command that made it."""
        return replace(self, command=command, version=version)


def desk_report(
    settings: ProjectSettings,
    guideline: int,
    outcomes: Sequence[ItemOutcome],
    states: Sequence[AssignmentState],
    suggested: Mapping[str, Sequence[Mapping[str, Any]]],
    agreement: LiveAgreement,
) -> DeskReport:
    """Count what is in; only items of work count, but for what annotators did with gold ones."""
    work = [one for one in outcomes if one.record.pair.purpose == "work"]
    times = [
        state.seconds for one in work for state in one.states if state.seconds and not state.via
    ]
    return DeskReport(
        name=settings.name,
        task=settings.task,
        guideline=guideline,
        items=_items(work),
        annotators=tuple(_annotators(outcomes, states)),
        agreement=agreement,
        overlap=tuple(_overlap(work, settings)),
        edits=_edits(work, settings),
        edited=sum(bool(one.answer and one.answer.edits) for one in work),
        methods=dict(Counter(one.decision.method for one in work if one.decision)),
        seconds=_quartiles(times),
        influence=_influence(work, suggested),
    )


def _items(work: Sequence[ItemOutcome]) -> dict[str, int]:
    return {
        "pairs": len(work),
        "wanted": sum(one.record.wanted for one in work),
        "answers": sum(len(one.states) for one in work),
        "complete": sum(one.record.is_complete for one in work),
        "shared": sum(len(one.states) > 1 for one in work),
        "final": sum(one.answer is not None for one in work),
        "waiting": sum(one.record.is_complete and one.answer is None for one in work),
    }


def _annotators(
    outcomes: Sequence[ItemOutcome], states: Sequence[AssignmentState]
) -> list[AnnotatorSummary]:
    gold = {one.record.pair.id: one.record.pair for one in outcomes if one.record.pair.gold}
    work = {one.record.pair.id for one in outcomes if one.record.pair.purpose == "work"}
    found = []
    for name in sorted({state.annotator for state in states}):
        own = [state for state in states if state.annotator == name]
        done = [state for state in own if state.state == "done"]
        known = [
            _meets(gold[state.item], PairAnswer.from_dict(state.answer or {}))
            for state in done
            if state.item in gold
        ]
        times = [state.seconds for state in done if state.seconds and state.item in work]
        found.append(
            AnnotatorSummary(
                name=name,
                answers=sum(state.item in work for state in done),
                skipped=sum(state.state == "skipped" for state in own),
                flagged=sum(state.flag is not None for state in own),
                seconds=statistics.median(times) if times else None,
                gold=len(known),
                gold_right=sum(known) / len(known) if known else None,
            )
        )
    return found


def _meets(pair: PairItem, answer: PairAnswer) -> bool:
    assert pair.gold is not None
    seen = compare_answers(pair, pair.gold, answer)
    return seen.same_label and seen.gap == 0 and seen.word_f1 >= 0.5


def _overlap(work: Sequence[ItemOutcome], settings: ProjectSettings) -> list[OverlapRow]:
    """Count labels by bin of word overlap, the words being those that annotators see."""
    if not settings.takes_label or not work:
        return []
    pairs = [one.record.pair for one in work]
    shared, union = overlap([p.text1.text for p in pairs], [p.text2.text for p in pairs])
    bins = bins_of(shared, union).tolist()
    rows = []
    for number, name in enumerate(bin_names()[:BINS]):
        some = [one for one, place in zip(work, bins, strict=True) if place == number]
        rows.append(_row(name, some, settings))
    return [*rows, _row("all", work, settings)]


def _row(name: str, some: Sequence[ItemOutcome], settings: ProjectSettings) -> OverlapRow:
    labels = Counter(one.answer.label for one in some if one.answer)
    lengths = [[len(one.record.pair.text1), len(one.record.pair.text2)] for one in some]
    means = [statistics.fmean(column) for column in zip(*lengths, strict=True)]
    return OverlapRow(
        bin=name,
        pairs=len(some),
        words1=means[0] if means else None,
        words2=means[1] if means else None,
        labels={label: labels[label] for label in settings.label_names},
        unlabelled=len(some) - sum(labels[label] for label in settings.label_names),
    )


def _edits(work: Sequence[ItemOutcome], settings: ProjectSettings) -> dict[str, int]:
    """Count the kinds of edits of what counts in the end (Suzuki et al. 2017, Table 3)."""
    counts = Counter(kind for one in work if one.answer for kind in one.answer.edits)
    return {kind: counts[kind] for kind in settings.edits}


def _quartiles(times: Sequence[float]) -> tuple[float, float, float] | None:
    if len(times) < 2:
        return None
    low, middle, high = statistics.quantiles(times, n=4, method="inclusive")
    return low, middle, high


def _influence(
    work: Sequence[ItemOutcome], suggested: Mapping[str, Sequence[Mapping[str, Any]]]
) -> SuggestionInfluence:
    """Compare answers with suggestions: equal labels, or, without labels, the F1 of words."""
    shown: list[float] = []
    blind: list[float] = []
    for one in work:
        for state in one.states:
            said = state.suggested["answer"] if state.suggested else None
            if said is not None:
                shown.append(_likeness(one.record.pair, said, state))
            elif state.blind and suggested.get(one.record.pair.id):
                said = suggested[one.record.pair.id][0]["answer"]
                blind.append(_likeness(one.record.pair, said, state))
    return SuggestionInfluence(
        shown=len(shown),
        same_when_shown=statistics.fmean(shown) if shown else None,
        blind=len(blind),
        same_when_blind=statistics.fmean(blind) if blind else None,
    )


def _likeness(pair: PairItem, said: Mapping[str, Any], state: AssignmentState) -> float:
    suggestion, answer = PairAnswer.from_dict(said), PairAnswer.from_dict(state.answer or {})
    if suggestion.label is not None:
        return float(suggestion.label == answer.label)
    words: TagCounts = compare_answers(pair, suggestion, answer).words
    return f1(words)


def _plain(one: Any) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__slots__}
