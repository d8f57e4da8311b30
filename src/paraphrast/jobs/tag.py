"""Tag pairs of texts: the function behind `paraphrast.tag` and `paraphrast tag`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any, overload

from paraphrast.errors import InputError
from paraphrast.io import chunks
from paraphrast.meaning.tag_evaluation import TaggedRow
from paraphrast.meaning.tag_rows import check_text, check_words, read_pairs
from paraphrast.meaning.tagged_pair import TaggedPair, tagged_pair
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.scripts import language_note, letters
from paraphrast.text.words import WordText

_CHUNK = 1024  # enough to find pairs of like length, few enough to hold

Text = str | Sequence[str]
"""A text, or the words of one."""


@overload
def tag(
    a: Text, b: Text, *, model: str = ..., threads: int | None = ..., device: str = ...
) -> TaggedPair: ...
@overload
def tag(
    a: Iterable[tuple[Text, Text]],
    b: None = ...,
    *,
    model: str = ...,
    threads: int | None = ...,
    device: str = ...,
) -> list[TaggedPair]: ...
def tag(
    a: Any,
    b: Any = None,
    *,
    model: str = "mini",
    threads: int | None = None,
    device: str = "cpu",
) -> TaggedPair | list[TaggedPair]:
    """Tag the words of two texts that the other does not say.

    A list of pairs, with `b` left out, gives a list, and is much faster than one call for each.

    a: A text, a list of words, which are kept as they are (spans then point into the words joined
        by single spaces), or a list of pairs of these.
    b: The text to hold it against, or its words.
    model: Weights: "mini", "base", a directory or "org/name".
    threads: Threads of the model; one for each core.
    device: Where the model runs: "cpu", "cuda" or "cuda:1".
    """
    if b is None:
        pairs = [_pair(item, f"pair {number}, ") for number, item in enumerate(_pairs(a), 1)]
    else:
        pairs = [(_word_text(a, "a"), _word_text(b, "b"))]
    tagger = Tagger.load(model, threads=threads, device=device)
    found = tagger.tag(pairs)
    for note in tagger.notes():
        warnings.warn(note, UserWarning, stacklevel=2)
    return found if b is None else found[0]


@dataclass(slots=True)
class Tagger:
    """An encoder that tags, and counts the letters it was not trained on."""

    encoder: EditEncoder
    letters: int = 0
    foreign: int = 0

    @classmethod
    def load(cls, model: str, *, threads: int | None, device: str) -> Tagger:
        return cls(EditEncoder.load(model, threads=threads, device=device))

    def tag(
        self,
        pairs: Sequence[tuple[WordText, WordText]],
        progress: Callable[[int], None] | None = None,
    ) -> list[TaggedPair]:
        card = self.encoder.card
        for side in chain.from_iterable(pairs):
            total, foreign = letters(side.text, card.languages)
            self.letters += total
            self.foreign += foreign
        readings = self.encoder.read(pairs, advance=progress)
        return [
            tagged_pair(pair, reading, threshold=card.thresholds.tag)
            for pair, reading in zip(pairs, readings, strict=True)
        ]

    def notes(self) -> list[str]:
        """Return a warning if most letters were foreign to the model."""
        note = language_note(self.letters, self.foreign, self.encoder.card)
        return [note] if note else []


def tag_rows(
    path: str,
    *,
    gold: bool = False,
    format: str | None = None,
    model: str = "mini",
    threads: int | None = None,
    device: str = "cpu",
    progress: Callable[[int], None] | None = None,
    notes: list[str] | None = None,
) -> Iterator[TaggedRow]:
    """Yield the pairs of a JSONL or TSV file with their tags, reading as it goes.

    `paraphrast.meaning.tag_rows` names the columns. `gold` demands the right tags too. A mistake
    in a later row is raised when it is reached: use no result before the iteration has ended.
    """
    notes = [] if notes is None else notes
    rows = read_pairs(path, gold=gold, format=format, notes=notes)
    tagger = None
    for block in chunks(rows, _CHUNK):
        tagger = tagger or Tagger.load(model, threads=threads, device=device)
        pairs = tagger.tag([row.pair for row in block], progress)
        for row, pair in zip(block, pairs, strict=True):
            yield TaggedRow(row.where, pair, row.gold, row.id)
    notes += tagger.notes() if tagger else []


def tag_texts(
    a: str, b: str, *, model: str, threads: int | None, device: str, notes: list[str]
) -> Iterator[TaggedRow]:
    """Yield one row, that of two texts."""
    pair = _pair((a, b), "")
    tagger = Tagger.load(model, threads=threads, device=device)
    yield TaggedRow("the pair", tagger.tag([pair])[0])
    notes += tagger.notes()


def _pairs(given: Any) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable) or isinstance(given, Set | dict):
        raise InputError("give two texts, or a list of pairs: [(a, b), ...]")
    items = list(given)
    if not items:
        raise InputError("the list of pairs is empty: there is nothing to tag")
    return items


def _pair(item: Any, where: str) -> tuple[WordText, WordText]:
    if isinstance(item, str) or not isinstance(item, Sequence) or len(item) != 2:
        raise InputError(f"{where}expected two texts, (a, b); got {item!r:.40}")
    return _word_text(item[0], f"{where}a"), _word_text(item[1], f"{where}b")


def _word_text(given: Any, where: str) -> WordText:
    if isinstance(given, str):
        return WordText.of(check_text(given, where))
    if not isinstance(given, list | tuple):
        raise InputError(f"{where}: a text or a list of words is needed; got {given!r:.40}")
    words = check_words(list(given), where)
    for number, word in enumerate(words, start=1):
        if word.split() != [word]:  # most likely a list of texts, which would be tagged as one
            raise InputError(
                f"{where}, word {number} holds a space: {word!r:.40}; a list is the words of one "
                "text; for several pairs of texts write [(a, b), ...]"
            )
    return WordText.from_words(words)
