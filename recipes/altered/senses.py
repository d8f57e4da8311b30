"""Pairs that turn on the sense of a word: a gloss of the right sense, or of the wrong one."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from .grammar import ASIDE, HERE, Family, Grammar, Lexicon, hashed
from .pairs import Pair

VERBS = Lexicon().verbs
SLOTS = {"A": "person", "P": "person", "W": "when"}
OPENINGS = (
    "{t}.",
    "{t}.",
    "{t}.",
    "Is it true that {t}?",
    "I was told that {t}.",
    "They say that {t}.",
)


@dataclass(frozen=True)
class Sense:
    """A sentence with a word in one sense: the word, the right gloss and the wrong one."""

    word: str
    right: str
    wrong: str
    sentence: str
    verb: bool


def senses() -> list[Sense]:
    """Return every sense of every word of senses.toml."""
    read = tomllib.loads((HERE / "senses.toml").read_text(encoding="utf-8"))
    found = []
    for name in ("verbs", "nouns"):
        for line in read[name].strip().split("\n"):
            word, first, second, one, two = (part.strip() for part in line.split(";"))
            found.append(Sense(word, first, second, one, name == "verbs"))
            found.append(Sense(word, second, first, two, name == "verbs"))
    for line in read["idioms"].strip().split("\n"):
        word, meant, literal, sentence = (part.strip() for part in line.split(";"))
        found.append(Sense(word, meant, literal, sentence, verb=True))
    return found


def sense_pairs(seed: int, count: int, *, aside: bool) -> Iterator[Pair]:
    """Yield distinct pairs of words that belong to one of the splits."""
    rng = random.Random(f"{seed}-senses-{aside}")
    grammar = Grammar(Lexicon(), rng)
    pool = [each for each in senses() if (hashed(each.word, ASIDE) == 0) == aside]
    seen: set[tuple[str, str]] = set()
    for number in range(2 * count):
        sense = rng.choice(pool)
        pair = grammar.pair(_family(sense, rng.choice(OPENINGS), aside), same=number % 2 == 0)
        if pair and (pair.text1, pair.text2) not in seen:
            seen |= {(pair.text1, pair.text2), (pair.text2, pair.text1)}
            yield pair


def _family(sense: Sense, opening: str, aside: bool) -> Family:
    one = [_filled(sense, word, opening) for word in (sense.word, sense.right)]
    two = [_filled(sense, word, opening) for word in (sense.wrong, sense.wrong)]
    return Family(
        "sense", SLOTS, one, two, None, None, None, opening == "{t}.", aside, f"sense-{sense.word}",
        1.0,
    )  # fmt: skip


def _filled(sense: Sense, word: str, opening: str) -> str:
    bare = word.removeprefix("the ")
    text = sense.sentence
    for before in ("the last", "the top", "every", "great", "A greasy", "another"):
        text = text.replace(f"{before} _", f"{before} {bare}")
    if opening != "{t}." and text[0].isalpha():
        text = text[0].lower() + text[1:]
    past = VERBS.form(word, "past") if sense.verb and "~" in text else word
    return opening.replace("{t}", text.replace("_", word).replace("~", past))
