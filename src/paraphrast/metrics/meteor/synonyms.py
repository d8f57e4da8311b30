"""WordNet look-ups as METEOR makes them: the synsets of a word and of its base form."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

# WordNet's detachment rules, in the order the jar tries them: nouns, verbs, adjectives.
_DETACHMENTS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("est", ""),
    ("er", "e"),
    ("est", "e"),
)
_CACHED_WORDS = 1 << 16


class SynonymTable:
    """Which WordNet synsets a word belongs to.

    Both files alternate a key line with a line of values: word / synset numbers, and base form /
    its irregular inflections. Values are split on look-up: most words are never asked for.
    """

    def __init__(self, synsets: Sequence[str], exceptions: Sequence[str]) -> None:
        self._synsets = dict(zip(synsets[::2], synsets[1::2], strict=True))
        self._bases: dict[str, list[str]] = {}
        for base, inflections in zip(exceptions[::2], exceptions[1::2], strict=True):
            for word in inflections.split():
                self._bases.setdefault(word, []).append(base)
        self.of = lru_cache(maxsize=_CACHED_WORDS)(self._look_up)

    def _look_up(self, word: str) -> frozenset[str]:
        """Return the synsets of the word and of its base forms; two synonyms share one."""
        forms = [word, *self._base_forms(word)]
        return frozenset(number for form in forms for number in self._synsets.get(form, "").split())

    def _base_forms(self, word: str) -> list[str]:
        """Return the irregular bases or, for a regular word, the first base WordNet knows."""
        if word in self._bases:
            return self._bases[word]
        if word.endswith("ss") or len(word) < 3:
            return []
        for suffix, ending in _DETACHMENTS:
            base = word.removesuffix(suffix) + ending
            if word.endswith(suffix) and base in self._synsets:
                return [base]
        return []
