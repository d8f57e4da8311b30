"""Corrupted candidates: words dropped, swapped, inserted, replaced, repeated or negated.

They fill the lower end of the quality scale, where few real translations are; the teacher says
how bad each one is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from paraphrast.text.words import WordText

Words = list[str]

AUXILIARIES = frozenset(
    "is are was were will would can could should has have had do does did may might must".split()
)
NEGATIONS = frozenset({"not", "never", "no", "n't"})


def corrupt(text: WordText, vocabulary: Sequence[str], rng: Random) -> WordText:
    """Return the text after one to four random corruptions; texts under three words stay."""
    pieces = _pieces(text)
    if len(pieces) < 3:
        return text
    for _ in range(rng.choice((1, 1, 2, 2, 3, 4))):
        change = rng.choices(_CHANGES, _ODDS)[0]
        pieces = change(pieces, vocabulary, rng)
    return WordText.of("".join(pieces).strip())


def _pieces(text: WordText) -> Words:
    """Each word with the space before it, so that they join to the text again."""
    starts = [0, *(end for _, end in text.spans)][: len(text)]
    return [text.text[start:end] for start, (_, end) in zip(starts, text.spans, strict=True)]


def _drop(words: Words, _vocabulary: Sequence[str], rng: Random) -> Words:
    """Leave out a run of one to three words."""
    length = rng.choice((1, 1, 1, 2, 3))
    place = rng.randrange(max(1, len(words) - length))
    return words[:place] + words[place + length :] or words


def _swap(words: Words, _vocabulary: Sequence[str], rng: Random) -> Words:
    """Exchange two words no more than five apart."""
    if len(words) < 2:
        return words
    first = rng.randrange(len(words) - 1)
    second = min(len(words) - 1, first + rng.randint(1, 5))
    changed = list(words)
    changed[first], changed[second] = words[second], words[first]
    return changed


def _insert(words: Words, vocabulary: Sequence[str], rng: Random) -> Words:
    place = rng.randrange(len(words) + 1)
    return [*words[:place], f" {rng.choice(vocabulary)}", *words[place:]]


def _replace(words: Words, vocabulary: Sequence[str], rng: Random) -> Words:
    place = rng.randrange(len(words))
    return [*words[:place], f" {rng.choice(vocabulary)}", *words[place + 1 :]]


def _repeat(words: Words, _vocabulary: Sequence[str], rng: Random) -> Words:
    place = rng.randrange(len(words))
    return [*words[: place + 1], f" {words[place].strip()}", *words[place + 1 :]]


def _cut(words: Words, _vocabulary: Sequence[str], rng: Random) -> Words:
    """Keep the first half to nine tenths."""
    return words[: max(2, int(len(words) * rng.uniform(0.5, 0.9)))]


def _negate(words: Words, _vocabulary: Sequence[str], rng: Random) -> Words:
    """Take a negation out, or put "not" after an auxiliary; else replace nothing."""
    plain = [word.strip().lower() for word in words]
    negations = [place for place, word in enumerate(plain) if word in NEGATIONS]
    if negations:
        place = rng.choice(negations)
        return words[:place] + words[place + 1 :]
    places = [place for place, word in enumerate(plain) if word in AUXILIARIES]
    if not places:
        return words
    place = rng.choice(places)
    return [*words[: place + 1], " not", *words[place + 1 :]]


_CHANGES: tuple[Callable[[Words, Sequence[str], Random], Words], ...] = (
    _drop,
    _swap,
    _insert,
    _replace,
    _repeat,
    _cut,
    _negate,
)
_ODDS = (4, 3, 2, 3, 1, 1, 3)
