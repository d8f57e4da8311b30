"""Words and where they stand: what the tagger tags.

A word is a run of letters, marks and digits, with the apostrophes, hyphens, stops and commas that
stand between two of them ("don't", "well-known", "1,000.5"); a character of a script written
without spaces (Han, kana, Thai, Lao, Khmer, Burmese); or any other visible grapheme (a
punctuation mark, an emoji with its modifiers).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

Span = tuple[int, int]

_SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_LETTER = rf"[\p{{L}}\p{{M}}\p{{N}}--[{_SPACELESS}]]"
_WORD = regex.compile(rf"[{_SPACELESS}]\p{{M}}*|{_LETTER}+(?:['’.,\-‐]{_LETTER}+)*|\X", regex.V1)
_UNSEEN = regex.compile(r"[\s\p{C}]*")


def word_spans(text: str) -> list[Span]:
    """Return the start and end of each word; spaces and control characters are in none.

    >>> word_spans("We don't know.")
    [(0, 2), (3, 8), (9, 13), (13, 14)]
    """
    return [match.span() for match in _WORD.finditer(text) if not _UNSEEN.fullmatch(match.group())]


@dataclass(frozen=True, slots=True)
class WordText:
    """A text and the words in it."""

    text: str
    spans: tuple[Span, ...]

    @classmethod
    def of(cls, text: str) -> WordText:
        return cls(text, tuple(word_spans(text)))

    @classmethod
    def from_words(cls, words: Sequence[str]) -> WordText:
        """Join given words with spaces; each stays one word, whatever is in it."""
        spans = []
        start = 0
        for word in words:
            spans.append((start, start + len(word)))
            start += len(word) + 1
        return cls(" ".join(words), tuple(spans))

    @property
    def words(self) -> list[str]:
        return [self.text[start:end] for start, end in self.spans]

    def __len__(self) -> int:
        return len(self.spans)

    def part(self, first: int, last: int) -> WordText:
        """Return the words from `first` up to, not including, `last`, with the text they span."""
        if not self.spans[first:last]:
            return WordText("", ())
        begin, end = self.spans[first][0], self.spans[last - 1][1]
        spans = tuple((a - begin, b - begin) for a, b in self.spans[first:last])
        return WordText(self.text[begin:end], spans)
