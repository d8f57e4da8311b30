"""The English ("Porter2") Snowball stemmer as it stood when METEOR 1.5 was released.

Snowball has changed its English rules since (``-ogist``, ``inter-``, more exceptions), so today's
stemmer packages disagree with the jar on words as common as "organizations" and "adding"; this is
the earlier algorithm, frozen. Of 103,536 English words of corpora, snowballstemmer 3.1 stems 143
otherwise; on the rest it is the oracle of a test. Steps are numbered as in Snowball's description.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_WHOLE_WORDS = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    **{word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")},
}
_DONE_AFTER_STEP_1A = frozenset(
    ("inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed")
)
_STEP_2 = {
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "abli": "able",
    "entli": "ent",
    "izer": "ize",
    "ization": "ize",
    "ational": "ate",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "aliti": "al",
    "alli": "al",
    "fulness": "ful",
    "ousli": "ous",
    "ousness": "ous",
    "iveness": "ive",
    "iviti": "ive",
    "biliti": "ble",
    "bli": "ble",
    "fulli": "ful",
    "lessli": "less",
    "ogi": "og",
    "li": "",
}
_STEP_3 = {
    "tional": "tion",
    "ational": "ate",
    "alize": "al",
    "icate": "ic",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
    "ative": "",
}
_STEP_4 = {
    **dict.fromkeys(("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement"), ""),
    **dict.fromkeys(("ment", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion"), ""),
}
# Suffixes that go only when one of these letters stands before them.
_NEEDS_BEFORE = {"ogi": "l", "li": "cdeghkmnrt", "ion": "st"}

_VOWEL = re.compile("[aeiouy]")
_Y_AFTER_VOWEL = re.compile("([aeiouy])y")
_REGION = re.compile("[^aeiouy]*[aeiouy]+[^aeiouy]")
_REGION_EXCEPTION = re.compile("gener|commun|arsen")
_SHORT_SYLLABLE = re.compile(r"(?:[^aeiouy][aeiouy][^aeiouywxY]|\A[aeiouy][^aeiouy])\Z")
_POSSESSIVE = re.compile(r"'(?:s'?)?\Z")
_DOUBLE = re.compile(r"(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)\Z")


def _one_of(suffixes: Iterable[str]) -> re.Pattern[str]:
    """Search with this to find the longest of the suffixes: the leftmost match is the longest."""
    return re.compile(rf"(?:{'|'.join(suffixes)})\Z")


_ENDS_1A = _one_of(("sses", "ied", "ies", "s", "us", "ss"))
_ENDS_1B = _one_of(("eed", "eedly", "ed", "edly", "ing", "ingly"))
_ENDS_2 = _one_of(_STEP_2)
_ENDS_3 = _one_of(_STEP_3)
_ENDS_4 = _one_of(_STEP_4)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of one or two characters are their own."""
    if len(word) < 3 or word in _WHOLE_WORDS:
        return _WHOLE_WORDS.get(word, word)
    word = _mark_consonant_y(word.removeprefix("'"))
    region1, region2 = _regions(word)
    word = _step_1a(word)
    if word not in _DONE_AFTER_STEP_1A:
        word = _step_1c(_step_1b(word, region1))
        word = _replace(word, _ENDS_2, _STEP_2, region1)
        word = _step_3(word, region1, region2)
        word = _replace(word, _ENDS_4, _STEP_4, region2)
        word = _step_5(word, region1, region2)
    return word.replace("Y", "y")


def _mark_consonant_y(word: str) -> str:
    """Write Y for a y that is a consonant: at the start or after a vowel."""
    if word.startswith("y"):
        word = "Y" + word[1:]
    return _Y_AFTER_VOWEL.sub(r"\1Y", word)


def _regions(word: str) -> tuple[int, int]:
    """Return where R1 and R2 start: after the first non-vowel that follows a vowel, twice."""
    first = _REGION_EXCEPTION.match(word) or _REGION.match(word)
    if first is None:
        return len(word), len(word)
    second = _REGION.match(word, first.end())
    return first.end(), second.end() if second else len(word)


def _step_1a(word: str) -> str:
    word = _POSSESSIVE.sub("", word)
    found = _ENDS_1A.search(word)
    if found is None:
        return word
    suffix, base = found.group(), word[: found.start()]
    if suffix == "sses":
        return base + "ss"
    if suffix in ("ied", "ies"):
        return base + ("i" if len(base) > 1 else "ie")
    if suffix == "s" and _VOWEL.search(base[:-1]):
        return base
    return word


def _step_1b(word: str, region1: int) -> str:
    found = _ENDS_1B.search(word)
    if found is None:
        return word
    suffix, base = found.group(), word[: found.start()]
    if suffix.startswith("eed"):
        return base + "ee" if found.start() >= region1 else word
    if not _VOWEL.search(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if _DOUBLE.search(base):
        return base[:-1]
    return base + "e" if len(base) == region1 and _SHORT_SYLLABLE.search(base) else base


def _step_1c(word: str) -> str:
    if len(word) > 2 and word[-1] in "yY" and not _VOWEL.match(word[-2]):
        return word[:-1] + "i"
    return word


def _replace(word: str, ends: re.Pattern[str], becomes: dict[str, str], region: int) -> str:
    found = ends.search(word)
    if found is None or found.start() < region:
        return word
    suffix, base = found.group(), word[: found.start()]
    if suffix in _NEEDS_BEFORE and not base.endswith(tuple(_NEEDS_BEFORE[suffix])):
        return word
    return base + becomes[suffix]


def _step_3(word: str, region1: int, region2: int) -> str:
    region = region2 if word.endswith("ative") else region1
    return _replace(word, _ENDS_3, _STEP_3, region)


def _step_5(word: str, region1: int, region2: int) -> str:
    base = word[:-1]
    in_region2 = len(base) >= region2
    if word.endswith("e"):
        in_region1 = len(base) >= region1
        return base if in_region2 or (in_region1 and not _SHORT_SYLLABLE.search(base)) else word
    return base if in_region2 and word.endswith("ll") else word
