"""Changes of who did what, when, why, on what condition, and of what belongs to what."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from typing import Any

from rewriting import (
    OBJECTS,
    SAYING,
    body_end,
    child,
    lowered,
    plural,
    raised,
    root,
    starts_plainly,
    unquoted,
)

from .editing import TABLES, Doc, Edit, Token, cased, contradicts, pairs_of, plain, put, swapped
from .grammar import entries

_PERSONS = set(TABLES["persons"]["nouns"].split())
_SYMMETRIC = set(TABLES["symmetric"]["verbs"].split())
_EVENLY = set(TABLES["symmetric"]["prepositions"].split())
_SUBJECTS = {v: k for k, v in OBJECTS.items()}
_LONG = 7
_LABELS = ("PERSON", "GPE", "CARDINAL", "DATE")
_MUTUAL = set(TABLES["symmetric"]["mutual"].split())
_ADJUNCTS = set(TABLES["words"]["adjuncts"].split())
_NOT_AFTER = set(TABLES["words"]["before_link"].split())


class ClauseChanges:
    """Changes that move phrases or turn links between clauses."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._links = {
            kind: [tuple(e.split(" > ")) for e in entries(text)]
            for kind, text in TABLES["links"].items()
        }
        self._compared = pairs_of(TABLES["comparison"]["opposites"])
        self._denials = pairs_of(TABLES["attributions"]["denials"])
        self._speakers = entries(TABLES["attributions"]["speakers"])

    def roles(self, doc: Doc) -> Iterator[Edit]:
        """The nurse thanked the surgeon → The surgeon thanked the nurse."""
        for verb in doc:
            if verb.pos_ != "VERB" or verb.lemma_ in _SYMMETRIC:
                continue
            subject = child(verb, "nsubj", "nsubjpass")
            for other in _partners(verb):
                if (
                    subject is not None
                    and subject.i < verb.i < other.i
                    and _alike(subject, other, verb)
                ):
                    text = _exchanged(doc, subject, other)
                    if text:
                        yield Edit(text, "neutral", "neutral")

    def time_order(self, doc: Doc) -> Iterator[Edit]:
        """She ate before she left → She ate after she left."""
        for text, at in self._linked(doc, "time_order"):
            token = _token_at(doc, at)
            if (
                token is None
                or (token.dep_ == "advmod" and token.lower_ in ("before", "after"))
                or token.ent_type_ in ("PERSON", "ORG", "WORK_OF_ART")
            ):
                continue
            if (
                (token.i and doc[token.i - 1].lemma_ in _NOT_AFTER)
                or token.dep_ == "prt"
                or (token.lower_ == "following" and token.dep_ != "prep")
            ):
                continue
            if token.dep_ in ("mark", "prep", "advmod", "agent") or " " in token.text:
                yield contradicts(text, doc)

    def cause(self, doc: Doc) -> Iterator[Edit]:
        """It broke because it was old → It broke although it was old."""
        for text, at in self._linked(doc, "cause"):
            token = _token_at(doc, at)
            if token is not None and (token.lemma_ != "cause" or token.pos_ == "VERB"):
                yield Edit(text)
        yield from self._causes_swapped(doc)

    def _causes_swapped(self, doc: Doc) -> Iterator[Edit]:
        verb, end = root(doc), body_end(doc)
        clause = child(verb, "advcl") if verb is not None else None
        mark = child(clause, "mark") if clause is not None else None
        if (
            verb is None
            or end is None
            or mark is None
            or mark.lower_ not in ("because", "since")
            or not starts_plainly(doc, verb)
        ):
            return
        if (
            clause.right_edge.i + 1 != end
            or clause.left_edge != mark
            or mark.i <= verb.i
            or not unquoted(doc.text)
        ):
            return
        if (
            mark.lower_ == "since"
            or doc[mark.i + 1].lower_ == "of"
            or doc[mark.i - 1].lower_ in ("just", "simply", "only", "not", "mainly", "partly")
        ):
            return
        main = doc[: mark.i - 1] if doc[mark.i - 1].text == "," else doc[: mark.i]
        if doc[mark.i + 1].dep_ in ("nsubj", "det", "poss", "nsubjpass", "expl", "compound"):
            yield Edit(
                f"{raised(doc[mark.i + 1 : end].text)} because {lowered(main)}.",
                "neutral",
                "neutral",
            )

    def condition(self, doc: Doc) -> Iterator[Edit]:
        """If it rains, stay → Unless it rains, stay."""
        for text, at in self._linked(doc, "condition"):
            token = _token_at(doc, at)
            if token is None or (
                token.lower_ == "if" and (token.dep_ != "mark" or token.head.dep_ != "advcl")
            ):
                continue
            if (
                token.lower_ == "if"
                and token.i
                and doc[token.i - 1].lower_
                in ("as", "even", "only", "what", "but", "wonder", "and", "or")
            ):
                continue
            if token.i + 1 < len(doc) and doc[token.i + 1].lower_ in (
                "not",
                "so",
                "possible",
                "necessary",
                "any",
            ):
                continue
            yield Edit(text)

    def comparison(self, doc: Doc) -> Iterator[Edit]:
        """Ann is taller than Bob → Ann is shorter than Bob; Bob is taller than Ann."""
        for token in doc:
            for other in self._compared.get(token.lower_, ()):
                if token.lower_ in ("most", "least") and token.tag_ != "RBS":
                    continue
                if token.tag_ in ("JJR", "RBR", "JJS", "RBS") and not _idiomatic(doc, token):
                    yield contradicts(
                        put(doc, (token.i, token.i + 1, cased(other, token.text))), doc
                    )
        verb = root(doc)
        than = next((t for t in doc if t.lower_ == "than" and t.dep_ == "prep"), None)
        subject = child(verb, "nsubj") if verb is not None else None
        thing = child(than, "pobj") if than is not None else None
        if subject is not None and thing is not None and subject.i < than.i and doc[-1].text == ".":
            named = subject.pos_ in ("NOUN", "PROPN") and thing.pos_ in ("NOUN", "PROPN")
            if (
                (named or subject.pos_ == thing.pos_ == "PRON")
                and plural(subject) == plural(thing)
                and thing.ent_type_ not in ("DATE", "CARDINAL", "QUANTITY", "MONEY", "PERCENT")
            ):
                text = _exchanged(doc, subject, thing)
                if text:
                    yield contradicts(text, doc)

    def attribution(self, doc: Doc) -> Iterator[Edit]:
        """Ann said it rained → Ann denied that it rained; It rained; Bob said it rained."""
        verb, end = root(doc), body_end(doc)
        if (
            verb is None
            or end is None
            or not unquoted(doc.text)
            or doc[0].lower_ in ("and", "but", "so")
        ):
            return
        if verb.tag_ not in ("VBD", "VBZ", "VBP") and child(verb, "aux", "auxpass") is None:
            return
        clause = child(verb, "ccomp")
        if (
            verb.lemma_ in SAYING
            and clause is not None
            and clause.i > verb.i
            and clause.right_edge.i + 1 == end
            and not child(verb, "neg")
        ):
            start = clause.left_edge.i
            that = doc[start].lower_ == "that"
            for other in self._denials.get(verb.lower_, ()):
                yield Edit(
                    put(
                        doc,
                        (
                            verb.i,
                            verb.i + 1,
                            other if that or start != verb.i + 1 else f"{other} that",
                        ),
                    ),
                    "contradiction",
                    "contradiction",
                )
            if child(clause, "nsubj", "nsubjpass", "expl") and doc[start].lower_ not in (
                "what",
                "how",
                "why",
                "who",
                "if",
                "whether",
                ",",
            ):
                yield Edit(
                    raised(doc[start + that : end].text) + ".", "neutral", "neutral", "missing"
                )
        if (
            verb.lemma_ in SAYING
            and child(verb, "nsubj")
            and child(verb, "nsubj").pos_ in ("NOUN", "PROPN", "PRON")
            and clause is not None
        ):
            subject = child(verb, "nsubj")
            if (
                starts_plainly(doc, verb)
                and child(verb, "aux") is None
                and verb.tag_ == "VBD"
                and subject.right_edge.i < verb.i
            ):
                yield Edit(
                    put(
                        doc, (0, subject.right_edge.i + 1, raised(self._rng.choice(self._speakers)))
                    ),
                    "neutral",
                    "neutral",
                )
        elif (
            starts_plainly(doc, verb)
            and verb.lemma_ not in SAYING
            and child(verb, "nsubj", "nsubjpass").lower_ not in ("i", "you", "we")
            and clause is None
        ):
            yield Edit(self._attributed(doc, end), "neutral", "neutral", "added")

    def _attributed(self, doc: Doc, end: int) -> str:
        who, said = (
            self._rng.choice(self._speakers),
            self._rng.choice(["said", "claimed", "told us"]),
        )
        body = lowered(doc[:end])
        return raised(self._rng.choice([
            f"{who} {said} that {body}.", f"according to {who}, {body}.",
            f"{doc[:end].text}, {who} {said}.",
        ]))  # fmt: skip

    def detail(self, doc: Doc) -> Iterator[Edit]:
        """She left in the morning → She left."""
        for token in doc:
            span = _loose(doc, token)
            if span is None:
                continue
            text = put(doc, (*span, ""))
            if len(text.split()) >= 4 and doc[span[0] : span[1]].text.count(",") < 2:
                relation = ("entailment", "neutral") if plain(doc) else (None, None)
                yield Edit(text, *relation, "missing")

    def attachment(self, doc: Doc) -> Iterator[Edit]:
        """A red car and a blue van → a blue car and a red van; Oslo to Rome → Rome to Oslo."""
        adjectives = [
            t
            for t in doc
            if t.dep_ == "amod"
            and t.tag_ == "JJ"
            and t.head.pos_ == "NOUN"
            and t.i + 1 == t.head.i
            and not t.ent_type_
            and not child(t, "advmod", "conj")
        ]
        for a, b in itertools.combinations(adjectives, 2):
            if (
                a.lower_ != b.lower_
                and a.head.lower_ != b.head.lower_
                and not _near_hyphen(doc, a, b)
            ):
                yield Edit(swapped(doc, (a.i, a.i + 1), (b.i, b.i + 1)), "neutral", "neutral")
        if any(token.lemma_ in _MUTUAL for token in doc):
            return
        for one, two in itertools.combinations(doc.ents, 2):
            if (
                one.label_ == two.label_
                and one.label_ in _LABELS
                and one.text != two.text
                and not _together(doc, one, two)
            ):
                if one.label_ in ("DATE", "CARDINAL") and (len(one) > 1 or len(two) > 1):
                    continue
                if "one" in (one.text.lower(), two.text.lower()):
                    continue
                yield Edit(
                    swapped(doc, (one.start, one.end), (two.start, two.end)), "neutral", "neutral"
                )

    def _linked(self, doc: Doc, kind: str) -> Iterator[tuple[str, int]]:
        text: str = doc.text
        for old, new in self._links[kind]:
            for found in re.finditer(rf"(?<![\w'-]){re.escape(old)}(?![\w'-])", text, re.I):
                if (old == "because" and text[found.end() :].startswith(" of")) or (
                    old == "if" and text[: found.start()].lower().endswith(("only ", "even "))
                ):
                    continue
                if found[0].isupper() and len(found[0]) > 1:
                    continue
                yield (
                    text[: found.start()] + cased(new, found[0]) + text[found.end() :],
                    found.start(),
                )


def _token_at(doc: Doc, place: int) -> Token | None:
    return next((t for t in doc if t.idx == place), None)


def _partners(verb: Token) -> Iterator[Token]:
    for each in verb.children:
        if each.dep_ in ("dobj", "dative") and each.pos_ != "ADP":
            yield each
        elif each.dep_ in ("prep", "agent", "dative") and each.lower_ not in _EVENLY:
            noun = child(each, "pobj")
            if noun is not None:
                yield noun


def _person(token: Token) -> bool:
    return (
        token.lower_ in _PERSONS
        or (token.ent_type_ in ("PERSON", "ORG", "GPE") and token.pos_ == "PROPN")
        or (token.lower_ in OBJECTS and token.lower_ != "who")
        or (token.lower_ in _SUBJECTS and token.lower_ != "whom")
    )


def _alike(one: Token, two: Token, verb: Token) -> bool:
    if not (_person(one) and _person(two)) or (one.pos_ == "PRON") != (two.pos_ == "PRON"):
        return False
    if one.pos_ == "PROPN" and two.pos_ == "PROPN" and one.ent_type_ != two.ent_type_:
        return False
    if any(child(t, "conj", "relcl", "appos", "poss", "acl", "prep", "punct") for t in (one, two)):
        return False
    same = plural(one) == plural(two)
    free = (verb.tag_ == "VBD" and child(verb, "aux", "auxpass") is None) or (
        child(verb, "aux") is not None and child(verb, "aux").tag_ == "MD"
    )
    return (
        (same or free)
        and one.lower_ != two.lower_
        and {one.lower_, two.lower_}
        not in ({"i", "me"}, {"he", "him"}, {"she", "her"}, {"they", "them"}, {"we", "us"})
    )


def _exchanged(doc: Doc, one: Token, two: Token) -> str | None:
    if one.pos_ == "PRON" or two.pos_ == "PRON":
        if (
            one.lower_ not in OBJECTS
            or two.lower_ not in _SUBJECTS
            or {one.lower_, two.lower_} & {"i", "me", "who", "whom"}
        ):
            return None
        if OBJECTS[one.lower_] == two.lower_:
            return None
        first = cased(_SUBJECTS[two.lower_], one.text)
        return put(doc, (one.i, one.i + 1, first), (two.i, two.i + 1, OBJECTS[one.lower_]))
    spans = [(t.left_edge.i, t.right_edge.i + 1) for t in (one, two)]
    if spans[0][1] > spans[1][0] or any(stop - start > _LONG for start, stop in spans):
        return None
    return swapped(doc, *spans)


def _idiomatic(doc: Doc, token: Token) -> bool:
    near = doc[max(0, token.i - 1) : token.i + 3].text.lower()
    return bool(
        re.search(
            r"more or less|at (least|most|best|first|last)|no (more|longer)|any ?more|once more"
            r"|some more|had better|sooner or later|most of|more (and|than)",
            near,
        )
    )


def _loose(doc: Doc, token: Token) -> tuple[int, int] | None:
    """Return the phrase of a token that can be left out, with the comma before it."""
    start, stop = token.left_edge.i, token.right_edge.i + 1
    if (
        token.dep_ == "prep"
        and token.head.pos_ == "VERB"
        and token.lower_ in _ADJUNCTS
        and child(token, "pobj")
    ):
        noun = child(token, "pobj")
        if start == token.head.i + 1 and noun.ent_type_ not in ("DATE", "TIME", "GPE"):
            return None
    elif (
        token.dep_ == "amod"
        and token.tag_ == "JJ"
        and token.head.pos_ == "NOUN"
        and not token.ent_type_
        and stop - start == 1
    ):
        if token.lower_ in (
            "same",
            "other",
            "such",
            "own",
            "former",
            "fake",
            "possible",
            "first",
            "last",
            "few",
            "many",
            "only",
            "main",
            "next",
            "able",
            "due",
        ):
            return None
    elif (
        not (
            token.dep_ == "advcl"
            and child(token, "mark")
            and child(token, "nsubj")
            and child(token, "mark").lower_
            in ("because", "when", "while", "after", "before", "although", "since")
        )
        and not (token.dep_ == "relcl" and start > 2)
        and not (token.dep_ == "npadvmod" and token.ent_type_ in ("DATE", "TIME"))
    ):
        return None
    if not unquoted(doc[start:stop].text) or (stop >= len(doc) and doc[-1].text in ".?!"):
        stop = min(stop, len(doc) - 1)
    if start and doc[start - 1].text == "," and stop < len(doc) and doc[stop].text in ",.?!":
        start -= 1
        stop += doc[stop].text == ","
    elif start == 0 and stop < len(doc) and doc[stop].text == ",":
        stop += 1
    return (
        (start, stop)
        if stop > start and stop - start < 16 and unquoted(doc[start:stop].text)
        else None
    )


def _near_hyphen(doc: Doc, *words: Token) -> bool:
    return any(
        "-" in doc.text[max(0, t.idx - 1) : t.idx] + doc.text[t.idx + len(t) :][:1] for t in words
    )


def _together(doc: Doc, one: Any, two: Any) -> bool:
    """Tell whether two names stand in one list, where their order says nothing."""
    between = doc[one.end : two.start]
    return all(
        t.text in (",", "and", "or", "the", "&", "/", "-", "vs", "with", "(")
        or t.ent_type_ == one.label_
        for t in between
    )
