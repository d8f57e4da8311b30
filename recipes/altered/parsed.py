"""Pairs of parsed sentences: a change beside the sentence, its rewordings and its partner."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from held_out import normal_form

from .changes_clauses import ClauseChanges
from .changes_words import WordChanges
from .editing import Doc, Edit
from .grammar import hashed
from .pairs import KINDS, Pair, chrf
from .rewordings import Rewordings
from .sources import Sentence

ENOUGH = 1_100  # changed sentences of a kind
AGREEING = 0.3, 0.97  # chrF of natural paraphrases that are taken
Change = Callable[[Doc], Iterator[Edit]]


@dataclass(frozen=True)
class Altered:
    """A sentence, one change of it, and rewordings: of the sentence and of what it became."""

    kind: str
    sentence: Sentence
    edit: Edit
    own: list[str]
    general: list[str]


class Alterer:
    """Makes pairs of parsed sentences."""

    def __init__(self, nlp: Any, docs: list[Doc], rng: random.Random) -> None:
        self._nlp, self._rng = nlp, rng
        words, clauses = WordChanges(docs, rng), ClauseChanges(rng)
        self._rewordings = Rewordings(words.voices, rng)
        self._changes: dict[str, Change] = {
            kind: getattr(words if hasattr(words, kind) else clauses, kind)
            for kind in KINDS
            if kind != "sense"
        }

    def altered(self, sentences: list[Sentence], docs: list[Doc]) -> list[Altered]:
        """Return changes of sentences, up to ENOUGH of a kind; the scarcest kinds come first."""
        counts: Counter[str] = Counter()
        found = []
        for sentence, doc in zip(sentences, docs, strict=True):
            made = {kind: _applied(change, doc) for kind, change in self._changes.items()}
            kinds = [
                k for k in sorted(made, key=lambda k: counts[k]) if made[k] and counts[k] < ENOUGH
            ]
            for kind in kinds[:2]:
                counts[kind] += 1
                found.append(self._one(kind, sentence, doc, self._rng.choice(made[kind])))
        return found

    def _one(self, kind: str, sentence: Sentence, doc: Doc, edit: Edit) -> Altered:
        return Altered(
            kind, sentence, edit, self._rewordings.of_kind(doc, kind), self._rewordings.general(doc)
        )

    def pairs(self, found: list[Altered]) -> Iterator[Pair]:
        """Yield the pairs of all changes: the changed text is parsed and reworded too."""
        parsed = self._nlp.pipe((each.edit.text for each in found), batch_size=256)
        for each, doc in zip(found, parsed, strict=True):
            of_change = self._rewordings.of_kind(doc, each.kind) + self._rewordings.general(doc)
            for pair in (*self._changed(each, of_change), *self._unchanged(each, of_change)):
                if normal_form(pair.text1) != normal_form(pair.text2):
                    yield pair

    def _changed(self, each: Altered, of_change: list[str]) -> Iterator[Pair]:
        text, edit = each.sentence.text, each.edit
        base = Pair(
            each.kind,
            False,
            text,
            edit.text,
            each.sentence.source,
            edit.nli,
            edit.back,
            True,
            edit.reason,
            text,
        )
        yield self._either(base)
        reworded = [t for t in each.own + each.general if t != edit.text]
        if reworded:
            yield self._either(replace(base, text1=self._rng.choice(reworded), near=False))
        if of_change and (other := self._rng.choice(of_change)) != text:
            yield self._either(replace(base, text2=other, near=False))
        if each.sentence.partner and each.sentence.partner != edit.text:
            yield self._either(
                replace(base, text1=each.sentence.partner, near=False, nli=None, nli_back=None)
            )

    def _unchanged(self, each: Altered, of_change: list[str]) -> Iterator[Pair]:
        text = each.sentence.text
        base = Pair(each.kind, True, text, text, each.sentence.source, origin=text)
        for source, made in ((text, each.own), (text, each.general), (each.edit.text, of_change)):
            fit = [t for t in made if normal_form(t) != normal_form(source)]
            if fit:
                yield self._either(replace(base, text1=source, text2=self._rng.choice(fit)))
        both = [t for t in each.own + each.general if t != text]
        if len(both) > 1:
            one, two = self._rng.sample(both, 2)
            yield self._either(replace(base, text1=one, text2=two))
        partner = each.sentence.partner
        if partner and each.sentence.sure and agree(text, partner):
            yield self._either(replace(base, text2=partner))

    def _either(self, pair: Pair) -> Pair:
        return pair.turned() if self._rng.random() < 0.5 else pair


def agree(one: str, two: str) -> bool:
    """Tell whether two natural paraphrases have the same numbers and negations, and are alike."""

    def signs(text: str) -> tuple[list[str], int]:
        words = text.lower().replace("n't", " not").replace("cannot", "can not").split()
        bare = [w.strip(".,;:?!\"'()") for w in words]
        return sorted(w for w in bare if any(c.isdigit() for c in w)), sum(
            w in ("not", "no", "never", "without", "nobody", "nothing") for w in bare
        )

    ratio = len(one) / max(1, len(two))
    return (
        signs(one) == signs(two)
        and 0.65 < ratio < 1.5
        and AGREEING[0] <= chrf(one, two) <= AGREEING[1]
    )


def apart(text: str, of: int = 20) -> bool:
    """Tell whether a source sentence belongs to the held-out split."""
    return hashed(text, of) == 0


def by_kind(pairs: list[Pair]) -> dict[tuple[str, bool], list[Pair]]:
    """Return pairs by kind and class."""
    found: dict[tuple[str, bool], list[Pair]] = defaultdict(list)
    for pair in pairs:
        found[pair.kind, pair.same].append(pair)
    return found


def _applied(change: Change, doc: Doc) -> list[Edit]:
    try:
        made = list(change(doc))
    except IndexError:  # a phrase at the edge of the sentence
        return []
    return [edit for edit in made if edit.text != doc.text]
