"""Other words for the same: groups that fit in nearly every context, quotations, short forms."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

Doc = Any

VERBS = [
    "purchase buy", "attempt try", "permit allow", "utilize use", "assist help", "select choose",
    "commence begin start", "reside live", "construct build", "inform tell", "respond reply",
    "delay postpone", "vow pledge promise", "occur happen", "halt stop", "depart leave",
    "seem appear", "combat fight", "complete finish", "injure hurt", "alter change", "aid help",
    "conceal hide", "demonstrate show", "require need", "discover find", "obtain get",
    "retain keep", "locate find", "examine inspect", "assemble gather",
    "slay kill", "slump fall", "soar surge", "anticipate expect",
    "inquire ask", "notify inform", "compel force", "prohibit ban",
]  # fmt: skip
NOUNS = [
    "company firm", "physician doctor", "attorney lawyer", "automobile car", "movie film",
    "kid child", "inquiry investigation probe", "error mistake", "legislator lawmaker",
    "accord agreement", "airplane plane", "goal aim", "illness disease",
    "spokesman spokesperson", "spokeswoman spokesperson", "blaze fire",
    "employee worker", "infant baby", "region area", "response reply",
    "author writer", "assistance help aid", "objective goal",
    "opponent rival", "occupation job", "sum amount",
]  # fmt: skip
ADJECTIVES = [
    "big large", "important significant", "whole entire", "ill sick", "quick fast rapid",
    "huge enormous massive", "difficult hard", "wealthy rich", "famous well-known",
    "crucial vital critical", "annual yearly", "main primary", "correct right",
    "lethal deadly", "tiny small", "adequate sufficient", "previous earlier", "furious angry",
    "entire whole", "prior previous", "costly expensive", "vacant empty", "global worldwide",
]  # fmt: skip
ADVERBS = [
    "approximately about roughly", "nearly almost", "frequently often", "primarily mainly",
    "mostly mainly largely", "rapidly quickly", "currently now", "recently lately",
    "perhaps maybe", "previously earlier", "immediately instantly", "initially first",
    "entirely completely", "likely probably",
]  # fmt: skip
GROUPS = {"VERB": VERBS, "NOUN": NOUNS, "ADJ": ADJECTIVES, "ADV": ADVERBS}
ONE_WAY = set(  # what may be replaced, but does not replace: it has other senses, or another frame
    "get find live leave fall right many first now help keep kid slump lately maybe".split()
)
PHRASES = [
    ("in order to", "to"), ("because of", "due to"), ("despite", "in spite of"),
    ("prior to", "before"), ("regarding", "about"), ("concerning", "about"),
    ("news conference", "press conference"), ("the United States", "the U.S."),
    ("as well as", "and"), ("at the moment", "currently"), ("in addition", "additionally"),
    ("per cent", "percent"), ("a number of", "several"), ("on a regular basis", "regularly"),
    ("at present", "currently"), ("for instance", "for example"), ("next to", "beside"),
    ("the fact that", "that"), ("took place", "happened"), ("is able to", "can"),
    ("are able to", "can"), ("was able to", "managed to"), ("as a result of", "because of"),
    ("in the wake of", "after"), ("in excess of", "more than"), ("up to now", "so far"),
    ("each year", "every year"), ("each day", "every day"), ("last year's", "the previous year's"),
    ("all over the world", "around the world"), ("has to", "must"), ("in the course of", "during"),
    ("is going to", "will"), ("are going to", "will"), ("in favour of", "for"),
    ("with regard to", "about"), ("at that time", "then"), ("a great deal of", "much"),
]  # fmt: skip
NUMBERS = [("more than", "over"), ("about", "around"), ("about", "approximately"),
           ("less than", "under"), ("nearly", "almost"), ("around", "roughly")]  # fmt: skip
SHORT = [
    ("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"), ("is not", "isn't"),
    ("are not", "aren't"), ("was not", "wasn't"), ("were not", "weren't"), ("will not", "won't"),
    ("would not", "wouldn't"), ("could not", "couldn't"), ("cannot", "can't"),
    ("has not", "hasn't"), ("have not", "haven't"), ("it is", "it's"), ("I am", "I'm"),
    ("we are", "we're"), ("they are", "they're"), ("I have", "I've"), ("we have", "we've"),
    ("that is", "that's"), ("there is", "there's"), ("should not", "shouldn't"),
]  # fmt: skip
_SAID = r"(?:said|says|added|told reporters)"
_QUOTES = (
    (re.compile(rf'^"([^"]+),"\s+((?:\S+\s+){{1,7}}?)({_SAID})((?:\s[^",]+)?)\.$'), "after"),
    (re.compile(r'^"([^"]+)," said ([^",]+(?:, [^",]+)?)\.$'), "turned"),
    (re.compile(rf'^((?:\S+\s+){{1,7}}?)({_SAID})[:,]?\s+"([^"]+)\."$'), "before"),
)


def quoted(doc: Doc) -> Iterator[str]:
    """Yield a quotation with its speaker before it, behind it, or behind "said"."""
    text = doc.text
    for pattern, kind in _QUOTES:
        found = pattern.match(text)
        if not found:
            continue
        if kind == "after":
            words, who, verb, more = found.groups()
            who = who.strip()
            if who.endswith(",") or '"' in who:
                continue
            if who.lower() not in ("he", "she", "they", "it", "i", "we") and verb == "said":
                yield f'"{words}," said {who}{more}.'
            yield f'{who[:1].upper()}{who[1:]} {verb}{more}: "{words}."'
        elif kind == "turned":
            words, who = found.groups()
            if " on " in who or " in " in who or who.split()[-1] in _TIMES:
                continue
            yield f'"{words}," {who}{"," if "," in who else ""} said.'
            if "," not in who:
                yield f'{who[:1].upper()}{who[1:]} said: "{words}."'
        else:
            who, verb, words = found.groups()
            who = who.strip()
            if "," not in who and len(who.split()) < 7 and words[:1].isupper():
                small = (
                    who
                    if doc[0].tag_ in ("NNP", "NNPS") or who == "I"
                    else who[0].lower() + who[1:]
                )
                yield f'"{words}," {small} {verb}.'


_TIMES = set("Monday Tuesday Wednesday Thursday Friday Saturday Sunday yesterday today".split())


class Wordings:
    """Replaces words by others of their group, in the same form."""

    def __init__(self, form: Any) -> None:
        self._form = form
        self._groups: dict[tuple[str, str], list[str]] = {}
        for kind, groups in GROUPS.items():
            for group in groups:
                words = group.split()
                for word in words:
                    others = [each for each in words if each != word and each not in ONE_WAY]
                    self._groups.setdefault((kind, word), []).extend(others)

    def replaced(self, doc: Doc, rng: random.Random, most: int) -> str:
        """Return the text with up to `most` other wordings."""
        text: str = doc.text
        changes = [(token.idx, len(token), new) for token in doc for new in self._others(token)]
        rng.shuffle(changes)
        taken: set[int] = set()
        chosen = []
        for change in changes:
            if change[0] not in taken and len(chosen) < most:
                taken.add(change[0])
                chosen.append(change)
        for at, size, new in sorted(chosen, reverse=True):
            old = text[at : at + size]
            text = (
                text[:at]
                + (new[:1].upper() + new[1:] if old[0].isupper() else new)
                + text[at + size :]
            )
        return _phrased(_article(text), rng, most - len(chosen))

    def _others(self, token: Any) -> Iterator[str]:
        if token.pos_ not in GROUPS or token.ent_type_ in ("ORG", "PERSON", "WORK_OF_ART", "FAC"):
            return
        if token.text[1:] != token.text[1:].lower() or token.dep_ == "compound":
            return
        if (
            "-"
            in (token.nbor(-1).text if token.i else "")
            + token.doc.text[token.idx + len(token) :][:1]
        ):
            return
        if token.pos_ == "VERB" and any(c.dep_ in ("prt", "agent") for c in token.children):
            return
        for other in self._groups.get((token.pos_, token.lemma_.lower()), ()):
            if token.pos_ in ("ADJ", "ADV"):
                if token.tag_ in ("JJ", "RB"):
                    yield other
            elif token.pos_ == "NOUN":
                form = other if token.tag_ == "NN" else _plural(other)
                yield form
            elif form := self._form(other, token.tag_):
                yield form


def _plural(word: str) -> str:
    if word in ("aircraft", "help", "aid", "assistance"):
        return word
    if word == "child":
        return "children"
    if word == "spokesperson":
        return "spokespeople"
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "ch", "sh")) else f"{word}s"


def _phrased(text: str, rng: random.Random, most: int) -> str:
    pairs = [
        *PHRASES,
        *((a, b) for a, b in SHORT),
        *((b, a) for a, b in SHORT if b not in ("that's", "there's", "it's")),
    ]
    rng.shuffle(pairs)
    for old, new in pairs:
        if most <= 0:
            break
        pattern = re.compile(rf"(?<![\w'-]){re.escape(old)}(?![\w'-])")
        if pattern.search(text):
            text, most = pattern.sub(new, text, count=1), most - 1
    for old, new in rng.sample(NUMBERS, len(NUMBERS)):
        if most <= 0:
            break
        pattern = re.compile(rf"\b{old} (?=\$?\d)")
        if pattern.search(text):
            text, most = pattern.sub(f"{new} ", text, count=1), most - 1
    return text


def _article(text: str) -> str:
    """Put "a" and "an" right before words that begin with a plain vowel or consonant."""
    text = re.sub(r"\b([Aa])n (?=[bcdfgjklmnpqrstvwxyz])(?!hour|honest|heir|honou?r)", r"\1 ", text)
    return re.sub(r"\b([Aa]) (?=[aeio])(?!one\b|once\b|euro|eu)", r"\1n ", text)
