"""An explained pair for a terminal and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol

from paraphrast.render.terminal.marked_text import TaggedWords, printable, runs
from paraphrast.render.terminal.tables import align
from paraphrast.render.terminal.verdict_text import (
    Judged,
    answer,
    number_rows,
    reason_lines,
    verdict_text,
)

SIDES = ("reference", "candidate")

_ARROWS = {"higher": "↑", "lower": "↓", "near 1": "→ 1"}
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>()#+!|~-])")


class MetricValue(Protocol):
    """One metric's value."""

    @property
    def metric(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def better(self) -> str: ...
    @property
    def digits(self) -> int: ...
    @property
    def signature(self) -> str: ...


class MetricValues(Protocol):
    """The values of several metrics."""

    @property
    def scores(self) -> Sequence[MetricValue]: ...


class Explained(Protocol):
    """What is known of a pair: its verdict, metrics, and everything as plain values."""

    @property
    def verdict(self) -> Judged: ...
    @property
    def metrics(self) -> MetricValues: ...
    def to_dict(self) -> dict[str, Any]: ...


def explanation_text(pair: Explained, *, colour: bool = False, notes: bool = True) -> str:
    """Return the verdict, both texts with marks, the numbers, the metrics, notes, signatures."""
    found = pair.to_dict()
    parts = [
        verdict_text(pair.verdict, names=SIDES, colour=colour, notes=False, signature=False),
        "",
        align(metric_rows(pair)),
        "",
        *(f"note: {note}" for note in (found["notes"] if notes else ())),
        *signatures(pair),
    ]
    return "\n".join(parts)


def explanation_markdown(pair: Explained) -> str:
    """Return the same as Markdown; the words that the other text does not say are bold."""
    found = pair.to_dict()
    verdict = found["verdict"]
    sides = zip(SIDES, (pair.verdict.tags.a, pair.verdict.tags.b), strict=True)
    lines = [
        *(f"**{answer(verdict, SIDES)}**", ""),
        *("| | bold: the other text does not say it |", "|---|---|"),
        *(f"| {name} | {_bold(side)} |" for name, side in sides),
        "",
        *(f"- {_escaped(line)}" for line in reason_lines(verdict) if line),
        *("", "| | | |", "|---|---:|---|"),
        *(f"| {' | '.join(row)} |" for row in number_rows(verdict, SIDES)),
        *("", "| metric | value |", "|---|---:|"),
        *(f"| {' | '.join(row)} |" for row in metric_rows(pair)),
        "",
        *(f"- {_escaped(note)}" for note in found["notes"]),
        *(f"- `{signature}`" for signature in signatures(pair)),
    ]
    return "\n".join(lines)


def metric_rows(pair: Explained) -> list[list[str]]:
    """Return the lexical metrics: name with the better direction, value."""
    return [
        [f"{one.metric} {_ARROWS[one.better]}", f"{one.score:.{one.digits}f}"]
        for one in pair.metrics.scores
    ]


def signatures(pair: Explained) -> list[str]:
    """Return what was measured, to the letter."""
    return [
        pair.to_dict()["verdict"]["signature"],
        *(one.signature for one in pair.metrics.scores),
    ]


def _bold(side: TaggedWords) -> str:
    """Return a text with marks; asterisks would not work beside punctuation (mat**, not** me)."""
    pieces, done = [], 0
    for start, end in runs(side):
        pieces += [_escaped(side.text[done:start]), f"<b>{_escaped(side.text[start:end])}</b>"]
        done = end
    return "".join([*pieces, _escaped(side.text[done:])]).strip()


def _escaped(text: str) -> str:
    """Return a text in which nothing is Markdown or HTML, on one line."""
    return _ACTIVE.sub(r"\\\1", printable(text).replace("&", "&amp;"))
