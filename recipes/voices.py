"""Active to passive and back, over dependency parses; verb forms are learnt from parsed text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from rewriting import OBJECTS, child, lowered, plural, raised, spaced, unquoted

Doc = Any
Token = Any
_STATES = set(
    "have be become lack want cost include mean resemble fit get let like love enjoy equal weigh "
    "make take hold contain involve need face lose win keep leave join visit reach enter do tell "
    "give say see go pass share pay follow remain spend run begin start end top suffer".split()
)
_LONG = 9
_TAIL = {"ccomp", "xcomp", "conj", "dative", "prt", "oprd"}


class Voices:
    """Both rules, with a table of verb forms."""

    def __init__(self, docs: Iterable[Doc]) -> None:
        counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for doc in docs:
            for token in doc:
                if token.tag_ in ("VBD", "VBN", "VBZ", "VB", "VBP", "VBG") and token.text.islower():
                    counts[token.lemma_, token.tag_][token.text] += 1
        self._forms = {key: found.most_common(1)[0] for key, found in counts.items()}

    def form(self, lemma: str, tag: str) -> str | None:
        """Return a form that was seen at least twice."""
        text, seen = self._forms.get((lemma, tag), ("", 0))
        return text if seen > 1 else None

    def active(self, doc: Doc) -> Iterator[str]:
        """The plan was made by Ann → Ann made the plan."""
        for verb in doc:
            subject, agent = child(verb, "nsubjpass"), child(verb, "agent")
            if verb.tag_ != "VBN" or subject is None or agent is None or child(verb, "neg"):
                continue
            doer = child(agent, "pobj")
            start, stop = subject.left_edge.i, agent.right_edge.i + 1
            gap = doc[subject.right_edge.i + 1 : verb.i]
            if (
                doer is None
                or doer.pos_ not in ("NOUN", "PROPN")
                or not agent.i > verb.i > subject.i
            ):
                continue
            if subject.tag_ in ("WDT", "WP") or not unquoted(doc[start:stop].text):
                continue
            if len(doc[agent.i + 1 : stop]) > _LONG or subject.right_edge.i - start > _LONG:
                continue
            made = self._turned(verb, gap, doer)
            middle = doc[verb.i + 1 : agent.i]
            if made is None or len(middle) > 6 or child(verb, "conj"):
                continue
            who = doc[agent.i + 1 : stop].text
            what = (
                lowered(doc[start : subject.right_edge.i + 1])
                if start == 0
                else doc[start : subject.right_edge.i + 1].text
            )
            what = OBJECTS.get(what.lower(), what)
            yield _put(doc, start, [who, made, what, middle.text], stop)

    def _turned(self, verb: Token, gap: Any, doer: Token) -> str | None:
        """Return the verb in the active voice."""
        words = [token.lower_ for token in gap if token.dep_ in ("aux", "auxpass")]
        adverbs = [token.text for token in gap if token.dep_ == "advmod"]
        if len(words) + len(adverbs) != len(gap):
            return None
        many = plural(doer)
        made: list[str | None]
        match words:
            case ["was" | "were"]:
                made = [self.form(verb.lemma_, "VBD")]
            case ["is" | "are"]:
                made = [self.form(verb.lemma_, "VB" if many else "VBZ")]
            case ["has" | "have", "been"]:
                made = ["have" if many else "has", verb.text]
            case ["had", "been"]:
                made = ["had", verb.text]
            case ["will" | "would" | "could" | "can" | "may" | "might" | "must" | "should", "be"]:
                made = [words[0], self.form(verb.lemma_, "VB")]
            case _:
                return None
        return None if None in made else " ".join([*adverbs, *map(str, made)])

    def passive(self, doc: Doc) -> Iterator[str]:
        """Ann approved the plan → The plan was approved by Ann."""
        for verb in doc:
            subject, thing = child(verb, "nsubj"), child(verb, "dobj")
            if subject is None or thing is None or verb.lemma_ in _STATES:
                continue
            if any(c.dep_ in _TAIL or c.dep_ == "neg" for c in verb.children):
                continue
            if verb.dep_ not in ("ROOT", "ccomp", "advcl") or subject.pos_ not in ("NOUN", "PROPN"):
                continue
            start, stop = subject.left_edge.i, thing.right_edge.i + 1
            if thing.left_edge.i != verb.i + 1 or thing.pos_ not in ("NOUN", "PROPN"):
                continue
            if subject.right_edge.i - start > _LONG or stop - verb.i > _LONG:
                continue
            if not unquoted(doc[start:stop].text) or child(thing, "poss") is not None:
                continue
            gap = doc[subject.right_edge.i + 1 : verb.i]
            made = self._suffered(verb, gap, thing)
            if made is None:
                continue
            who = (
                lowered(doc[start : subject.right_edge.i + 1])
                if start == 0
                else doc[start : subject.right_edge.i + 1].text
            )
            yield _put(doc, start, [doc[verb.i + 1 : stop].text, made, "by", who], stop)

    def _suffered(self, verb: Token, gap: Any, thing: Token) -> str | None:
        """Return the verb in the passive voice."""
        words = [token.lower_ for token in gap if token.dep_ == "aux"]
        adverbs = [token.text for token in gap if token.dep_ == "advmod"]
        done = self.form(verb.lemma_, "VBN")
        if len(words) + len(adverbs) != len(gap) or done is None:
            return None
        many = plural(thing)
        match words, verb.tag_:
            case [], "VBD":
                made = ["were" if many else "was"]
            case [], "VBZ" | "VBP":
                made = ["are" if many else "is"]
            case ["has" | "have"], "VBN":
                made = ["have been" if many else "has been"]
            case ["had"], "VBN":
                made = ["had been"]
            case ["will" | "would" | "could" | "can" | "may" | "might" | "must" | "should"], "VB":
                made = [words[0], "be"]
            case _:
                return None
        return " ".join([*made, *adverbs, done])


def _put(doc: Doc, start: int, parts: list[str], stop: int) -> str:
    middle = " ".join(part for part in parts if part)
    return spaced(doc[:start].text, raised(middle) if start == 0 else middle, doc[stop:].text)
