"""What a text must contain: a string, or one of several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paraphrast.errors import ConfigError
from paraphrast.generation.decoding.constraints import forbidden_in, free_places, survives

CLOSING = frozenset((".", "!", "?", "。", "！", "？"))  # marks at the end of a sentence
QUOTES = " \n\t\"'”’»)"  # what may stand after them
_BEFORE = QUOTES + "“‘«(["  # what may stand between such a mark and the next sentence
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Requirement:
    """Strings of which a text must contain one; `name` is what reports call them.

    A string stands free of longer words and numbers, as `survives` has it. Unless `exact`, one that
    begins with a word in lower case may open a sentence with a capital.
    """

    name: str
    strings: tuple[str, ...]
    exact: bool = False

    @classmethod
    def kept(cls, string: str) -> Requirement:
        """Return a string of the source that stays as it is."""
        return cls(string, (string,), exact=True)

    @classmethod
    def parse(cls, written: str) -> Requirement:
        r"""Read "car" or "car|automobile"; \| is a bar.

        >>> Requirement.parse("a car|an automobile").strings
        ('a car', 'an automobile')
        """
        strings = [each.replace(r"\|", "|").strip() for each in _BAR.split(written)]
        if not all(strings):
            raise ConfigError(
                f"must={written!r} holds an empty string; give it a word or leave it out "
                r"(a bar parts strings of which one suffices; \| is a bar itself)"
            )
        return cls(written.strip(), tuple(dict.fromkeys(strings)))

    def variants(self) -> list[tuple[str, bool]]:
        """Return every form that meets it, and whether that form has to open a sentence."""
        forms = [(string, False) for string in self.strings]
        if not self.exact:
            forms += [(capital(string), True) for string in self.strings if _may_rise(string)]
        return forms

    def met_by(self, text: str) -> bool:
        """Whether the text contains one of the strings."""
        return any(stands(form, text, opening=opening) for form, opening in self.variants())


def stands(form: str, text: str, *, opening: bool) -> bool:
    """Whether a form stands free in the text, at the beginning of a sentence if that is asked."""
    if form not in text:
        return False
    if not opening:
        return survives(form, text)
    return any(opens_sentence(text, place) for place in free_places(form, text))


def opens_sentence(text: str, place: int) -> bool:
    """Whether what stands at a place of the text is the first of a sentence."""
    before = text[:place].rstrip(_BEFORE)
    return not before or before[-1] in CLOSING


def capital(string: str) -> str:
    """Return the string with a capital at its beginning."""
    return string[:1].upper() + string[1:]


def _may_rise(string: str) -> bool:
    """Whether a string begins with a plain word: "iPhone" and "x86" have no capital form."""
    word = string.split()[0]
    return word.islower() and capital(string) != string and not any(map(str.isdigit, word))


def parse_all(written: Sequence[str], forbid: Iterable[str]) -> tuple[Requirement, ...]:
    """Read every string of `must`; ConfigError for what is empty, double or forbidden."""
    found: dict[tuple[str, ...], Requirement] = {}
    forbid = tuple(forbid)
    for each in written:
        requirement = Requirement.parse(each)
        key = tuple(sorted(requirement.strings))
        if key in found:
            raise ConfigError(f"must={each!r} is given twice; give it once")
        found[key] = requirement
        against = [forbidden_in(string, forbid) for string in requirement.strings]
        if None not in against:
            raise ConfigError(
                f"must={each!r} and forbid={against[0]!r} contradict each other; drop one of them"
            )
    return tuple(found.values())


def home(requirement: Requirement, parts: Sequence[str]) -> int:
    """Return the part of a long text that is to meet a requirement.

    The first that meets it already; else the one that has the longest beginning of one of its
    words, such as "commit" for "committees"; else the longest, where there is most room.
    """
    for place, part in enumerate(parts):
        if requirement.met_by(part):
            return place
    shared = [_shared(requirement, part.lower()) for part in parts]
    return max(range(len(parts)), key=lambda place: (shared[place], len(parts[place]), -place))


_STEM = 4  # letters that two words share at least before they count as akin


def _shared(requirement: Requirement, part: str) -> int:
    """Return how many letters of a word of the requirement open a word of the part."""
    words = {word for string in requirement.strings for word in string.lower().split()}
    return max(
        (
            length
            for word in words
            for length in range(_STEM, len(word) + 1)
            if re.search(rf"\b{re.escape(word[:length])}", part)
        ),
        default=0,
    )
