"""An explained pair for a terminal and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from paraphrast.render.terminal.marked_text import (
    TaggedTexts,
    TaggedWords,
    legend,
    pair_text,
    printable,
    runs,
)
from paraphrast.render.terminal.tables import align

SIDES = ("reference", "candidate")

_FOLLOWS = "probability that the {} follows"
_PARAPHRASED = "mean probability of being paraphrased"
_ARROWS = {"higher": "↑", "lower": "↓", "near 1": "→ 1"}
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>()#+!|~-])")

Found = Mapping[str, Any]


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
    """What is known of a pair: tagged texts, lexical metrics, and the numbers as plain values."""

    @property
    def tags(self) -> TaggedTexts: ...
    @property
    def metrics(self) -> MetricValues: ...
    def to_dict(self) -> dict[str, Any]: ...


def explanation_text(pair: Explained, *, colour: bool = False, notes: bool = True) -> str:
    """Return the marked texts, the encoder's answers, the lexical metrics, notes, signatures."""
    found = pair.to_dict()
    parts = [
        pair_text(pair.tags, names=SIDES, colour=colour),
        legend(colour=colour),
        "",
        "\n".join(f"{row}  {what}" for row, what in _answers(found)),
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
    sides = zip(SIDES, (pair.tags.a, pair.tags.b), strict=True)
    lines = [
        *("| | bold: the other text does not say it |", "|---|---|"),
        *(f"| {name} | {_bold(side)} |" for name, side in sides),
        *("", "| | | |", "|---|---:|---|"),
        *(f"| {' | '.join(row)} |" for row in answer_rows(found)),
        *("", "| metric | value |", "|---|---:|"),
        *(f"| {' | '.join(row)} |" for row in metric_rows(pair)),
        "",
        *(f"- {_escaped(note)}" for note in found["notes"]),
        *(f"- `{signature}`" for signature in signatures(pair)),
    ]
    return "\n".join(lines)


def answer_rows(found: Found) -> list[tuple[str, str, str]]:
    """Return the encoder's answers: name, value, and what the value means."""
    return [
        ("score", f"{found['score']:.3f}", _place(found)),
        ("reference ⇒ candidate", _percent(found["entailed"]), _FOLLOWS.format("candidate")),
        ("candidate ⇒ reference", _percent(found["entailing"]), _FOLLOWS.format("reference")),
        ("candidate's words", _percent(found["precision"]), f"P: {_PARAPHRASED}"),
        ("reference's words", _percent(found["recall"]), f"R: {_PARAPHRASED}"),
        ("all words", _percent(found["f"]), f"F: {_PARAPHRASED}"),
        *_verdicts(found["paraphrase"]),
    ]


def _verdicts(found: Found) -> list[tuple[str, str, str]]:
    """Return on which side of its threshold each number lies that can call a pair a paraphrase."""
    score, entailed = found["score"], found["entailed"]
    shown = f"{entailed['threshold']:.1%}".replace("%", " %")
    return [
        ("paraphrase by score", *_verdict(score, "the score", f"{score['threshold']:.3f}")),
        ("paraphrase by entailment", *_verdict(entailed, "reference ⇒ candidate", shown)),
    ]


def _verdict(found: Found, what: str, threshold: str) -> tuple[str, str]:
    side = "above" if found["yes"] else "not above"
    return "yes" if found["yes"] else "no", f"{what} is {side} the model's threshold, {threshold}"


def metric_rows(pair: Explained) -> list[list[str]]:
    """Return the lexical metrics: name with the better direction, value."""
    return [
        [f"{one.metric} {_ARROWS[one.better]}", f"{one.score:.{one.digits}f}"]
        for one in pair.metrics.scores
    ]


def signatures(pair: Explained) -> list[str]:
    """Return what was measured, to the letter."""
    return [pair.to_dict()["signature"], *(one.signature for one in pair.metrics.scores)]


def _answers(found: Found) -> list[tuple[str, str]]:
    rows = answer_rows(found)
    lines = align([[name, value] for name, value, _ in rows]).splitlines()
    return list(zip(lines, [what for *_, what in rows], strict=True))


def _percent(share: float) -> str:
    """Write a probability in percent; only what is certain is 0 or 100 %."""
    text = f"{share:.0%}".replace("%", " %")
    if text == "100 %" and share < 1:
        return ">99 %"
    return "<1 %" if text == "0 %" and share > 0 else text


def _place(found: Found) -> str:
    """Say where the score stands among human ratings, if the model was calibrated on any."""
    if found["rated_on"] == "none":
        return "on no known scale: the model was not calibrated"
    return f"above {_percent(found['percentile'] / 100)} of human ratings ({found['rated_on']})"


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
