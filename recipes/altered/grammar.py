"""A grammar of two meanings: families of wordings filled with words of the lexicon.

A wording is a sentence with slots: `{A}` is an entry, `{V.past}` a form of a verb phrase, `{P.1}`
a field of an entry that has several, `{P.1.past}` both; `(x|y|)` stands for any of its parts, which
mean the same. In a family with `swap`, the second meaning is the first with two slots exchanged.
"""

from __future__ import annotations

import hashlib
import random
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .inflection import Verbs
from .pairs import Pair

HERE = Path(__file__).parent
ASIDE = 6  # one entry of so many, and one family, are kept for the held-out split
WRAPPED = 0.35  # the share of statements that stand inside a frame
NEAR = 0.5  # the share of changed pairs of one wording
TRIES = 30
_SLOT = re.compile(r"\{(\w+)((?:\.\w+)*)\}")
_CHOICE = re.compile(r"\(([^()]*)\)")
_NAMED = re.compile(r"^(?:[A-Z]|I\b|[\d$€£])")


@dataclass(frozen=True)
class Family:
    """Wordings of one meaning, and of another that must not be taken for it."""

    kind: str
    slots: dict[str, str]
    one: list[str]
    two: list[str]
    nli: str | None
    back: str | None
    reason: str | None
    framed: bool
    aside: bool
    key: str
    weight: float
    unlike: list[tuple[str, str]] = field(default_factory=list)


def entries(text: str) -> list[str]:
    """Return the entries of a list of the lexicon."""
    parts = re.split(r",\s+|,?\s*\n", text.strip())
    return [part.strip() for part in parts if part.strip()]


def hashed(text: str, of: int) -> int:
    """Return a number below `of` that depends on the text alone."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) % of


class Lexicon:
    """Lists of words in two parts that share no entry: one to train on, one held out."""

    def __init__(self, path: Path = HERE / "lexicon.toml") -> None:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
        self.verbs = Verbs.read(read["verbs"])
        self.lists = {name: entries(text) for name, text in read["words"].items()}
        numbers = read["numbers"]
        self.units, self.tens = numbers["units"].split(), numbers["tens"].split()
        self.months = numbers["months"].split()
        for name in ("equal", "share", "amount", "price", "clock"):
            self.lists[name] = entries(numbers[name])
        self.lists |= self._built()

    def _built(self) -> dict[str, list[str]]:
        words = self.lists
        the = [f"the {each}" for each in words["profession"]]
        counts = [f"{n}|{self.cardinal(n)}" for n in range(3, 100)]
        dates = [
            f"{day} {month}|{month} {day}|the {self.ordinal(day)} of {month}"
            for number, month in enumerate(self.months)
            for day in range(2 + number % 3, 29, 4)
        ]
        years = [f"{year}|the year {year}" for year in range(1950, 2024)]
        return {
            "person": [*the, *words["first_name"], *words["relation"]],
            "the_profession": the,
            "the_thing": [f"the {each}" for each in words["thing"]],
            "count": counts, "date": dates, "year": years,
        }  # fmt: skip

    def cardinal(self, number: int) -> str:
        """Return a number below a hundred in words."""
        if number < len(self.units):
            return self.units[number]
        ten, rest = divmod(number, 10)
        return self.tens[ten - 2] + (f"-{self.units[rest]}" if rest else "")

    @staticmethod
    def ordinal(day: int) -> str:
        """Return a day of the month with its ending: 1st, 2nd, 3rd."""
        ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
        return f"{day}{ending}"

    def part(self, name: str, *, aside: bool) -> list[str]:
        """Return the entries of a list that belong to one of the splits; all, if it is short."""
        whole = self.lists[name]
        if len(whole) < 2 * ASIDE:
            return whole
        return [each for each in whole if (hashed(each, ASIDE) == 0) == aside] or whole


def families(folder: Path = HERE) -> list[Family]:
    """Return the families of every file of families."""
    found = []
    for path in sorted(folder.glob("families_*.toml")):
        for number, each in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["family"]):
            found.append(_family(each, f"{path.stem}-{number}"))
    return found


def _family(given: dict[str, Any], key: str) -> Family:
    one = [line.strip() for line in given["one"].strip().split("\n")]
    if "swap" in given:
        a, b = given["swap"].split()
        two = [_swapped(line, a, b) for line in one]
    else:
        two = [line.strip() for line in given["two"].strip().split("\n")]
    slots = dict(pair.split(":") for pair in given.get("slots", "").split())
    return Family(
        given["kind"], slots, one, two, given.get("nli"), given.get("back", given.get("nli")),
        given.get("reason"), given.get("framed", True), given.get("aside", False), key,
        given.get("weight", 1.0),
    )  # fmt: skip


def _swapped(line: str, a: str, b: str) -> str:
    other = {a: b, b: a}
    return _SLOT.sub(lambda m: f"{{{other.get(m[1], m[1])}{m[2]}}}", line)


class Grammar:
    """Writes pairs of a family by chance."""

    def __init__(self, lexicon: Lexicon, rng: random.Random) -> None:
        self._lexicon, self._rng = lexicon, rng
        read = tomllib.loads((HERE / "frames.toml").read_text(encoding="utf-8"))
        self._frames = [text.strip().split("\n") for text in read["frames"]]

    def pair(self, family: Family, *, same: bool) -> Pair | None:
        """Return a pair of two wordings; None if chance gave one text twice."""
        for _ in range(TRIES):
            filled = self._filling(family)
            left, right = (family.one, family.two)
            if self._rng.random() < 0.5:
                left, right = right, left
            first, second = self._chosen(left, left if same else right, same=same)
            frame = self._frame(family)
            text1, text2 = (
                self._said(w, filled, f) for w, f in zip((first, second), frame, strict=True)
            )
            if text1 != text2:
                return self._made(
                    family,
                    (text1, text2),
                    same,
                    left is family.two,
                    frame[0] == frame[1] and self._level(family, first, second),
                )
        return None

    def _chosen(self, left: list[str], right: list[str], *, same: bool) -> tuple[str, str]:
        first = self._rng.randrange(len(left))
        if same:
            other = [n for n in range(len(left)) if n != first]
            return left[first], left[self._rng.choice(other)]
        if self._rng.random() < NEAR and first < len(right):
            return left[first], right[first]
        return left[first], self._rng.choice(right)

    def _level(self, family: Family, first: str, second: str) -> bool:
        """Tell whether two wordings are the same one of their meanings."""
        places = [(w.index(t)) for w, t in ((family.one, first), (family.two, second)) if t in w]
        other = [(w.index(t)) for w, t in ((family.two, first), (family.one, second)) if t in w]
        return (len(places) == 2 and places[0] == places[1]) or (
            len(other) == 2 and other[0] == other[1]
        )

    def _made(
        self, family: Family, texts: tuple[str, str], same: bool, turned: bool, near: bool
    ) -> Pair:
        nli, back = family.nli, family.back
        pair = Pair(
            family.kind, same, *texts, "grammar", nli, back, near and not same, family.reason,
            family.key,
        )  # fmt: skip
        if turned:  # the labels are of the first meaning beside the second
            back_pair = pair.turned()
            pair = Pair(
                family.kind, same, *texts, "grammar", back_pair.nli, back_pair.nli_back,
                pair.near, back_pair.reason, family.key,
            )  # fmt: skip
        return pair.turned() if self._rng.random() < 0.5 else pair

    def _filling(self, family: Family) -> dict[str, str]:
        taken: dict[str, str] = {}
        heads: set[str] = set()
        for slot, name in family.slots.items():
            pool = self._lexicon.part(name, aside=family.aside)
            entry = self._rng.choice(pool)
            for _ in range(TRIES):
                fields = set(entry.split("|"))
                if not fields & heads:
                    break
                entry = self._rng.choice(pool)
            taken[slot] = entry
            heads |= set(entry.split("|"))
        return taken

    def _frame(self, family: Family) -> tuple[str, str]:
        if not family.framed or self._rng.random() > WRAPPED:
            return "{s}", "{s}"
        group = self._rng.choice(self._frames)
        if self._rng.random() < 0.4:
            chosen = self._rng.choice(group)
            return chosen, chosen
        return self._rng.choice(group), self._rng.choice(group)

    def _said(self, wording: str, filled: dict[str, str], frame: str) -> str:
        while _CHOICE.search(wording):
            wording = _CHOICE.sub(lambda m: self._rng.choice(m[1].split("|")), wording)
        text = _SLOT.sub(lambda m: self._word(filled[m[1]], m[2]), wording)
        if frame != "{s}" and text.endswith(".") and ". " not in text:
            inner = text if wording.startswith(("{", '"')) else text[:1].lower() + text[1:]
            text = frame.replace("{s}", inner)
        return polished(text)

    def _word(self, entry: str, path: str) -> str:
        for step in path.split(".")[1:]:
            entry = entry.split("|")[int(step)] if step.isdigit() else self._formed(entry, step)
        return entry

    def _formed(self, entry: str, step: str) -> str:
        if step == "an":
            return ("an " if entry[0] in "aeioAEIO" else "a ") + entry
        if step == "up":
            return entry[:1].upper() + entry[1:]
        if step == "bare":
            return entry.removeprefix("the ")
        return self._lexicon.verbs.form(entry, step)


def polished(text: str) -> str:
    """Return a text with single spaces and a capital at the beginning of each sentence."""
    text = " ".join(text.split())
    text = re.sub(r" ([,.?!;:])", r"\1", text).replace("..", ".").replace(",,", ",")
    text = re.sub(r"\b(a\.m|p\.m)\.\.", r"\1.", text)
    return re.sub(
        r"(^|(?<!p\.m)(?<!a\.m)[.?!:] \"?|^\")([a-z])", lambda m: m[1] + m[2].upper(), text
    )


def drawn(seed: int, count: int, *, aside: bool, kind: str) -> Iterator[Pair]:
    """Yield distinct pairs of a kind, equally of both classes, from families of one split."""
    rng = random.Random(f"{seed}-{kind}-{aside}")
    grammar = Grammar(Lexicon(), rng)
    pool = [f for f in families() if f.kind == kind and f.aside == aside]
    seen: set[tuple[str, str]] = set()
    for same in (True, False):
        for _ in range(count):
            family = rng.choices(pool, [f.weight for f in pool])[0]
            pair = grammar.pair(family, same=same)
            if pair and (pair.text1, pair.text2) not in seen:
                seen |= {(pair.text1, pair.text2), (pair.text2, pair.text1)}
                yield pair
