"""Synonyms of a sense that a word does not have where it stands, from WordNet's own files."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from voices import Voices

from .editing import Doc, Edit, cased, put

_FILES = {"NOUN": "noun"}  # other verbs for a sense of a verb are too often near it
_FREQUENT = 30  # a word that is put in must be an everyday one in the sentences
_OFTEN = 25  # no word is replaced in more sentences than these
_FAR = 2  # senses before this one are too close to the usual sense


class WrongSenses:
    """Puts for a word a synonym of one of its other senses, of another field of meaning."""

    def __init__(
        self, folder: Path, docs: Iterable[Doc], voices: Voices, rng: random.Random
    ) -> None:
        self._voices, self._rng, self._used = voices, rng, Counter[str]()
        counts = Counter(
            (t.pos_, t.lemma_.lower()) for doc in docs for t in doc if t.pos_ in _FILES
        )
        self._others: dict[tuple[str, str], list[str]] = {}
        for pos, name in _FILES.items():
            senses, words, fields = _read(folder, name)
            for word, found in senses.items():
                if counts[pos, word] >= 3 and len(found) > _FAR:
                    near = {w for s in found[:_FAR] for w in words[s]} | {word}
                    fine = {fields[s] for s in found[:_FAR]}
                    kept = [
                        other for s in found[_FAR:] if fields[s] not in fine for other in words[s]
                        if other not in near and counts[pos, other] >= _FREQUENT
                        and senses[other][0] == s and not _close(other, word)
                    ]  # fmt: skip
                    if kept:
                        self._others[pos, word] = sorted(set(kept))

    def __call__(self, doc: Doc) -> Iterator[Edit]:
        """The plant closed → The flora closed."""
        for token in doc:
            others = self._others.get((token.pos_, token.lemma_.lower()))
            if (
                others is None
                or token.ent_type_
                or token.dep_ in ("compound", "aux")
                or any(c.dep_ == "prt" for c in token.children)
            ):
                continue
            if self._used[token.lemma_.lower()] >= _OFTEN:
                continue
            self._used[token.lemma_.lower()] += 1
            other = self._rng.choice(others)
            form = self._form(other, token.tag_)
            if form and "-" not in doc.text[max(0, token.idx - 1) : token.idx + len(token) + 1]:
                yield Edit(put(doc, (token.i, token.i + 1, cased(form, token.text))))

    def _form(self, word: str, tag: str) -> str | None:
        if tag in ("NN", "VB", "VBP"):
            return word
        if tag == "NNS":
            return f"{word}s" if word[-1] not in "sxyzh" else None
        return self._voices.form(word, tag) if tag.startswith("VB") else None


def _close(one: str, two: str) -> bool:
    return one[:4] == two[:4] or one in two or two in one


def _read(
    folder: Path, name: str
) -> tuple[dict[str, list[str]], dict[str, list[str]], dict[str, str]]:
    """Return a word's synsets in order of frequency, a synset's plain words, and its field."""
    words, fields = {}, {}
    for line in (folder / f"data.{name}").read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            part = line.split(" ")
            size = int(part[3], 16)
            names = [part[4 + 2 * n].lower() for n in range(size)]
            words[part[0]] = [w for w in names if w.isalpha()]
            fields[part[0]] = part[1]
    senses: dict[str, list[str]] = defaultdict(list)
    for line in (folder / f"index.{name}").read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            part = line.split()
            senses[part[0]] = part[-int(part[2]) :]
    return senses, words, fields
