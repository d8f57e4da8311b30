"""A small rule-based sentence splitter: deterministic, no models, no downloads.

A line break always ends a sentence. So does a terminator with its closing quotes and brackets: in
scripts written without spaces wherever it stands, elsewhere only before white space, which leaves
decimals, URLs and e-mail addresses whole. What remains is the full stop of abbreviations and
initials; word lists and the next word decide there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# A full stop after these says nothing: a name, or what is compared or explained, follows.
_NEVER_END = frozenset(
    "mr mrs ms messrs mme mlle dr drs prof profs st sts ste mt gen col lt cpt capt cmdr maj sgt "
    "cpl pvt adm gov sen sens rep reps rev hon pres supt insp det fr amb atty msgr brig asst assoc "
    "vs cf viz e.g i.e eg ie p.s ps approx ca esp incl resp".split()
)
# These are abbreviations only before a number: "No. 5", "Fig. 2", "Jan. 3".
_BEFORE_NUMBER = frozenset(
    "no nos nr art arts sec secs ch chap fig figs eq eqs tab vol vols pt pp p pg para ref refs op "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun "
    "tel ext".split()
)
# These may end a sentence too: a typical first word after them tells.
_MAY_END = frozenset(
    "etc inc ltd co cos corp bros llc plc jr sr esq al ave blvd rd hwy dept univ est assn intl "
    "natl ed eds ret ph.d phd dist bldg ariz calif colo conn fla ga kan ky mich minn mont neb nev "
    "okla ore penn tenn tex va vt wis wyo oz lb lbs ft hr hrs min mins yr yrs tbsp tsp avg".split()
)
_OPENING_WORDS = frozenset(
    "a after all also although an and another any are as at because before both but by can could "
    "did do does each even every for from get had has have he her here his how however i if in is "
    "it its just last let like many maybe meanwhile more most my never no not nothing now of on "
    "once one only or our perhaps please she should since so some still such thank thanks that the "
    "their then there these they this those though thus to today too under until was we were what "
    "when where whether which while who why will with would yes yet you your".split()
)

_CLOSERS = re.escape("\"'”’»›)]}〉》」』】〕）］｝＂＇")
_OPENERS = "\"'“‘«‹([{<`„‚¿¡*_-–—"
_CONTINUES = frozenset(",;:)]}、，；：」』）")
_MARKS = ".!?…؟‼⁇⁈⁉"
_BREAK = re.compile(
    rf"""
      (?: [。！？｡।॥։።။។۔] | ．(?!\d) ) [。！？｡।॥．{_MARKS}]*+ (?P<shut> [{_CLOSERS}]*+ ) \s*+
    | (?<! [{_MARKS}] ) (?P<mark> \.(?:[ ]\.)+ | [{_MARKS}]++ ) (?P<close> [{_CLOSERS}]*+ ) (?!\S)
      (?: \s (?:''|['”’)\]]) (?!\S) )?+  # a closing quote or bracket that a tokeniser set apart
      \s*+
    """,
    re.VERBOSE,
)
_next_word = re.compile(rf"[{re.escape(_OPENERS)}]*+([\w-]*+)").match
_only_marks = re.compile(rf"[{_MARKS}]++(?!\S)").match
_is_dotted = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]|(?:[^\W\d_]\.)+[^\W\d_]{2}").fullmatch
_is_enumerator = re.compile(r"[(\[]?(?:\d{1,3}|[^\W\d_]|[ivxIVX]{1,5})").fullmatch
_LONGEST_ABBREVIATION = 16
_LONGEST_ENUMERATOR = 7


def split_sentences(text: str) -> list[str]:
    """Return the sentences, stripped, none empty; together they hold every non-space character."""
    return [piece for line in text.splitlines() for piece in _pieces(line.strip())]


def _pieces(line: str) -> Iterator[str]:
    start = 0
    for match in _BREAK.finditer(line):
        if _is_boundary(line, start, match):
            yield line[start : match.end()].rstrip()
            start = match.end()
    if start < len(line):
        yield line[start:]


def _is_boundary(line: str, start: int, match: re.Match[str]) -> bool:
    following = line[match.end() : match.end() + 1]
    if following in _CONTINUES or _only_marks(line, match.end()):
        return False
    mark = match["mark"]
    if mark is None:
        # 「…。」と言った: a quotation runs on into the particle that reports it.
        return not (match["shut"] and "ぁ" <= following <= "ゟ")
    found = _next_word(line, match.end())
    word = found[1] if found else ""
    is_ellipsis = mark != "." and not mark.strip(".… ")
    if word[:1].islower() and (match["close"] or is_ellipsis):
        return False
    return mark != "." or _ends_at_full_stop(line, start, match.start(), word)


def _ends_at_full_stop(line: str, start: int, stop: int, word: str) -> bool:
    """Tell the end of a sentence from an abbreviation, an initial or the number of a list item."""
    tail = line[max(start, stop - _LONGEST_ABBREVIATION) : stop]
    if not tail or tail[-1].isspace():
        return True
    last = tail.split()[-1].lstrip(_OPENERS).lower()
    if last in _NEVER_END or (stop - start <= _LONGEST_ENUMERATOR and _is_enumerator(tail)):
        return False
    if last in _BEFORE_NUMBER and word[:1].isdigit():
        return False
    if last in _MAY_END or (last.islower() and _is_dotted(last)):
        is_initial = len(last) > 1 or tail[-1].isupper()
        return word[:1].isupper() and (word.lower() in _OPENING_WORDS or not is_initial)
    return True
