"""Say a parsed sentence another way round: rules over dependency parses that keep the meaning.

Each rule takes a parsed sentence and yields texts. A rule is careful before it is general: where a
phrase that is moved could be read with another word, it yields nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Doc = Any
Token = Any
Rule = Callable[[Doc], Iterator[str]]

DAYS = set("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
SAYING = set(
    "say announce report add note argue claim warn acknowledge explain confirm insist believe "
    "think estimate predict".split()
)
MARKS = set("when after before because although though while if since unless until once".split())
TIMES = set("after before during since despite following amid under".split())
NAMES = {"PERSON", "ORG", "GPE", "NORP", "LOC"}
OBJECTS = {"he": "him", "she": "her", "they": "them", "i": "me", "we": "us", "who": "whom"}
_CLAUSES = {"ccomp", "relcl", "advcl", "acl", "conj", "pcomp", "xcomp"}
_SUBJECTS = {"nsubj", "nsubjpass"}
_LONG = 12


def lowered(span: Any) -> str:
    """Return a span's text as it stands inside a sentence."""
    text: str = span.text
    first = span[0]
    if (
        first.tag_ in ("NNP", "NNPS")
        or first.text == "I"
        or first.text[1:] != first.text[1:].lower()
    ):
        return text
    if first.text.startswith("I'"):
        return text
    return text[:1].lower() + text[1:]


def raised(text: str) -> str:
    """Return a text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def body_end(doc: Doc) -> int | None:
    """Return where the full stop is; None if the sentence does not end with one."""
    return len(doc) - 1 if doc[-1].text == "." and len(doc) > 5 else None


def root(doc: Doc) -> Token | None:
    """Return the main verb, if the text is one sentence that has one."""
    found = [token for token in doc if token.dep_ == "ROOT"]
    if len(found) != 1 or found[0].pos_ not in ("VERB", "AUX"):
        return None
    return found[0]


def child(token: Token, *names: str) -> Token | None:
    """Return the first child with one of these relations."""
    return next((each for each in token.children if each.dep_ in names), None)


def edges(token: Token) -> tuple[int, int]:
    """Return where a token's phrase begins and ends."""
    return token.left_edge.i, token.right_edge.i + 1


def plural(token: Token) -> bool:
    """Tell whether the phrase of a noun is plural."""
    if token.tag_ in ("NNS", "NNPS") or token.lower_ in ("they", "we", "you", "these", "those"):
        return True
    return any(each.dep_ == "conj" for each in token.children) and any(
        each.lower_ == "and" for each in token.children
    )


def unquoted(text: str) -> bool:
    """Tell whether there is nothing that must stay where it is."""
    return not set(text) & set('"“”‘()[]:;—') and " '" not in text and "--" not in text


def starts_plainly(doc: Doc, verb: Token) -> bool:
    """Tell whether a sentence begins with the subject of its main verb."""
    subject = child(verb, *_SUBJECTS)
    return subject is not None and subject.left_edge.i == 0 and subject.i < verb.i


def fronted(doc: Doc) -> Iterator[str]:
    """On Monday, they left → They left on Monday."""
    verb, end = root(doc), body_end(doc)
    if verb is None or end is None or not unquoted(doc.text):
        return
    phrase = next((c for c in verb.children if c.left_edge.i == 0 and c.i < verb.i), None)
    if phrase is None or phrase.dep_ not in ("prep", "npadvmod", "advcl"):
        return
    after = phrase.right_edge.i + 1
    subject = child(verb, *_SUBJECTS)
    if doc[after].text != "," or subject is None or subject.left_edge.i != after + 1:
        return
    if any(t.dep_ in _CLAUSES and t.pos_ in ("VERB", "AUX") for t in doc[verb.i + 1 : end]):
        return
    if phrase.dep_ == "advcl" and child(phrase, "mark", "advmod") is None:
        return
    moved = lowered(doc[:after])
    comma = "," if phrase.dep_ == "advcl" and moved.split()[0] in ("although", "though") else ""
    yield raised(f"{doc[after + 1 : end].text}{comma} {moved}.")


def ended(doc: Doc) -> Iterator[str]:
    """They left on Monday → On Monday, they left; also clauses with when, because and the like."""
    verb, end = root(doc), body_end(doc)
    if verb is None or end is None or not unquoted(doc.text) or not starts_plainly(doc, verb):
        return
    if child(verb, "ccomp") is not None:
        return
    phrase = next((c for c in verb.children if c.right_edge.i == end - 1 and c.i > verb.i), None)
    if phrase is None or not _movable(phrase):
        return
    start = phrase.left_edge.i
    rest = doc[: start - 1] if doc[start - 1].text == "," else doc[:start]
    if len(rest) <= verb.i:
        return
    moved = doc[start:end].text
    if moved.split()[0] in DAYS:
        moved = f"on {moved}"
    yield f"{raised(moved)}, {lowered(rest)}."


def _movable(phrase: Token) -> bool:
    if phrase.dep_ == "prep":
        noun = child(phrase, "pobj")
        if noun is None or noun.ent_type_ == "":
            return phrase.lower_ in TIMES and noun is not None
        if noun.ent_type_ in ("DATE", "TIME"):
            return phrase.lower_ not in ("from", "to", "by", "of", "for", "between")
        return phrase.lower_ in TIMES or (phrase.lower_ == "in" and noun.ent_type_ == "GPE")
    if phrase.dep_ == "npadvmod":
        return phrase.ent_type_ in ("DATE", "TIME") or phrase.text in DAYS
    if phrase.dep_ != "advcl" or child(phrase, *_SUBJECTS) is None:
        return False
    mark = child(phrase, "mark", "advmod")
    return mark is not None and mark.lower_ in MARKS and mark.i == phrase.left_edge.i


def said_last(doc: Doc) -> Iterator[str]:
    """Officials said that taxes rose → Taxes rose, officials said; or: according to officials."""
    verb, end = root(doc), body_end(doc)
    if verb is None or end is None or verb.lemma_ not in SAYING or not unquoted(doc.text):
        return
    clause = child(verb, "ccomp")
    if clause is None or not starts_plainly(doc, verb) or clause.i < verb.i:
        return
    start, stop = edges(clause)
    subject = child(clause, *_SUBJECTS)
    if stop != end or subject is None or subject.pos_ == "PRON" or subject.left_edge.i > start + 1:
        return
    head = doc[:start]
    if doc[start].lower_ == "that":
        start += 1
    if head[-1].text == "," or len(head) > _LONG or child(verb, "neg", "aux") is not None:
        return
    told = raised(doc[start:end].text)
    yield f"{told}, {lowered(head)}."
    if verb.text in ("said", "says") and head[-1] == verb:
        who = lowered(doc[: verb.i])
        who = OBJECTS.get(who.lower(), who)
        yield f"According to {who}, {lowered(doc[start:end])}."
        yield f"{told}, according to {who}."


def said_first(doc: Doc) -> Iterator[str]:
    """Taxes rose, officials said → Officials said that taxes rose."""
    verb, end = root(doc), body_end(doc)
    if verb is None or end is None or verb.lemma_ not in SAYING or not unquoted(doc.text):
        return
    clause, subject = child(verb, "ccomp"), child(verb, "nsubj")
    if clause is None or subject is None or not clause.i < subject.i:
        return
    start, stop = edges(clause)
    if start != 0 or doc[stop].text != "," or not unquoted(doc[:stop].text):
        return
    head = doc[stop + 1 : end]
    if head[0].i != subject.left_edge.i or len(head) > _LONG or subject.i > verb.i:
        return
    yield f"{raised(head.text)} that {lowered(doc[:stop])}."
    if head[-1] == verb:
        who = doc[stop + 1 : verb.i].text
        yield f"According to {OBJECTS.get(who.lower(), who)}, {lowered(doc[:stop])}."


def contrasted(doc: Doc) -> Iterator[str]:
    """It rained, but they won → Although it rained, they won; and back."""
    verb, end = root(doc), body_end(doc)
    if verb is None or end is None or not unquoted(doc.text):
        return
    other = next((c for c in verb.children if c.dep_ == "conj" and child(c, "nsubj")), None)
    joint = child(verb, "cc")
    if other is not None and joint is not None and joint.lower_ == "but":
        start, stop = other.left_edge.i, other.right_edge.i + 1
        first = doc[: joint.i - 1] if doc[joint.i - 1].text == "," else doc[: joint.i]
        if start == joint.i + 1 and stop == end and starts_plainly(doc, verb):
            yield f"Although {lowered(first)}, {doc[start:end].text}."
            yield f"{raised(doc[start:end].text)}, although {lowered(first)}."
    clause = child(verb, "advcl")
    if clause is not None and clause.left_edge.i == 0 and doc[0].text in ("Although", "Though"):
        after = clause.right_edge.i + 1
        subject = child(verb, *_SUBJECTS)
        whole = subject is not None and child(clause, *_SUBJECTS) is not None
        if doc[after].text == "," and whole and subject.left_edge.i == after + 1:
            yield f"{raised(doc[1:after].text)}, but {doc[after + 1 : end].text}."


def renamed(doc: Doc) -> Iterator[str]:
    """Ann Lee, the firm's chief, left → The firm's chief, Ann Lee, left."""
    for token in doc:
        other = child(token, "appos")
        if other is None or other.i < token.i or token.pos_ not in ("NOUN", "PROPN"):
            continue
        start, middle, stop = token.left_edge.i, other.left_edge.i, other.right_edge.i + 1
        if stop >= len(doc) or doc[middle - 1].text != "," or doc[stop].text not in (",", "."):
            continue
        one, two = doc[start : middle - 1], doc[middle:stop]
        if len(one) > 7 or len(two) > 9 or not (unquoted(one.text) and unquoted(two.text)):
            continue
        if "," in one.text + two.text or any(t.like_num for t in two) or other.pos_ == "NUM":
            continue
        if {"PERSON", "ORG"}.isdisjoint(t.ent_type_ for t in one) or child(token, "prep"):
            continue
        if two[0].tag_ == "NN":
            yield from _titled(doc, one, two, stop)
        name = f"the {two.text}" if two[0].tag_ == "NN" else two.text
        yield _joined(doc[:start], name, ",", one, doc[stop:])


def _titled(doc: Doc, one: Any, two: Any, stop: int) -> Iterator[str]:
    """Ann Lee, president of the club, left → Club president Ann Lee left."""
    if len(two) < 3 or two[1].lower_ != "of" or doc[stop].text != ",":
        return
    body = two[2:]
    if body[0].lower_ == "the":
        body = body[1:]
    if len(body) and len(body) < 4 and body[-1].ent_type_ in NAMES:
        name = f"{body.text} {two[0].text} {one.text}"
        rest = doc[stop + 1 :]
        yield spaced(doc[: one[0].i].text, name, rest.text)


def owned(doc: Doc) -> Iterator[str]:
    """The city's new mayor → the new mayor of the city; and back, for names."""
    for token in doc:
        owner = child(token, "poss")
        if owner is not None and owner.pos_ in ("NOUN", "PROPN") and child(owner, "case"):
            start, stop = owner.left_edge.i, owner.right_edge.i + 1
            inner = doc[start : stop - 1]
            if len(inner) > 5 or (token.i + 1 < len(doc) and doc[token.i + 1].lower_ == "of"):
                continue
            if owner.ent_type_ not in ("DATE", "TIME", "CARDINAL", "MONEY", "WORK_OF_ART"):
                things = doc[stop : token.i + 1]
                if len(things):
                    name = f"the {things.text} of {lowered(inner) if start == 0 else inner.text}"
                    yield spaced(doc[:start].text, name, doc[token.i + 1 :].text)
        joint = next((c for c in token.children if c.lower_ == "of" and c.i == token.i + 1), None)
        if joint is None or token.tag_ not in ("NN", "NNS") or token.left_edge.lower_ != "the":
            continue
        whole = child(joint, "pobj")
        start, stop = token.left_edge.i, joint.right_edge.i + 1
        if whole is None or whole.ent_type_ not in NAMES or stop - joint.i > 5:
            continue
        if child(whole, "prep", "appos", "conj", "relcl", "cc") or token.right_edge.i >= stop:
            continue
        if token.lower_ in _PARTS:
            continue
        inner = doc[joint.i + 1 : stop]
        mark = "'" if inner.text.endswith("s") else "'s"
        name = f"{inner.text}{mark} {doc[start + 1 : token.i + 1].text}"
        yield spaced(doc[:start].text, name, doc[stop:].text)


_PARTS = set(
    "number lot part rest end half most city state town university department bank house court "
    "majority total way kind type beginning start people province island republic kingdom".split()
)


def swapped(doc: Doc) -> Iterator[str]:
    """Cats and dogs → dogs and cats."""
    for token in doc:
        others = [c for c in token.children if c.dep_ == "conj"]
        joint = child(token, "cc")
        if len(others) != 1 or joint is None or joint.lower_ not in ("and", "or"):
            continue
        other = others[0]
        if other.pos_ != token.pos_ or token.pos_ not in ("NOUN", "PROPN"):
            continue
        start, stop = token.left_edge.i, other.right_edge.i + 1
        one, two = doc[start : joint.i], doc[joint.i + 1 : stop]
        if (
            not len(one)
            or not len(two)
            or two[0].i != other.left_edge.i
            or (start and doc[start - 1].lower_ in ("between", "both"))
        ):
            continue
        inside = one[0].ent_iob_ == "B" and two[-1].ent_iob_ == "I"
        if inside and one[0].ent_type_ in NAMES and all(t.ent_type_ for t in doc[start:stop]):
            continue
        bare = len(one) == 1 and len(two) == 1
        people = token.ent_type_ == other.ent_type_ == "PERSON"
        fixed = one[0].dep_ == two[0].dep_ == "det" and len(one) < 7 and len(two) < 7
        if not (bare or people or fixed) or not unquoted(doc[start:stop].text):
            continue
        if "," in doc[start:stop].text or any(t.like_num for t in doc[start:stop]):
            continue
        if child(other, "relcl", "prep", "acl", "conj", "appos") or doc[stop - 1].text.endswith(
            "'s"
        ):
            continue
        first = lowered(one) if start == 0 else one.text
        yield spaced(doc[:start].text, f"{two.text} {joint.text} {first}", doc[stop:].text)


def lightened(doc: Doc) -> Iterator[str]:
    """The man who was arrested there → the man arrested there; said that → said."""
    for token in doc:
        if token.dep_ == "relcl" and token.tag_ in ("VBN", "VBG"):
            who, was = child(token, *_SUBJECTS), child(token, "auxpass", "aux")
            if who is None or was is None or was.lemma_ != "be" or child(token, "neg"):
                continue
            if who.lower_ in ("who", "which", "that") and who.i + 1 == was.i == token.i - 1:
                yield spaced(doc[: who.i].text, "", doc[token.i :].text)
        if token.dep_ == "mark" and token.lower_ == "that" and doc[token.i - 1].lemma_ in SAYING:
            yield spaced(doc[: token.i].text, "", doc[token.i + 1 :].text)


def _joined(before: Any, *parts: Any) -> str:
    """Put a phrase, a comma and another one between what stands before and after."""
    name, comma, one, after = parts
    first = lowered(one) if one[0].i == 0 else one.text
    return spaced(before.text, f"{name}{comma} {first}", after.text)


def spaced(before: str, middle: str, after: str) -> str:
    """Join parts of a sentence with spaces, none before punctuation."""
    text = " ".join(part for part in (before, middle, after) if part)
    for mark in (" ,", " .", " 's", " ?", " !", " ;", " n't", " %", " :"):
        text = text.replace(mark, mark[1:])
    return raised(" ".join(text.split()))


RULES: dict[str, Rule] = {
    "fronted": fronted,
    "ended": ended,
    "said_last": said_last,
    "said_first": said_first,
    "contrasted": contrasted,
    "renamed": renamed,
    "owned": owned,
    "swapped": swapped,
    "lightened": lightened,
}
