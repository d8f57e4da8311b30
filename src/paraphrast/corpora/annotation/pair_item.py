"""A pair to annotate, and an answer to it; spans are kept as words and as code points alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from paraphrast.corpora.annotation.project_settings import ProjectSettings
from paraphrast.corpora.annotation.refusals import BadAnswer
from paraphrast.io.resume import digest
from paraphrast.text.words import WordText

PURPOSES = ("work", "training", "gold")

Ranges = tuple[tuple[int, int], ...]
"""Spans as words: from the first up to, not including, the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAnswer:
    """What an annotator says of a pair; what the task does not ask for is None or empty.

    `spans1` and `spans2` are the words of each text that the other does not paraphrase.
    """

    label: str | None = None
    spans1: Ranges = ()
    spans2: Ranges = ()
    rating: float | None = None
    edits: tuple[str, ...] = ()

    def to_dict(self, item: PairItem) -> dict[str, Any]:
        """Return the answer with each span as words, as code points and as text."""
        found: dict[str, Any] = {"label": self.label, "rating": self.rating}
        found["spans1"] = [_span(item.text1, span) for span in self.spans1]
        found["spans2"] = [_span(item.text2, span) for span in self.spans2]
        found["edits"] = list(self.edits)
        return found

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> PairAnswer:
        """Read what `to_dict` wrote by its words, or spans that are pairs of numbers."""
        spans = (
            tuple(_words(span) for span in row.get(side) or ()) for side in ("spans1", "spans2")
        )
        first, second = spans
        rating = row.get("rating")
        return cls(
            label=row.get("label"),
            spans1=first,
            spans2=second,
            rating=None if rating is None else float(rating),
            edits=tuple(row.get("edits") or ()),
        )

    def checked(self, item: PairItem, settings: ProjectSettings, *, final: bool) -> PairAnswer:
        """Return the answer in its one form, or say what is wrong with it for this task."""
        _check_parts(self, settings, final=final)
        edits = tuple(kind for kind in settings.edits if kind in self.edits)
        if len(edits) < len(set(self.edits)):
            raise BadAnswer(f"unknown kinds of edits: {sorted({*self.edits} - {*edits})}")
        return PairAnswer(
            label=self.label,
            spans1=_checked_spans(self.spans1, item.text1, "text 1"),
            spans2=_checked_spans(self.spans2, item.text2, "text 2"),
            rating=self.rating,
            edits=edits,
        )

    def tags(self, item: PairItem) -> tuple[list[int], list[int]]:
        """Return for each word of both texts 1 if it is in a span, else 0."""
        return _tags(self.spans1, item.text1), _tags(self.spans2, item.text2)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairItem:
    """A pair of texts with their words; `gold` is the answer that is known beforehand."""

    id: str
    text1: WordText
    text2: WordText
    purpose: str = "work"
    gold: PairAnswer | None = None
    note: str = ""

    @property
    def digest(self) -> str:
        """A digest of the texts and their words: an answer belongs to just these."""
        return digest([_text(self.text1), _text(self.text2)])

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "purpose": self.purpose,
            "text1": _text(self.text1),
            "text2": _text(self.text2),
            "gold": self.gold and self.gold.to_dict(self),
            "note": self.note,
        }

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> PairItem:
        gold = row.get("gold")
        return cls(
            id=row["id"],
            text1=_word_text(row["text1"]),
            text2=_word_text(row["text2"]),
            purpose=row.get("purpose", "work"),
            gold=None if gold is None else PairAnswer.from_dict(gold),
            note=row.get("note", ""),
        )


def ranges_of(tags: Sequence[int]) -> Ranges:
    """Return the runs of words tagged 1."""
    edges = [n for n, (a, b) in enumerate(pairwise([0, *tags, 0])) if a != b]
    return tuple(zip(edges[::2], edges[1::2], strict=True))


def word_range(text: WordText, start: int, end: int) -> tuple[int, int] | None:
    """Return the words that code points from `start` to `end` touch; None if they touch none."""
    touched = [n for n, (a, b) in enumerate(text.spans) if a < end and start < b]
    return (touched[0], touched[-1] + 1) if touched else None


def _check_parts(answer: PairAnswer, settings: ProjectSettings, *, final: bool) -> None:
    for name, value, taken in (
        ("label", answer.label, settings.takes_label),
        ("rating", answer.rating, settings.takes_rating),
        ("span", answer.spans1 or answer.spans2, settings.takes_spans),
    ):
        if value not in (None, ()) and not taken:
            raise BadAnswer(f"the task {settings.task!r} takes no {name}")
    if answer.label is not None and answer.label not in settings.label_names:
        known = ", ".join(settings.label_names)
        raise BadAnswer(f"there is no label {answer.label!r}; the labels are {known}")
    if answer.rating is not None and not settings.lowest <= answer.rating <= settings.highest:
        scale = f"{settings.lowest:g} to {settings.highest:g}"
        raise BadAnswer(f"a rating is from {scale}; got {answer.rating!r}")
    if final and settings.takes_label and answer.label is None:
        raise BadAnswer("choose a label first")
    if final and settings.takes_rating and (answer.rating is None or math.isnan(answer.rating)):
        raise BadAnswer("give a rating first")


def _checked_spans(spans: Ranges, text: WordText, where: str) -> Ranges:
    ordered = tuple(sorted((int(first), int(last)) for first, last in spans))
    for first, last in ordered:
        if not 0 <= first < last <= len(text):
            raise BadAnswer(f"{where} has {len(text)} words; there is no span {first}–{last}")
    for (_, end), (start, _) in pairwise(ordered):
        if start < end:
            raise BadAnswer(f"two spans of {where} overlap at word {start + 1}; join them")
    return ordered


def _span(text: WordText, span: tuple[int, int]) -> dict[str, Any]:
    start, end = text.spans[span[0]][0], text.spans[span[1] - 1][1]
    return {"words": list(span), "characters": [start, end], "text": text.text[start:end]}


def _words(span: Any) -> tuple[int, int]:
    first, last = span["words"] if isinstance(span, Mapping) else span
    return int(first), int(last)


def _tags(spans: Ranges, text: WordText) -> list[int]:
    tags = [0] * len(text)
    for first, last in spans:
        tags[first:last] = [1] * (last - first)
    return tags


def _text(text: WordText) -> dict[str, Any]:
    return {"text": text.text, "words": [list(span) for span in text.spans]}


def _word_text(row: Mapping[str, Any]) -> WordText:
    return WordText(row["text"], tuple((int(a), int(b)) for a, b in row["words"]))
