"""Altered copies of tagged pairs: a name, a number or a word of one text becomes another.

A changed word that the other text had as well is no longer paraphrased, on either side, so the
tags of the copy are known without a teacher; and what named the one thing now names another, so the
copy entails nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import regex

from paraphrast.text.words import WordText
from paraphrast.train.data.examples import Example, entailed

NUMBER, NAME = "a number", "a name"  # kinds of words, beside the endings of plain ones
MOST = 3  # words altered in one copy
SHORTEST = 4  # letters of a plain word that may be altered
FUNCTION_WORDS = frozenset(
    "about again also among been being both could does during each either else even every "
    "from have having here hers herself him himself into itself just might must neither only "
    "other others ours ourselves same shall should some such than that their theirs them "
    "themselves then there these they this those though through thus toward towards upon very "
    "were what when where whether which while whom whose will would your yours yourself "
    "yourselves".split()
)
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
