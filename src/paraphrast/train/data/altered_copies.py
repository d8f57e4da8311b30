"""Altered copies of tagged pairs: a name, a number or a word of one text becomes another.

A changed word that the other text had as well is no longer paraphrased, on either side, so the
tags of the copy are known without a teacher; and what named the one thing now names another, so the
copy entails nothing.
"""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from random import Random

import regex

from paraphrast.text.words import WordText
from paraphrast.train.data.examples import Example, entailed

NUMBER, NAME = "a number", "a name"  # kinds of words, beside the endings of plain ones
MOST = 3  # words altered in one copy
SHORTEST = 4  # letters of a plain word that may be altered
_TABLE = tomllib.loads(
    files(__package__).joinpath("altered_words.toml").read_text(encoding="utf-8")
)
FUNCTION_WORDS = frozenset(_TABLE["function_words"].split())
OPPOSITES: dict[str, str] = {
    one: other
    for pair in _TABLE["opposites"].split()
    for one, other in (pair.split("/"), reversed(pair.split("/")))
}
_FIGURES = regex.compile(r"[0-9]+([.,][0-9]+)*")


def altered(rows: Sequence[Example], share: float, seed: int) -> list[Example]:
    """Return altered copies of a share of the tagged rows, those that have a word for it."""
    if not share:
        return []
    rng = Random(seed)  # noqa: S311
    words = _by_kind(rows)
    chosen = rng.sample(rows, round(share * len(rows)))
    copies = (_alter(row, words, rng) for row in chosen)
    return [copy for copy in copies if copy is not None]


def _alter(row: Example, words: dict[str, list[str]], rng: Random) -> Example | None:
    """Change words that both texts have, once each, and that are paraphrased in both."""
    if row.tags_a is None or row.tags_b is None:
        return None
    in_a, in_b = ([word.casefold() for word in side.words] for side in (row.a, row.b))
    counts_a, counts_b = Counter(in_a), Counter(in_b)
    new, tags_a, tags_b = list(row.b.words), row.tags_a.copy(), row.tags_b.copy()
    places = {
        place: in_a.index(plain)
        for place, plain in enumerate(in_b)
        if counts_a[plain] == counts_b[plain] == 1 and _kind(new[place], place)
    }
    free = [place for place, other in places.items() if not tags_b[place] and not tags_a[other]]
    for place in rng.sample(free, min(len(free), rng.randint(1, MOST))):
        word = _other(new[place], place, words, rng)
        if counts_a[word.casefold()] or counts_b[word.casefold()]:
            continue
        new[place] = word
        tags_a[places[place]] = tags_b[place] = 1
    if new == row.b.words:
        return None
    b = WordText.from_words(new)
    return replace(
        row,
        b=b,
        score=None,
        forward=entailed(0.0),
        backward=entailed(0.0),
        same=0.0,
        tags_a=tags_a,
        tags_b=tags_b,
    )


def _other(word: str, place: int, words: dict[str, list[str]], rng: Random) -> str:
    """An opposite where one is known, else a word of the same kind; of a number, other digits."""
    kind = _kind(word, place)
    if kind == NUMBER:
        return "".join(str(rng.randint(1, 9)) if char.isdigit() else char for char in word)
    return OPPOSITES.get(word) or rng.choice(words[kind])


def _by_kind(rows: Sequence[Example]) -> dict[str, list[str]]:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        for place, word in enumerate(row.b.words):
            found[_kind(word, place)][word] = None
    return {kind: list(words) for kind, words in found.items()}


def _kind(word: str, place: int) -> str:
    """Numbers, names, and plain words by their endings, which stand in for the part of speech.

    Nothing for what is not to be altered: function words, marks, short words, and the first word
    of a text if it has a capital, which may be there for its place.
    """
    if _FIGURES.fullmatch(word):
        return NUMBER
    if not word.isalpha() or word in FUNCTION_WORDS:
        return ""
    if word[0].isupper():
        return NAME if place else ""
    return word[-2:] if word in OPPOSITES or len(word) >= SHORTEST else ""
