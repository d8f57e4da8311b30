"""Numbers and words of a meta-evaluation, written the same way in every format."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

MISSING = "–"

_LEVELS = {
    "segment": "Segment level: every judged segment counts once; a metric’s score for it is "
    "correlated with the human score for it, within each group.",
    "system": "System level: every system counts once; its metric score over the whole test set "
    "is correlated with its human score.",
    "summary": "Summary level: the correlation over the systems of one document, averaged over "
    "the documents.",
    "pairwise": "Pairwise: people said which of two candidates for one source is better; the "
    "metric is asked the same.",
}
_STATISTICS = {
    "pearson": ("Pearson r", "Pearson’s r: how closely the two scores follow a straight line."),
    "spearman": ("Spearman ρ", "Spearman’s ρ: Pearson’s r of the ranks."),
    "kendall": (
        "Kendall τ",
        "Kendall’s τ: the share of pairs ordered alike less the share ordered otherwise.",
    ),
    "kendallb": (
        "Kendall τ-b",
        "Kendall’s τ-b: pairs ordered alike less pairs ordered otherwise, corrected for ties in "
        "either score.",
    ),
    "kendallc": (
        "Kendall τ-c",
        "Kendall’s τ-c: as τ-b, but corrected for scales with different numbers of steps.",
    ),
    "darr": (
        "DARR τ",
        "WMT’s Kendall-like τ over better/worse pairs: concordant less discordant, over both; a "
        "tie of the metric counts as discordant.",
    ),
    "accuracy": (
        "Accuracy",
        "Pairwise accuracy: the share of pairs that metric and people agree on.",
    ),
    "acceq": (
        "Accuracy (ties)",
        "Pairwise accuracy with tie calibration (Deutsch et al., 2023): the share of pairs on "
        "which metric and people agree, ties included, at the best tie threshold.",
    ),
    "spa": (
        "Soft accuracy",
        "Soft pairwise accuracy: one less the mean distance between the metric’s and people’s "
        "confidence that one system beats the other.",
    ),
}
_ALIASES = {
    "kendalltau": "kendall",
    "tau": "kendall",
    "taub": "kendallb",
    "kendalltaub": "kendallb",
    "tauc": "kendallc",
    "kendalltauc": "kendallc",
    "darrtau": "darr",
    "taudarr": "darr",
    "kendalldarr": "darr",
    "pairwiseaccuracy": "accuracy",
    "acc": "accuracy",
    "tieaccuracy": "acceq",
    "accuracyties": "acceq",
    "softpairwiseaccuracy": "spa",
}


def finite(value: object) -> float | None:
    """Return a finite float, or None for whatever is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def show(value: object) -> str:
    """Write a value with three places as journals do (.578, -.042); a missing one is an en dash."""
    number = finite(value)
    if number is None:
        return MISSING
    if abs(number) >= 1e5:
        return f"{number:.3g}"
    text = f"{number:.3f}"
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if digits == "0.000":
        return ".000"
    return sign + digits.removeprefix("0")


def typeset(text: str) -> str:
    """Give a number for a page a true minus; texts for machines and terminals keep the hyphen."""
    return text.replace("-", "−")


def show_p(p: object) -> str:
    """Write a p-value: three places, and never smaller than <.001."""
    number = finite(p)
    if number is None:
        return MISSING
    return "<.001" if number < 0.001 else "1" if number >= 0.9995 else show(number)


def interval(row: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return the row's confidence interval if both ends are there."""
    ends = row.get("ci") or ()
    numbers = [number for end in ends if (number := finite(end)) is not None]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def show_interval(row: Mapping[str, Any]) -> str:
    """Write the interval as [low, high], or nothing."""
    ends = interval(row)
    return f"[{show(ends[0])}, {show(ends[1])}]" if ends else ""


def difference(row: Mapping[str, Any]) -> float | None:
    """Our value less the published one."""
    ours, theirs = finite(row.get("value")), finite(row.get("published"))
    return None if ours is None or theirs is None else ours - theirs


def signed(value: float) -> str:
    """Write a difference with its sign."""
    text = show(value)
    return text if text.startswith("-") or text == ".000" else f"+{text}"


def notes_of(part: Mapping[str, Any]) -> list[str]:
    """Return the notes of a report, a table or a row as texts."""
    found = [part.get("notes"), part.get("note")]
    lists = [[entry] if isinstance(entry, str) else entry or [] for entry in found]
    return [str(note) for entry in lists for note in entry if note]


def reason(row: Mapping[str, Any], table: Mapping[str, Any]) -> str:
    """Say why the row's value is missing: its own note, else the table's note that fits it."""
    own = notes_of(row)
    metric = re.escape(str(row.get("metric", "")))
    fits = re.compile(rf"(?<![\w+-]){metric}(?![\w+-])")
    about = [note for note in notes_of(table) if "undefined" in note]
    named = [note for note in about if fits.search(note)]
    plain = [note for note in about if note.startswith("undefined")]
    note = next(iter([*own, *named, *plain]), "undefined")
    return note[max(note.find("undefined"), 0) :]


def groups_of(table: Mapping[str, Any]) -> list[str]:
    """Return the groups worth showing: none where there is only one, which is the value itself."""
    groups = [str(group) for group in table.get("groups") or ()]
    return groups if len(groups) > 1 else []


def counted(table: Mapping[str, Any]) -> str:
    """Say how many items a table is about, and of how many sources where some share one."""
    items, units = finite(table.get("items")), finite(table.get("units"))
    if items is None:
        return ""
    shared = units is not None and table.get("unit") == "sources" and units < items
    return f"{items:,.0f} items" + (f" of {units:,.0f} sources" if shared else "")


def metric_of(row: Mapping[str, Any]) -> str:
    """Return the metric's name."""
    return str(row.get("metric", ""))


def statistic_label(statistic: object) -> str:
    """Return the statistic's name with its symbol; an unknown one is its own label."""
    known = _STATISTICS.get(_key(statistic))
    return known[0] if known else str(statistic)


def definitions(report: Mapping[str, Any]) -> list[str]:
    """One sentence for each level and each statistic that the report uses, in order of use."""
    tables = report.get("tables") or []
    levels = [_LEVELS.get(_key(table.get("level", ""))) for table in tables]
    known = [_STATISTICS.get(_key(table.get("statistic", ""))) for table in tables]
    sentences = [*levels, *(entry[1] if entry else None for entry in known)]
    return list(dict.fromkeys(sentence for sentence in sentences if sentence))


def _key(statistic: object) -> str:
    key = re.sub(r"[^a-z]", "", str(statistic).lower().replace("τ", "tau"))
    return _ALIASES.get(key, key)
