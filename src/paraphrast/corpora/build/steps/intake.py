"""Take sentences in: normalise them, and drop those that are none."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_letters
from typing import TYPE_CHECKING, Any, ClassVar

import regex

from paraphrast.corpora.build.build_step import SENTENCES, BuildStep, build_step
from paraphrast.corpora.build.html_tags import without_tags
from paraphrast.corpora.build.language_check import (
    MODEL,
    NONE,
    Check,
    language_check,
    language_label,
)
from paraphrast.corpora.word_ids import word_tokeniser, words_label
from paraphrast.engine.step import Dropped, Row, Work
from paraphrast.errors import ConfigError, InputError
from paraphrast.text.tokenise import Tokeniser

if TYPE_CHECKING:
    from paraphrast.corpora.build.recipe_run import RecipeRun


EMPTY, SHORT, LONG = "empty", "too short", "too long"
NO_LETTERS, FEW_LETTERS = "no letters", "few letters"

_BLOCK = 1 << 12  # rows looked at together
_JUDGED = 4  # words from which on a sentence's language can be told
_ASCII_LETTERS = ascii_letters.encode()
_LETTER = regex.compile(r"[\p{L}\p{M}]+")
# Line and paragraph marks stand for white space. Of what cannot be seen, joiners are part of words
# (Persian, Indic scripts, emoji); byte-order marks, soft hyphens and directions are not.
_UNSEEN = regex.compile(
    r"[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    r"\ufff9-\ufffb]"
)


def normalise(text: str, *, unescape: bool = False, strip_tags: bool = False) -> str:
    """Return a text in NFC, without control characters and with single spaces.

    Tabs, line ends and the like are white space; `unescape` reads HTML entities first, and
    `strip_tags` then takes HTML's tags out, those that were written with entities too.
    """
    if unescape and "&" in text:
        text = html.unescape(text)
    if strip_tags:
        text = without_tags(text)
    text = " ".join(text.split())
    if text.isascii() and text.isprintable():
        return text
    seen = _UNSEEN.sub("", text)
    return " ".join(unicodedata.normalize("NFC", seen).split())


@build_step("clean", takes=(SENTENCES,), gives=SENTENCES)
@dataclass(frozen=True, kw_only=True)
class CleanStep(BuildStep):
    """Normalise sentences, and drop what is too short, too long, hardly letters or foreign.

    Words are counted by `tokenize`; `letters` is the least share of letters among the characters
    that are no white space. `check` tells how the language is found out: by a "model" (extra
    `language`), by its "script", or not at all ("none"); sentences of fewer than four words are
    too short to tell. `unescape` reads HTML entities, `strip_tags` takes HTML tags out.
    """

    language: str = ""
    check: str = MODEL
    tokenize: str = "unicode"
    min_words: int = 4
    max_words: int = 60
    min_chars: int = 10
    max_chars: int = 500
    letters: float = 0.5
    unescape: bool = False
    strip_tags: bool = True
    name: ClassVar[str] = "clean"

    def __post_init__(self) -> None:
        word_tokeniser(self.tokenize)
        if self.check != NONE and not self.language:
            raise ConfigError('name the language to check, or check = "none"')
        language_check(self.language, self.check)
        for unit in ("words", "chars"):
            least, most = getattr(self, f"min_{unit}"), getattr(self, f"max_{unit}")
            if not 0 <= least <= most:
                raise ConfigError(
                    f"min_{unit} must be between 0 and max_{unit}, which is {most}; got {least}"
                )
        if not 0 <= self.letters <= 1:
            raise ConfigError(f"letters must be between 0 and 1; got {self.letters}")

    @property
    def signature(self) -> Mapping[str, Any]:
        limits = ("min_words", "max_words", "min_chars", "max_chars", "letters")
        return {
            "step": "intake",
            "language": language_label(self.language, self.check),
            "tokenize": words_label(self.tokenize),
            "unicode": unicodedata.unidata_version,
            **{name: getattr(self, name) for name in (*limits, "unescape", "strip_tags")},
        }

    def apply(self, run: RecipeRun) -> None:
        run.each_row(self)
        run.sentences = run.last

    @contextmanager
    def open(self) -> Iterator[Work]:
        tokeniser = word_tokeniser(self.tokenize)
        check = language_check(self.language, self.check)

        def work(rows: Sequence[Row]) -> Iterator[Row | Dropped]:
            for start in range(0, len(rows), _BLOCK):
                yield from self._block(rows[start : start + _BLOCK], tokeniser, check)

        yield work

    def _block(
        self, rows: Sequence[Row], tokeniser: Tokeniser, check: Check
    ) -> Iterator[Row | Dropped]:
        how = {"unescape": self.unescape, "strip_tags": self.strip_tags}
        texts = [normalise(_text(row), **how) for row in rows]
        tokens, mark = tokeniser.marked(texts)
        ends = [place for place, token in enumerate(tokens) if token == mark]
        for row, text, (start, end) in zip(rows, texts, pairwise([-1, *ends]), strict=True):
            words = end - start - 1
            reason, detail = self._against(text, words)
            if not reason and words >= _JUDGED and (found := check(text)):
                reason, detail = f"not language {self.language}", found
            if reason:
                yield Dropped(row, reason, detail)
            else:
                yield row if text == row["text"] else {**row, "text": text}

    def _against(self, text: str, words: int) -> tuple[str, str]:
        """Return what speaks against a text before its language is looked at."""
        if not text:
            return EMPTY, ""
        if words < self.min_words:
            return SHORT, f"{words} words"
        if len(text) < self.min_chars:
            return SHORT, f"{len(text)} characters"
        if words > self.max_words:
            return LONG, f"{words} words"
        if len(text) > self.max_chars:
            return LONG, f"{len(text)} characters"
        if (share := letter_share(text)) < self.letters or not share:
            return (FEW_LETTERS, f"{share:.0%}") if share else (NO_LETTERS, "")
        return "", ""


def letter_share(text: str) -> float:
    """Return the share of letters, and of marks on them, in what is no white space."""
    visible = len(text) - text.count(" ") if text.isascii() else sum(map(len, text.split()))
    if text.isascii():
        raw = text.encode()
        found = len(raw) - len(raw.translate(None, _ASCII_LETTERS))
    else:
        found = sum(map(len, _LETTER.findall(text)))
    return found / visible if visible else 0.0


def _text(row: Row) -> str:
    text = row.get("text")
    if not isinstance(text, str):
        raise InputError(f"row {row.get('id', '?')} has no text: found {text!r}")
    return text
