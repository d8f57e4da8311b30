"""Altered copies of tagged pairs: a name, a number or a word of one text becomes another.

A changed word that the other text had as well is no longer paraphrased, on either side, so the
tags of the copy are known without a teacher; and what named the one thing now names another, so the
copy entails nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

from paraphrast.text.words import WordText
from paraphrast.train.examples import Example

MOST = 3  # words altered in one copy
SHORTEST = 4  # letters of a plain word that may be altered
OPPOSITES = {
    one: other
    for first, second in (
        pair.split("/")
        for pair in (
            "accepted/rejected above/below after/before agreed/refused allowed/banned "
            "always/never arrived/left asked/answered began/ended best/worst better/worse "
            "bigger/smaller bought/sold buy/sell buying/selling cheap/expensive city/village "
            "closed/opened cold/hot day/night died/lived earlier/later early/late east/west "
            "easy/difficult everyone/nobody father/mother female/male few/many first/last "
            "found/lost gained/lost good/bad happy/sad hate/love high/low higher/lower "
            "husband/wife increase/decrease increased/decreased inside/outside large/small "
            "left/right less/more long/short maximum/minimum men/women morning/evening "
            "most/least near/far new/old north/south old/young over/under public/private "
            "raised/lowered rich/poor rise/fall rose/fell son/daughter started/stopped "
            "strong/weak success/failure summer/winter true/false up/down victory/defeat "
            "win/lose winner/loser with/without won/lost"
        ).split()
    )
    for one, other in ((first, second), (second, first))
}


def altered(rows: Sequence[Example], share: float, seed: int) -> list[Example]:
    """Return altered copies of a share of the tagged rows, those that have a word for it."""
    if not share:
        return []
    rng = Random(seed)  # noqa: S311
    words = _kinds(
        word
        for row in rows
        for place, word in enumerate(row.b.words)
        if place or not word[0].isupper()
    )
    chosen = rng.sample(rows, round(share * len(rows)))
    copies = (_alter(row, words, rng) for row in chosen)
    return [copy for copy in copies if copy is not None]


def _alter(row: Example, words: dict[str, list[str]], rng: Random) -> Example | None:
    """Change words that both texts have, once each, and that are paraphrased in both."""
    if row.tags_a is None or row.tags_b is None:
        return None
    in_a, in_b = Counter(row.a.words), Counter(row.b.words)
    places = [
        place
        for place, word in enumerate(row.b.words)
        if in_a[word] == in_b[word] == 1
        and _kind(word)
        and (place or not word[0].isupper())  # the first word has its capital for another reason
        and not row.tags_b[place]
        and not row.tags_a[row.a.words.index(word)]
    ]
    if not places:
        return None
    new, tags_a, tags_b = list(row.b.words), row.tags_a.copy(), row.tags_b.copy()
    for place in rng.sample(places, min(len(places), rng.randint(1, MOST))):
        word = new[place]
        other = _other(word, words, rng)
        if in_a[other] or in_b[other]:
            continue
        tags_a[row.a.words.index(word)] = tags_b[place] = 1
        new[place] = other
    if new == row.b.words:
        return None
    b = WordText.from_words(new)
    return replace(row, b=b, score=None, entailment=0.0, tags_a=tags_a, tags_b=tags_b)


def _other(word: str, words: dict[str, list[str]], rng: Random) -> str:
    """An opposite where one is known, else a word of the same kind."""
    return OPPOSITES.get(word) or rng.choice(words[_kind(word)])


def _kinds(words: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for word in words:
        found[_kind(word)][word] = None
    return {kind: list(of_kind) for kind, of_kind in found.items() if kind}


def _kind(word: str) -> str:
    """Numbers, names, and plain words by their endings, which stand in for the part of speech."""
    if any(char.isdigit() for char in word):
        return "number"
    if not word.isalpha():
        return ""
    if word[0].isupper():
        return "name"
    if word in OPPOSITES or len(word) >= SHORTEST:
        return word[-2:]
    return ""
