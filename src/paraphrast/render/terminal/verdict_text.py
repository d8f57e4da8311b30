"""A verdict for a terminal, and several as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from paraphrast.render.terminal.marked_text import TaggedTexts, legend, pair_text, printable
from paraphrast.render.terminal.tables import align

ANSWERS = {
    "same": "They say the same.",
    "a_entails_b": "{b} follows from {a}, which says more.",
    "b_entails_a": "{a} follows from {b}, which says more.",
    "contradiction": "They contradict each other.",
    "different": "They say different things.",
}
MOST_REASONS = 5
_MOST_LETTERS = 80  # of either side of a reason
NAMES = ("a", "b")
Names = tuple[str, str]


class Judged(Protocol):
    """A pair with its verdict: tagged texts, and everything else as plain values."""

    @property
    def tags(self) -> TaggedTexts: ...
    def to_dict(self) -> dict[str, Any]: ...


def verdict_text(
    judged: Judged,
    *,
    names: Names = NAMES,
    colour: bool = False,
    notes: bool = True,
    signature: bool = True,
) -> str:
    """Return the answer, both texts with marks, the reasons, and the numbers behind it."""
    found = judged.to_dict()
    lines = [answer(found, names), "", pair_text(judged.tags, names=names, colour=colour)]
    if any(any(side.tags) for side in (judged.tags.a, judged.tags.b)):
        lines.append(legend(colour=colour))
    lines += ["", *reason_lines(found)]
    rows = number_rows(found, names)
    table = align([[name, value] for name, value, _ in rows]).splitlines()
    lines += [f"{line}  {what}" for line, (*_, what) in zip(table, rows, strict=True)]
    lines += [f"note: {note}" for note in (found["notes"] if notes else ())]
    return "\n".join([*lines, *(["", found["signature"]] if signature else [])])


def answer(found: Mapping[str, Any], names: Names = NAMES) -> str:
    """Return the relation in words, and how sure it is."""
    a, b = map(_the, names)
    told = ANSWERS[found["relation"]].format(a=a, b=b)
    told = told if len(names[0]) == 1 else told[0].upper() + told[1:]
    same = "the same" if found["same"] else "not the same"
    return f"{told} ({same}: {percent(found['confidence'])} sure)"


def reason_lines(found: Mapping[str, Any]) -> list[str]:
    """Return the first reasons, a line each, and an empty line behind them."""
    listed = found["reasons"][:MOST_REASONS]
    more = len(found["reasons"]) - len(listed)
    lines = [reason_line(one) for one in listed]
    lines += [f"and {more} more"] if more else []
    return [*lines, ""] if lines else []


def reason_line(reason: Mapping[str, Any]) -> str:
    """Return the kind of a reason, and its words as one change; many words are cut short."""
    a, b = (_shortened(printable(reason[side])) for side in ("a", "b"))
    return f"{reason['kind']}: {a or '(nothing)'} → {b or '(nothing)'}"


def _shortened(words: str) -> str:
    return words if len(words) <= _MOST_LETTERS else f"{words[:_MOST_LETTERS].rstrip()}…"


def number_rows(found: Mapping[str, Any], names: Names = NAMES) -> list[tuple[str, str, str]]:
    """Return the numbers: name, value, what the value means."""
    a, b = names
    against = found["contradiction"]
    follows = found["entailment"]
    rows = [
        (f"{a} ⇒ {b}", percent(follows["forward"]), f"probability that {_the(b)} follows"),
        (f"{b} ⇒ {a}", percent(follows["backward"]), f"probability that {_the(a)} follows"),
    ]
    if against is not None:
        rows.append(("contradiction", percent(against), "probability that both cannot be true"))
    place = (
        "on no known scale: the model was not calibrated"
        if found["rated_on"] == "none"
        else f"above {percent(found['percentile'] / 100)} of human ratings ({found['rated_on']})"
    )
    return [*rows, ("ParaBLEU", f"{found['score']:.3f}", place)]


def _the(name: str) -> str:
    return name if len(name) == 1 else f"the {name}"


def verdict_table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a line for each verdict: its place, relation, confidence and first reason."""
    table, reasons = [["row", "relation", "sure"]], ["first reason"]
    for row in rows:
        first = row["reasons"][0] if row["reasons"] else None
        reasons.append(reason_line(first) if first else "")
        table.append([str(row["row"]), row["relation"], percent(row["confidence"])])
    lines = zip(align(table).splitlines(), reasons, strict=True)
    return "\n".join(f"{line}  {why}".rstrip() for line, why in lines)


def percent(share: float) -> str:
    """Write a probability in percent; only what is certain is 0 or 100 %."""
    text = f"{share:.0%}".replace("%", " %")
    if text == "100 %" and share < 1:
        return ">99 %"
    return "<1 %" if text == "0 %" and share > 0 else text
