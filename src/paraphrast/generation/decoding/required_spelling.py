"""How a model spells what a text must contain, and how far a text has come with it.

A string is cut into sub-words as the tokeniser cuts it where it stands: at the beginning of a text,
after a space, or right behind a bracket. These spellings say which sub-words bring a text nearer to
the string. Whether it is there is read from the surface, however it was cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from paraphrast.generation.decoding.requirements import Requirement, opens_sentence, stands
from paraphrast.models.generator.language_model import LanguageModel

_Place = Literal["first", "spaced", "glued"]
_CONTEXTS: dict[_Place, str] = {"first": "", "spaced": "a ", "glued": "("}
_OPENING = frozenset("([{\"“‘«'/-–—")  # marks that words follow without a space
_CLINGING = frozenset(",;:.!?)]}%’'")  # marks that follow a word without a space


@dataclass(frozen=True, slots=True)
class RequiredSpelling:
    """The sub-words of a string in one kind of place, and the surface before each of them."""

    ids: tuple[int, ...]
    before: tuple[str, ...]
    surface: str
    place: _Place
    opening: bool  # only at the beginning of a sentence

    def fits(self, text: str, start: int) -> bool:
        """Whether the spelling may begin at a place of the text."""
        if self.opening and not opens_sentence(text, start):
            return False
        if self.place == "first" or not start:
            return self.place == "first" and not start
        last, first = text[start - 1], self.surface.lstrip()[0]
        follows = last.isspace() or last in _OPENING
        if first in _CLINGING:
            return self.place == "glued" and not follows
        if self.place == "spaced":
            return not follows
        return follows or (first.isalpha() and first.lower() == first.upper())


@dataclass(frozen=True, slots=True)
class SpelledRequirement:
    """A requirement with every way to write it."""

    requirement: Requirement
    spellings: tuple[RequiredSpelling, ...]
    forms: tuple[tuple[str, bool], ...]  # what it looks like, and whether it opens a sentence
    begun: tuple[str, ...]  # every surface that stands before a further sub-word

    @property
    def shortest(self) -> int:
        """The fewest sub-words that meet it."""
        return min(len(each.ids) for each in self.spellings)

    @property
    def size(self) -> int:
        """The progress of a text that meets it: the sub-words of its longest usual spelling."""
        usual = [each for each in self.spellings if each.place != "glued"] or self.spellings
        return max(len(each.ids) for each in usual)

    def is_met(self, text: str) -> bool:
        """Whether the surface of a running text contains it so far."""
        return any(stands(form, text, opening=opening) for form, opening in self.forms)

    def progress(self, text: str) -> int:
        """Return how far a text has come: `size` less the sub-words that it lacks; 0 at first."""
        if self.is_met(text):
            return self.size
        if not text.endswith(self.begun):
            return 0
        left = [len(each.ids) - number for each, number in self._next(text) if number]
        return max(0, self.size - min(left, default=self.size))

    def following(self, text: str) -> set[int]:
        """Return the sub-words that open it or go on with it after a text that lacks it."""
        return {each.ids[number] for each, number in self._next(text)}

    def _next(self, text: str) -> Iterator[tuple[RequiredSpelling, int]]:
        """Yield spellings that may go on here, and how many of their sub-words are there."""
        for each in self.spellings:
            for number, before in enumerate(each.before):
                if text.endswith(before) and each.fits(text, len(text) - len(before)):
                    yield each, number


class RequirementSpeller:
    """Spells requirements with the vocabulary of one model; each once."""

    def __init__(self, model: LanguageModel, pieces: Sequence[str]) -> None:
        self._model = model
        self._pieces = pieces
        self._known: dict[Requirement, SpelledRequirement | None] = {}

    def spell(self, requirement: Requirement) -> SpelledRequirement | None:
        """Return the requirement with its spellings; None if the model cannot write it."""
        if requirement not in self._known:
            self._known[requirement] = self._spelled(requirement)
        return self._known[requirement]

    def _spelled(self, requirement: Requirement) -> SpelledRequirement | None:
        variants = requirement.variants()
        spellings = [each for form, opening in variants for each in self._forms(form, opening)]
        if not spellings:
            return None
        # a byte that is no character looks otherwise in a running text
        looks = [(each.surface.strip(), each.opening) for each in spellings]
        begun = {before for each in spellings for before in each.before[1:]}
        forms = tuple(dict.fromkeys([*variants, *looks]))
        return SpelledRequirement(requirement, tuple(spellings), forms, tuple(sorted(begun)))

    def _forms(self, form: str, opening: bool) -> Iterator[RequiredSpelling]:
        rows = self._model.targets([context + form for context in _CONTEXTS.values()])
        for place, row in zip(_CONTEXTS, rows, strict=True):
            ids = self._tail(row[:-1].tolist(), form)
            shown = [self._pieces[token] for token in ids]
            if ids and all(shown):
                before = tuple("".join(shown[:number]) for number in range(len(shown)))
                yield RequiredSpelling(tuple(ids), before, "".join(shown), place, opening)

    def _tail(self, ids: list[int], form: str) -> list[int]:
        """Return the longest tail that is the form alone."""
        tails = [ids[start:] for start in range(len(ids))]
        texts = self._model.decode(tails) if tails else []
        return next(
            (tail for tail, text in zip(tails, texts, strict=True) if text.strip() == form), []
        )
