"""Tagged texts for a terminal: what the other text does not say is underlined, or in brackets."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TextIO

from paraphrast.render.terminal.tables import align
from paraphrast.render.values import show

_COLOUR = "\x1b[1;4;31m{}\x1b[0m"  # bold, underlined, red: no reader depends on the hue alone
_BRACKETS = "[{}]"
_SPACES = re.compile(r"[\t-\r\x1c-\x1f\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class TaggedWords(Protocol):
    """One text, its words' places in it, their tags and probabilities of being paraphrased."""

    @property
    def text(self) -> str: ...
    @property
    def spans(self) -> Sequence[tuple[int, int]]: ...
    @property
    def tags(self) -> Sequence[int]: ...
    @property
    def probabilities(self) -> Sequence[float]: ...


class TaggedTexts(Protocol):
    """Two texts tagged against each other, and in how many windows they were read."""

    @property
    def a(self) -> TaggedWords: ...
    @property
    def b(self) -> TaggedWords: ...
    @property
    def windows(self) -> int: ...


def wants_colour(stream: TextIO | None) -> bool:
    """Whether to write colours: to a terminal that has them, unless NO_COLOR is set."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def legend(*, colour: bool = False) -> str:
    """Say what the mark means."""
    return f"{_mark('word', colour)}: the other text does not say it"


def pair_text(
    pair: TaggedTexts, *, names: tuple[str, str] = ("a", "b"), colour: bool = False
) -> str:
    """Return both texts, a line each, with the words tagged 1 marked."""
    width = max(map(len, names))
    return "\n".join(
        f"{name:<{width}}  {marked(side, colour=colour)}".rstrip()
        for name, side in zip(names, (pair.a, pair.b), strict=True)
    )


def marked(side: TaggedWords, *, colour: bool = False) -> str:
    """Return a text on one line with the words tagged 1 marked, neighbours under one mark.

    Control characters, which could command the terminal, become spaces or U+FFFD.
    """
    pieces, done = [], 0
    for start, end in runs(side):
        pieces.append(printable(side.text[done:start]))
        pieces.append(_mark(printable(side.text[start:end]), colour))
        done = end
    return "".join([*pieces, printable(side.text[done:])]).strip()


def runs(side: TaggedWords) -> list[tuple[int, int]]:
    """Return the stretches of words tagged 1; only a word tagged 0 parts two of them."""
    found: list[tuple[int, int]] = []
    joined = False
    for (start, end), tag in zip(side.spans, side.tags, strict=True):
        if tag:
            found.append((found.pop()[0], end) if joined else (start, end))
        joined = bool(tag)
    return found


def printable(text: str) -> str:
    """Replace what is no visible character: line ends and tabs by spaces, others by U+FFFD."""
    return _CONTROLS.sub("\ufffd", _SPACES.sub(" ", text))


def _mark(text: str, colour: bool) -> str:
    return (_COLOUR if colour else _BRACKETS).format(text)


def evaluation_rows(evaluation: Mapping[str, Any]) -> list[list[str]]:
    """Return the header and the rows of the table of tag 1."""
    rows = [["tag 1", "precision", "recall", "F1"]]
    for name, title in (("tagger", "tagger"), ("baseline", "word absent from the other text")):
        rows.append(
            [title, *(show(evaluation[name][key]) for key in ("precision", "recall", "f1"))]
        )
    return rows


def evaluation_count(evaluation: Mapping[str, Any]) -> str:
    """Say over how much the evaluation was made."""
    return (
        f"{evaluation['pairs']:,} pair{'s' * (evaluation['pairs'] != 1)}, "
        f"{evaluation['words']:,} words, {evaluation['gold']:,} of them to be tagged 1"
    )


def evaluation_text(evaluation: Mapping[str, Any]) -> str:
    """Lay the evaluation out for a terminal: the tagger beside the baseline."""
    return f"{align(evaluation_rows(evaluation))}\n\n{evaluation_count(evaluation)}"
