"""Texts longer than a language model reads or writes: cut at sentences, nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Callable

from paraphrast.text.sentences import split_sentences

Fits = Callable[[str], bool]
_PAUSE = re.compile(r"(?<=[;:,、，；：—–])\s*|\s+")


def sentences(text: str, fits: Fits) -> list[str]:
    """Return the sentences of a text; one that does not fit is halved until its parts do.

    It is cut at a pause, or between words, near its middle; a word that is too long, inside. A
    single character that does not fit stays as it is.
    """
    return [piece for each in split_sentences(text) for piece in _halved(each, fits)]


def packed(text: str, fits: Fits) -> list[str]:
    """Cut a text into as few pieces that fit as its sentences, one after the other, give."""
    spans: list[tuple[int, int]] = []
    last = 0
    for piece in sentences(text, fits):
        start = text.index(piece, last)
        last = start + len(piece)
        if spans and fits(text[spans[-1][0] : last]):
            spans[-1] = spans[-1][0], last
        else:
            spans.append((start, last))
    return [text[start:end] for start, end in spans]


def _halved(text: str, fits: Fits) -> list[str]:
    if len(text) < 2 or fits(text):
        return [text]
    middle = len(text) // 2
    pauses = (m for m in _PAUSE.finditer(text, 1, len(text) - 1) if m.end() < len(text))
    # a pause a quarter of the text away is as good as a mere space in the middle
    best = min(
        pauses,
        key=lambda m: abs(m.end() - middle) + (len(text) // 4) * text[m.start() - 1].isalnum(),
        default=None,
    )
    ends, starts = best.span() if best else (middle, middle)
    return [cut for half in (text[:ends], text[starts:]) for cut in _halved(half, fits)]
