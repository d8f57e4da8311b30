"""Changes of one word or sign: number, name, negation, antonym, modality, tense, quantity."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from rewriting import child, root
from voices import Voices

from .editing import TABLES, Doc, Edit, Token, cased, contradicts, pairs_of, plain, put
from .grammar import Lexicon

_DIGITS = re.compile(r"^\d{1,3}(?:,\d{3})+$|^\d+(?:\.\d+)?$|^\d{1,2}:\d\d$")
_FINITE = {"VBD", "VBZ", "VBP"}
_POLAR = set(TABLES["words"]["polar"].split())
_PAST = re.compile(
    r"\b(yesterday|ago|last|earlier|previous|since|in (1\d|20[01])\d\d|tomorrow|next|soon)\b", re.I
)
_NAME = re.compile(r"[A-Z][a-zé]+(?: [A-Z][a-zé]+)*")
_NAMED = {"PERSON": "PROPN", "GPE": "PROPN", "NORP": "ADJ"}
_STUCK = "no longer", "chance", "of the time"
_PERSONS = set(TABLES["persons"]["nouns"].split())
_LEAST = 6  # how often a name must occur to be put for another
_ANY = set(TABLES["words"]["existential"].split())
_SHORT = {"can": "can't", "will": "won't"}


class WordChanges:
    """Changes that need a table of verb forms and of names, learnt from the parsed sentences."""

    def __init__(self, docs: Iterable[Doc], rng: random.Random) -> None:
        docs = list(docs)
        self._rng, self.voices = rng, Voices(docs)
        words = Lexicon()
        self._words = [*words.units[2:13], "fifteen", *words.tens]
        self._names = _names(docs)
        self._known = {name for pool in self._names.values() for name in pool}
        self._opposites = {
            pos: pairs_of(TABLES["antonyms"][name])
            for pos, name in (
                ("ADJ", "adjectives"),
                ("VERB", "verbs"),
                ("ADV", "adverbs"),
                ("NOUN", "nouns"),
            )
        }

    def number(self, doc: Doc) -> Iterator[Edit]:
        """Forty trucks → fifty trucks."""
        for token in doc:
            if token.pos_ != "NUM" and token.dep_ != "nummod":
                continue
            if token.ent_type_ in (
                "PERSON",
                "ORG",
                "GPE",
                "FAC",
                "PRODUCT",
                "WORK_OF_ART",
                "EVENT",
            ):
                continue
            around = (
                doc.text[max(0, token.idx - 1) : token.idx] + doc.text[token.idx + len(token) :][:1]
            )
            if set(around) & set("-–—/:'’."[:6]) or (
                token.i + 1 < len(doc)
                and doc[token.i + 1].lower_ in ("-", "and", "hundred", "or", "to")
            ):
                continue
            new = self._other_number(token.text)
            if new and not any(new.lower() == other.lower_ for other in doc):
                yield contradicts(put(doc, (token.i, token.i + 1, new)), doc)

    def _other_number(self, text: str) -> str | None:
        if text.lower() in self._words:
            near = [
                w
                for w in self._words
                if w != text.lower()
                and (w in self._words[:11]) == (text.lower() in self._words[:11])
            ]
            return cased(self._rng.choice(near), text)
        if not _DIGITS.match(text) or ":" in text:
            return None
        value = float(text.replace(",", ""))
        if value < 2 or value > 1e12:
            return None
        if re.fullmatch(r"(1[6-9]|20)\d\d", text):
            return str(
                int(value) + self._rng.choice([-20, -11, -8, -6, -4, -3, -2, -1, 1, 2, 3, 5, 7, 9])
            )
        places = len(text.partition(".")[2])
        size = 10 ** max(0, len(str(int(value))) - 2)
        new = value + self._rng.choice([-1, 1]) * self._rng.randint(1, 9) * (
            size if places == 0 else 1
        )
        if new < 2:
            new = value + self._rng.randint(1, 8) * size
        made = f"{new:,.{places}f}" if "," in text else f"{new:.{places}f}"
        return made if made != text else None

    def name(self, doc: Doc) -> Iterator[Edit]:
        """Ann left Oslo → Ann left Rome."""
        for entity in doc.ents:
            pool = self._names.get(entity.label_, [])
            if (
                entity.text not in self._known
                or len(pool) < 20
                or (entity.label_ == "NORP" and entity[-1].pos_ != "ADJ")
            ):
                continue
            size = len(entity.text.split())
            fit = [
                n
                for n in pool
                if len(n.split()) == size and n not in doc.text and _unlike(n, entity.text)
            ]
            if fit:
                new = self._rng.choice(fit)
                text = re.sub(rf"\b{re.escape(entity.text)}\b", new, doc.text)
                relation = "neutral" if entity.label_ == "PERSON" else None
                yield Edit(text, relation, relation)

    def negation(self, doc: Doc) -> Iterator[Edit]:
        """She left → She did not leave; and back."""
        verb = root(doc)
        if verb is None or doc[-1].text == "?" or verb.dep_ != "ROOT":
            return
        words = {t.lower_ for t in doc}
        denial = child(verb, "neg")
        if denial is not None and denial.lower_ in ("not", "n't"):
            if not words & _POLAR and (made := self._affirmed(doc, verb, denial)):
                yield contradicts_anyway(made, doc)
        elif denial is None and not words & _POLAR and (made := self._denied(doc, verb)):
            yield contradicts(made, doc)

    def _affirmed(self, doc: Doc, verb: Token, denial: Token) -> str | None:
        aux = doc[denial.i - 1]
        if aux.lower_ in ("ca", "wo", "sha", "ai"):
            full = {"ca": "can", "wo": "will", "sha": "shall"}.get(aux.lower_)
            return put(doc, (aux.i, denial.i + 1, cased(full, aux.text))) if full else None
        if aux.lemma_ == "do" and aux.dep_ == "aux":
            if denial.i + 1 != verb.i or verb.tag_ != "VB" or aux.i == 0:
                return None
            tag = {"did": "VBD", "does": "VBZ", "do": "VB"}.get(aux.lower_)
            form = tag and self.voices.form(verb.lemma_, tag)
            return put(doc, (aux.i, verb.i + 1, form)) if form else None
        return put(doc, (denial.i, denial.i + 1, ""))

    def _denied(self, doc: Doc, verb: Token) -> str | None:
        helper = next(
            (
                c
                for c in verb.children
                if c.dep_ in ("aux", "auxpass") and c.tag_ in ("MD", *_FINITE)
            ),
            None,
        )
        subject = child(verb, "nsubj", "nsubjpass", "expl")
        if helper is not None and helper.lower_.startswith("'"):
            return None
        if helper is not None and subject is not None and subject.i < helper.i:
            return self._with_not(doc, helper)
        if helper is not None or subject is None or subject.i > verb.i:
            return None
        if verb.lemma_ == "be" and not verb.lower_.startswith("'") and verb.tag_ in _FINITE:
            return self._with_not(doc, verb)
        word = {"VBD": "did", "VBZ": "does", "VBP": "do"}.get(verb.tag_)
        if (
            word is None
            or verb.pos_ == "AUX"
            or any(c.dep_ == "conj" and c.pos_ in ("VERB", "AUX") for c in verb.children)
        ):
            return None
        base = self.voices.form(verb.lemma_, "VB") or verb.lemma_
        short = f"{word}n't" if self._rng.random() < 0.5 else f"{word} not"
        return put(doc, (verb.i, verb.i + 1, f"{short} {base}"))

    def _with_not(self, doc: Doc, aux: Token) -> str:
        word = aux.text
        if self._rng.random() < 0.5 and word.lower() not in ("am", "may", "might", "shall", "'s"):
            new = _SHORT.get(word.lower(), f"{word}n't")
        else:
            new = "cannot" if word.lower() == "can" else f"{word} not"
        return put(doc, (aux.i, aux.i + 1, new))

    def antonym(self, doc: Doc) -> Iterator[Edit]:
        """An old bridge → a new bridge."""
        for token in doc:
            if (token.ent_type_ and token.ent_type_ not in ("DATE", "TIME")) or (
                token.text[:1].isupper() and token.i
            ):
                continue
            if any(c.dep_ == "prt" for c in token.children) or token.dep_ in ("compound", "prt"):
                continue
            for other in self._opposites.get(token.pos_, {}).get(token.lemma_.lower(), ()):
                form = self._matched(token, other) if _aged(token, other) else None
                if form and not _near_hyphen(doc, token):
                    yield contradicts(
                        put(doc, (token.i, token.i + 1, cased(form, token.text))), doc
                    )

    def _matched(self, token: Token, other: str) -> str | None:
        if token.pos_ == "VERB":
            return self.voices.form(other, token.tag_)
        if token.pos_ == "NOUN":
            return (
                other
                if token.tag_ == "NN"
                else (f"{other}s" if other[-1] not in "sy" and token.text.endswith("s") else None)
            )
        if token.tag_ in ("JJ", "RB"):
            return other if token.lower_ == token.lemma_.lower() else None
        return None

    def modality(self, doc: Doc) -> Iterator[Edit]:
        """It must be so → It may be so; it is so → it may be so."""
        for token in doc:
            others = TABLES["modality"].get(token.lower_)
            if (
                others is None
                or (token.tag_ == "MD" and (token.i == 0 or token.head.lower_ == "like"))
                or (token.lower_ == "may" and token.text == "May" and token.i)
            ):
                continue
            if (
                (
                    token.i + 1 < len(doc)
                    and doc[token.i + 1].lower_ in ("not", "n't", "be")
                    and token.tag_ != "MD"
                )
                or child(token.head, "neg")
                or (doc[-1].text == "?" and token.tag_ == "MD")
            ):
                continue
            new = self._rng.choice(others.split(", "))
            yield Edit(put(doc, (token.i, token.i + 1, cased(new, token.text))))
        yield from self._doubted(doc)

    def _doubted(self, doc: Doc) -> Iterator[Edit]:
        verb = root(doc)
        if (
            verb is None
            or doc[-1].text == "?"
            or child(verb, "aux", "auxpass", "neg", "conj", "ccomp", "advcl")
        ):
            return
        subject = child(verb, "nsubj")
        if subject is None or subject.i > verb.i or verb.lower_.startswith("'"):
            return
        word = self._rng.choice(["may", "might", "could"])
        relation = ("entailment", "neutral") if plain(doc) else (None, None)
        base = "be" if verb.lemma_ == "be" else self.voices.form(verb.lemma_, "VB")
        if verb.tag_ in ("VBZ", "VBP") and base:
            yield Edit(put(doc, (verb.i, verb.i + 1, f"{word} {base}")), *relation)
        done = "been" if verb.lemma_ == "be" else self.voices.form(verb.lemma_, "VBN")
        if verb.tag_ == "VBD" and done:
            yield Edit(put(doc, (verb.i, verb.i + 1, f"{word} have {done}")), *relation)

    def tense(self, doc: Doc) -> Iterator[Edit]:
        """She left → She will leave; she lives there → she lived there."""
        verb = root(doc)
        if (
            verb is None
            or doc[-1].text == "?"
            or child(verb, "neg", "conj", "advcl", "ccomp", "expl")
            or _PAST.search(doc.text)
        ):
            return
        subject = child(verb, "nsubj", "nsubjpass")
        helper = [c for c in verb.children if c.dep_ in ("aux", "auxpass")]
        if (
            subject is None
            or subject.i > verb.i
            or any(h.i < subject.i or h.text.startswith("'") for h in helper)
            or verb.text.startswith("'")
        ):
            return
        for made in self._retimed(doc, verb, helper):
            yield Edit(made, "neutral", "neutral")

    def _retimed(self, doc: Doc, verb: Token, helper: list[Token]) -> Iterator[str]:
        first = helper[0] if helper else verb
        at = (first.i, first.i + 1)
        be = {"is": "was", "are": "were", "was": "is", "were": "are", "am": "was"}
        if first.lower_ in be and first.lemma_ == "be":
            yield put(doc, (*at, be[first.lower_]))
            yield put(doc, (*at, "will be"))
        elif (
            first.lower_ in ("has", "have")
            and helper
            and len(helper) == 1
            and (base := self.voices.form(verb.lemma_, "VB"))
        ):
            if helper[0].i + 1 == verb.i and verb.tag_ == "VBN":
                yield put(doc, (first.i, verb.i + 1, f"will {base}"))
        elif (
            first.lower_ == "will"
            and len(helper) == 1
            and (past := self.voices.form(verb.lemma_, "VBD"))
        ):
            if first.i + 1 == verb.i and verb.lemma_ != "be":
                yield put(doc, (first.i, verb.i + 1, past))
        elif not helper and verb.tag_ == "VBD" and (base := self.voices.form(verb.lemma_, "VB")):
            yield put(doc, (*at, f"will {base}"))
        elif (
            not helper
            and verb.tag_ in ("VBZ", "VBP")
            and (past := self.voices.form(verb.lemma_, "VBD"))
        ):
            yield put(doc, (*at, past))

    def quantity(self, doc: Doc) -> Iterator[Edit]:
        """All the seats were taken → Few of the seats were taken."""
        for token in doc:
            given = TABLES["quantity"].get(token.lower_)
            if any(words in doc.text for words in _STUCK):
                return
            if given is None or _fixed(doc, token) or any(t.lower_ in _ANY for t in doc):
                continue
            new, nli, back = self._rng.choice(given.split(", ")).split(":")
            after = doc[token.i + 1] if token.i + 1 < len(doc) else token
            if token.lower_ == "all" and after.dep_ in ("det", "poss"):
                new = {"no": "none of", "some": "some of", "few": "few of"}[new]
            known = plain_besides(doc, token)
            yield Edit(
                put(doc, (token.i, token.i + 1, cased(new, token.text))),
                nli if known and nli != "null" else None,
                back if known and back != "null" else None,
            )  # fmt: skip


def contradicts_anyway(text: str, doc: Doc) -> Edit:
    """Return an edit that takes the only negation away."""
    words = {t.lower_ for t in doc}
    sure = not words & {"if", "unless", "because", "or", "all", "every", "many", "some", "most"}
    return Edit(text, *(["contradiction"] * 2 if sure else [None, None]))


def plain_besides(doc: Doc, token: Token) -> bool:
    """Tell whether a quantifier is the only one, with no negation, condition or question."""
    odd = {"not", "n't", "if", "unless", "?", "or", "no", "never", "only", "without"}
    return not any(t.lower_ in odd for t in doc if t.i != token.i)


def _fixed(doc: Doc, token: Token) -> bool:
    before = doc[token.i - 1].lower_ if token.i else ""
    after = doc[token.i + 1].lower_ if token.i + 1 < len(doc) else ""
    if before in (
        "at",
        "after",
        "above",
        "a",
        "not",
        "n't",
        "the",
        "so",
        "how",
        "too",
        "as",
        "very",
        "or",
        "and",
        "in",
        "of",
        "for",
        "that",
        "first",
        "this",
    ):
        return True
    if after in (
        "right",
        "over",
        "of",
        "kind",
        "time",
        "day",
        "year",
        "other",
        "over",
        "as",
        "important",
        "more",
        "else",
        "sort",
        "long",
        "that",
        "about",
        "together",
        ",",
        ".",
    ):
        return token.lower_ not in (
            "most",
            "everyone",
            "nobody",
            "nothing",
            "everything",
            "someone",
            "something",
        )
    if token.pos_ == "NOUN" or (token.lower_ == "most" and token.dep_ == "advmod"):
        return True
    if token.lower_ in (
        "all",
        "some",
        "many",
        "few",
        "most",
        "several",
    ) and token.head.tag_ not in ("NNS", "NNPS"):
        return True
    return token.lower_ in ("almost", "half") and (
        after not in ("the", "all")
        if token.lower_ == "half"
        else not doc[min(token.i + 1, len(doc) - 1)].like_num
    )


def _aged(token: Token, other: str) -> bool:
    """Tell whether an opposite of "old" fits: persons are young, things before a noun new."""
    person = token.head.lower_ in _PERSONS
    if {token.lower_, other} == {"old", "young"}:
        return person
    return {token.lower_, other} != {"old", "new"} or (token.dep_ == "amod" and not person)


def _near_hyphen(doc: Doc, token: Token) -> bool:
    text = doc.text
    return "-" in text[max(0, token.idx - 1) : token.idx] + text[token.idx + len(token) :][:1]


def _unlike(one: str, two: str) -> bool:
    return not set(one.lower().split()) & set(two.lower().split()) and one[:3] != two[:3]


def _names(docs: list[Doc]) -> dict[str, list[str]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for doc in docs:
        for entity in doc.ents:
            pos = _NAMED.get(entity.label_)
            if _NAME.fullmatch(entity.text) and all(t.pos_ == pos for t in entity):
                counts[entity.label_][entity.text] += 1
    total: Counter[str] = sum(counts.values(), Counter())
    return {
        label: sorted(n for n, c in found.items() if c >= _LEAST and c > 0.8 * total[n])
        for label, found in counts.items()
    }
