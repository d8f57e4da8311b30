"""Rewordings of parsed sentences that keep the meaning: of one kind each, or general ones."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from rewriting import (
    RULES,
    Rule,
    body_end,
    child,
    lowered,
    plural,
    raised,
    root,
    starts_plainly,
    unquoted,
)
from voices import Voices
from wordings import Wordings, quoted

from .editing import TABLES, Doc, articles, cased, pairs_of, put
from .grammar import Lexicon, entries

_CLUMSY = re.compile(
    r"\b[Rr]ight currently|\b[Ii]nform(?:ed|s|ing)? (?:\w+ )?(?:to|how|what)\b|didn't \w+ed\b"
    r"|\bretain\w* (?:in mind|\w+ from)|\brequired? to\b|\bobtain\w* \w+ to\b|\bseem\w* in\b"
    r"|\bis rid\b|\bare rid\b|\bare not (?:we|you|they)\b|\bconsequently of\b"
)
_SHORT = 18  # words of a sentence that is cleft
_MODALS = {
    "must": ("has to", "have to"),
    "can": ("is able to", "are able to"),
    "will": ("is going to", "are going to"),
}
_STRANDED = re.compile(r"\b(?:about|for|at|on|to|of|with|in|into|from|after|over|upon) by\b")
_STRICT = set(TABLES["complements"]["strict"].split())  # "not un-" says no less than these
_PARTICLES = r"(?! (?:off|up|out|over|down|away|on)\b)"
_KIND_RULES = {
    "roles": ("active", "passive"), "attribution": ("said_last", "said_first", "quoted"),
    "detail": ("fronted", "ended", "renamed", "owned", "lightened"),
    "attachment": ("owned", "swapped", "fronted", "ended"),
    "time_order": ("fronted", "ended"), "condition": ("fronted", "ended"),
    "cause": ("fronted", "ended"),
}  # fmt: skip


class Rewordings:
    """Applies rules of the recipes beside, tables of equal phrases, and rules of its own."""

    def __init__(self, voices: Voices, rng: random.Random) -> None:
        self._rng, self._voices = rng, voices
        self._words = Wordings(voices.form)
        self._rules: dict[str, Rule] = {
            **RULES,
            "active": voices.active,
            "passive": voices.passive,
            "quoted": quoted,
        }
        self._phrases = {kind: list(_phrases(text)) for kind, text in TABLES["same"].items()}
        self._complements = pairs_of(TABLES["complements"]["pairs"])
        self._own: dict[str, Callable[[Doc], Iterator[str]]] = {
            "number": self._numbers, "modality": self._modals, "tense": self._future,
            "time_order": self._turned, "cause": self._so, "comparison": self._compared,
            "condition": self._unless, "attachment": _clefts, "roles": _clefts,
            "negation": self._complemented, "antonym": self._complemented,
            "quantity": self._numbers,
        }  # fmt: skip
        words = Lexicon()
        self._cardinals = {str(n): words.cardinal(n) for n in range(2, 100)}
        self._digits = {name: digits for digits, name in self._cardinals.items()}

    def _fit(self, name: str, doc: Doc) -> bool:
        """Tell whether a rule may be used: "talked about by" cannot be turned round."""
        return name != "active" or not _STRANDED.search(doc.text)

    def of_kind(self, doc: Doc, kind: str) -> list[str]:
        """Return what the rules of a kind make of a sentence."""
        made = [
            text
            for name in _KIND_RULES.get(kind, ())
            if self._fit(name, doc)
            for text in _applied(self._rules[name], doc)
        ]
        if kind in self._own:
            made += _applied(self._own[kind], doc)
        made += self._phrased(doc.text, kind)
        made = [articles(text).replace("..", ".") for text in made if not _CLUMSY.search(text)]
        return [text for text in dict.fromkeys(made) if text != doc.text and text]

    def general(self, doc: Doc) -> list[str]:
        """Return what the rules for every sentence make of it, other words included."""
        made = [
            text
            for name, rule in self._rules.items()
            if self._fit(name, doc)
            for text in _applied(rule, doc)
        ]
        made += [self._words.replaced(doc, self._rng, most) for most in (1, 3)]
        made = [text for text in made if not _CLUMSY.search(text)]
        made += self._phrased(doc.text, "sense") + self._phrased(doc.text, "detail")
        return [text for text in dict.fromkeys(made) if text != doc.text and text]

    def _phrased(self, text: str, kind: str) -> list[str]:
        made: list[str] = []
        if kind == "modality" and text.endswith("?"):
            return made
        for old, new in self._phrases.get(kind, ()):
            after = _PARTICLES if kind == "antonym" else ""
            pattern = rf"(?<![\w'-]){re.escape(old)}(?![\w'-]){after}"
            found = re.search(pattern, text, re.I if old[0].islower() else 0)
            if found and not (kind == "number" and old == "%"):
                made.append(text[: found.start()] + cased(new, found[0]) + text[found.end() :])
            elif old == "%" and re.search(r"\d ?%", text):
                made.append(re.sub(r"(\d) ?%", rf"\1 {new}", text))
        return made

    def _numbers(self, doc: Doc) -> Iterator[str]:
        """12 → twelve; twelve → 12; 1,000 → 1000."""
        for token in doc:
            if token.pos_ != "NUM" or token.ent_type_ in (
                "PERSON",
                "ORG",
                "FAC",
                "PRODUCT",
                "WORK_OF_ART",
                "EVENT",
            ):
                continue
            near = (
                doc.text[max(0, token.idx - 1) : token.idx] + doc.text[token.idx + len(token) :][:1]
            )
            if set(near) & set("-–/:$€£%.'") - {"."} or (
                token.i and doc[token.i - 1].text in ("$", "€", "£", "-")
            ):
                continue
            after = doc[token.i + 1].text if token.i + 1 < len(doc) else ""
            if (
                token.ent_type_ == "DATE"
                and after not in ("years", "days", "weeks", "months", "hours", "decades")
            ) or after in ("-", "million", "billion", "hundred", "%", "thousand", "and"):
                continue
            new = self._cardinals.get(token.text) or self._digits.get(token.lower_)
            if new and not (token.i == 0 and new.isdigit()):
                yield put(doc, (token.i, token.i + 1, new))
            elif re.fullmatch(r"\d{1,3},\d{3}", token.text):
                whole = int(token.text.replace(",", ""))
                yield put(doc, (token.i, token.i + 1, str(whole)))
                if whole % 1000 == 0 and str(whole // 1000) in self._cardinals:
                    yield put(
                        doc,
                        (token.i, token.i + 1, f"{self._cardinals[str(whole // 1000)]} thousand"),
                    )

    def _modals(self, doc: Doc) -> Iterator[str]:
        """She must go → She has to go."""
        for token in doc:
            forms = _MODALS.get(token.lower_)
            subject = child(token.head, "nsubj", "nsubjpass")
            if (
                forms is None
                or token.tag_ != "MD"
                or subject is None
                or subject.i > token.i
                or child(token.head, "neg")
            ):
                continue
            if (
                subject.tag_ in ("WDT", "WP")
                or subject.lower_ == "that"
                or doc[token.i + 1].dep_ == "advmod"
                or token.text[0] == "'"
            ):
                continue
            form = forms[1] if plural(subject) else forms[0]
            if subject.lower_ == "i":
                form = form.replace("is ", "am ").replace("has", "have")
            yield put(doc, (token.i, token.i + 1, form))

    def _future(self, doc: Doc) -> Iterator[str]:
        """She will go → She is going to go."""
        yield from (text for text in self._modals(doc) if " going to " in text)

    def _turned(self, doc: Doc) -> Iterator[str]:
        """She ate before she left → She left after she ate; before noon → prior to noon."""
        for token in doc:
            noun = child(token, "pobj")
            if (
                token.lower_ in ("before", "after")
                and token.dep_ == "prep"
                and noun is not None
                and noun.pos_ == "NOUN"
                and token.head.pos_ == "VERB"
            ):
                new = "prior to" if token.lower_ == "before" else "following"
                if noun.left_edge.i == token.i + 1 and noun.left_edge.dep_ in ("det", "poss"):
                    yield put(doc, (token.i, token.i + 1, cased(new, token.text)))
        verb, end = root(doc), body_end(doc)
        clause = child(verb, "advcl") if verb is not None else None
        mark = child(clause, "mark") if clause is not None else None
        if (
            end is None
            or mark is None
            or mark.lower_ not in ("before", "after")
            or not unquoted(doc.text)
            or not child(clause, "nsubj", "nsubjpass")
        ):
            return
        if (
            not starts_plainly(doc, verb)
            or clause.left_edge != mark
            or clause.right_edge.i + 1 != end
            or child(verb, "neg", "aux")
            or child(clause, "neg", "aux")
        ):
            return
        if verb.tag_ != clause.tag_ or (
            doc[mark.i - 1].pos_ in ("ADV", "NOUN")
            and doc[mark.i - 1].lower_
            in (
                "shortly",
                "just",
                "soon",
                "right",
                "years",
                "days",
                "long",
                "immediately",
                "minutes",
                "hours",
                "months",
                "weeks",
            )
        ):
            return
        other = "after" if mark.lower_ == "before" else "before"
        main = doc[: mark.i - 1] if doc[mark.i - 1].text == "," else doc[: mark.i]
        yield f"{raised(doc[mark.i + 1 : end].text)} {other} {lowered(main)}."
        yield f"{raised(other)} {lowered(main)}, {doc[mark.i + 1 : end].text}."

    def _so(self, doc: Doc) -> Iterator[str]:
        """It broke because it was old → It was old, so it broke."""
        verb, end = root(doc), body_end(doc)
        clause = child(verb, "advcl") if verb is not None else None
        mark = child(clause, "mark") if clause is not None else None
        if (
            end is None
            or mark is None
            or mark.lower_ != "because"
            or not unquoted(doc.text)
            or child(verb, "neg")
        ):
            return
        if (
            not starts_plainly(doc, verb)
            or clause.left_edge != mark
            or clause.right_edge.i + 1 != end
            or doc[mark.i - 1].pos_ == "ADV"
        ):
            return
        main = doc[: mark.i - 1] if doc[mark.i - 1].text == "," else doc[: mark.i]
        why = raised(doc[mark.i + 1 : end].text)
        yield f"{why}, so {lowered(main)}."
        yield f"{why}, and that is why {lowered(main)}."
        yield f"{why}; for that reason, {lowered(main)}."

    def _unless(self, doc: Doc) -> Iterator[str]:
        """If you do not go, I will → Unless you go, I will."""
        for mark in doc:
            if (
                mark.lower_ != "if"
                or mark.dep_ != "mark"
                or mark.head.dep_ != "advcl"
                or doc[-1].text == "?"
            ):
                continue
            verb, denial = mark.head, child(mark.head, "neg")
            aux = doc[denial.i - 1] if denial is not None else None
            if (
                aux is None
                or aux.lower_ not in ("do", "does", "is", "are")
                or denial.lower_ not in ("not", "n't")
                or "would" in doc.text
            ):
                continue
            form = self._voices.form(verb.lemma_, "VBZ") if aux.lower_ == "does" else verb.text
            stop = verb.i + 1 if aux.lemma_ == "do" else denial.i + 1
            if form and (aux.lemma_ != "do" or denial.i + 1 == verb.i):
                yield put(
                    doc,
                    (mark.i, mark.i + 1, cased("unless", mark.text)),
                    (aux.i, stop, form if aux.lemma_ == "do" else aux.text),
                )

    def _compared(self, doc: Doc) -> Iterator[str]:
        """Ann is taller than Bob → Bob is less tall than Ann."""
        verb, end = root(doc), body_end(doc)
        than = next((t for t in doc if t.lower_ == "than" and t.dep_ == "prep"), None)
        if (
            verb is None
            or verb.lemma_ != "be"
            or than is None
            or end is None
            or than.right_edge.i + 1 != end
            or child(verb, "neg", "aux")
        ):
            return
        adjective, subject, other = than.head, child(verb, "nsubj"), child(than, "pobj")
        if (
            adjective.tag_ not in ("JJR", "JJ")
            or subject is None
            or other is None
            or other.pos_ not in ("NOUN", "PROPN")
            or subject.pos_ not in ("NOUN", "PROPN")
        ):
            return
        if (
            plural(subject) != plural(other)
            or not starts_plainly(doc, verb)
            or other.ent_type_ in ("DATE", "QUANTITY", "CARDINAL", "MONEY", "PERCENT")
        ):
            return
        more = child(adjective, "advmod")
        if (
            (adjective.tag_ == "JJ" and (more is None or more.lower_ not in ("more", "less")))
            or adjective.i + 1 != than.i
            or verb.i + 1 != adjective.left_edge.i
            or adjective.lower_ in ("more", "less", "better", "worse", "other")
        ):
            return
        one, two = (
            lowered(doc[subject.left_edge.i : subject.right_edge.i + 1]),
            doc[than.i + 1 : end].text,
        )
        base = adjective.lemma_ if adjective.tag_ == "JJR" else adjective.text
        way = "more" if more is not None and more.lower_ == "less" else "less"
        yield f"{raised(two)} {verb.text} {way} {base} than {one}."
        if way == "less":
            yield f"{raised(two)} {verb.text} not as {base} as {one}."

    def _complemented(self, doc: Doc) -> Iterator[str]:
        """It is impossible → It is not possible; and back."""
        for token in doc:
            if token.dep_ != "acomp" or token.head.lemma_ != "be" or child(token, "advmod", "conj"):
                continue
            denial = child(token.head, "neg")
            for other in self._complements.get(token.lower_, ()):
                strict = (
                    token.lower_.startswith(("im", "un", "in", "il", "dis"))
                    or token.lower_ in _STRICT
                )
                if (
                    denial is None
                    and strict
                    and token.i == token.head.i + 1
                    and child(token.head, "aux") is None
                ):
                    yield put(doc, (token.i, token.i + 1, f"not {other}"))
                elif (
                    denial is not None
                    and denial.i + 1 == token.i
                    and denial.lower_ in ("not", "n't")
                ):
                    yield put(doc, (denial.i, token.i + 1, other))


def _clefts(doc: Doc) -> Iterator[str]:
    """Ann broke the vase → It was Ann who broke the vase."""
    verb, end = root(doc), body_end(doc)
    if (
        verb is None
        or end is None
        or not starts_plainly(doc, verb)
        or not unquoted(doc.text)
        or verb.tag_ not in ("VBD", "VBZ")
        or child(verb, "neg", "aux", "conj")
    ):
        return
    subject = child(verb, "nsubj")
    if (
        subject is None
        or (subject.pos_ != "PROPN" and subject.left_edge.lower_ != "the")
        or verb.lemma_ == "be"
        or child(subject, "relcl", "appos", "conj", "punct")
    ):
        return
    stop = subject.right_edge.i + 1
    be = "was" if verb.tag_ == "VBD" else "is"
    who = "who" if subject.ent_type_ == "PERSON" else "that"
    if not plural(subject) and end < _SHORT:
        yield f"It {be} {lowered(doc[:stop])} {who} {doc[stop:end].text}."


def _phrases(text: str) -> Iterator[tuple[str, str]]:
    for entry in entries(text):
        if " > " in entry:
            old, new = entry.split(" > ")
            yield old, new
        else:
            one, two = entry.split(" = ")
            yield one, two
            yield two, one


def _applied(rule: Callable[[Any], Iterator[str]], doc: Doc) -> list[str]:
    try:
        return list(rule(doc))
    except IndexError:  # a phrase at the edge of the sentence: there is nothing to move it past
        return []
