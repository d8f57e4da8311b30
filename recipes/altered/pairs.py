"""A labelled pair of sentences, its word tags, and where the two texts differ."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import Any

KINDS = (
    "number", "name", "negation", "roles", "antonym", "modality", "tense", "quantity",
    "time_order", "cause", "condition", "comparison", "attribution", "detail", "sense",
    "attachment",
)  # fmt: skip
REASONS = {"number": "number", "name": "name", "negation": "negation"}
_TOKEN = re.compile(
    r"(?:[A-Za-z]\.){2,}|\d+(?:[.,:/]\d+)*|\w+(?=n['’]t\b)|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b"
    r"|[^\W\d_]+(?:-\w+)*|\w+|[^\w\s]"
)
_LONGEST = 6
Span = tuple[int, int]


@dataclass(frozen=True)
class Pair:
    """Two texts and what is known of them; `near` says that they differ only in what changed."""

    kind: str
    same: bool
    text1: str
    text2: str
    source: str
    nli: str | None = None
    nli_back: str | None = None
    near: bool = False
    reason: str | None = None
    origin: str = ""  # the sentence or family it comes from: splits keep these apart

    def turned(self) -> Pair:
        """Return the pair in the other order."""
        reasons = {"missing": "added", "added": "missing"}
        return replace(
            self, text1=self.text2, text2=self.text1, nli=self.nli_back, nli_back=self.nli,
            reason=reasons.get(self.reason or "", self.reason),
        )  # fmt: skip


def tokens(text: str) -> list[re.Match[str]]:
    """Return the words and marks of a text, with their places."""
    return list(_TOKEN.finditer(text))


def difference(text1: str, text2: str) -> tuple[list[int], list[int], Span, Span]:
    """Return tags of both texts (1: the other has no such word there) and the spans that differ."""
    one, two = tokens(text1), tokens(text2)
    a, b = [m[0].lower() for m in one], [m[0].lower() for m in two]
    blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    changed = [block for block in blocks if block[0] != "equal"]
    tags1, tags2 = [0] * len(a), [0] * len(b)
    for _, i1, i2, j1, j2 in changed:
        tags1[i1:i2] = [1] * (i2 - i1)
        tags2[j1:j2] = [1] * (j2 - j1)
    if not changed:
        return tags1, tags2, (0, 0), (0, 0)
    first, last = changed[0], changed[-1]
    return tags1, tags2, _span(one, first[1], last[2]), _span(two, first[3], last[4])


def _span(found: list[re.Match[str]], first: int, stop: int) -> Span:
    if first < stop:
        return found[first].start(), found[stop - 1].end()
    place = found[first].start() if first < len(found) else (found[-1].end() if found else 0)
    return place, place


def row(pair: Pair, key: str) -> dict[str, Any]:
    """Return the row that is written: unchanged pairs have no tag set, far pairs have no tags."""
    given = asdict(pair)
    made = {"id": key, **{k: given[k] for k in ("kind", "same", "text1", "text2")}}
    words1 = [m[0] for m in tokens(pair.text1)]
    words2 = [m[0] for m in tokens(pair.text2)]
    tags1: list[int] | None = None
    tags2: list[int] | None = None
    altered: list[Span] | None = None
    if pair.same:
        tags1, tags2 = [0] * len(words1), [0] * len(words2)
    elif pair.near:
        tags1, tags2, *spans = difference(pair.text1, pair.text2)
        altered = list(spans)
    both = "entailment" if pair.same else None
    return {
        **made,
        "nli": both or pair.nli,
        "nli_back": both or pair.nli_back,
        "tokens1": words1,
        "tokens2": words2,
        "tags1": tags1,
        "tags2": tags2,
        "altered": altered,
        "reason": None if pair.same else pair.reason or REASONS.get(pair.kind, "changed"),
        "source": pair.source,
    }


def chrf(text1: str, text2: str) -> float:
    """Return the mean F1 of character n-grams up to six, spaces left out: symmetric chrF."""
    one, two = ("".join(text.split()) for text in (text1, text2))
    found = []
    for size in range(1, _LONGEST + 1):
        a = Counter(one[i : i + size] for i in range(len(one) - size + 1))
        b = Counter(two[i : i + size] for i in range(len(two) - size + 1))
        total = sum(a.values()) + sum(b.values())
        if total:
            found.append(2 * sum((a & b).values()) / total)
    return sum(found) / len(found) if found else 0.0
