"""The jar's ``-norm``: a descendant of the Moses tokeniser that also lower-cases.

Three habits set it apart from Moses: hyphens between letters or digits become spaces, acronyms
lose their full stops ("U.S." -> "us"), and "'s" is cut off in front of the apostrophe. The
patterns use ASCII digits and ASCII white space because Java's ``\\s`` and ``\\p{Digit}`` do, and
they consume their neighbours (no look-around) because that decides what happens to ",,".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest

_LETTER = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e\u0400-\u0527"
    "\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)
_ALNUM = "0-9" + _LETTER

# (a string without which the pattern cannot match, pattern, replacement), in order.
_RULES: tuple[tuple[str, re.Pattern[str], str], ...] = tuple(
    (needed, re.compile(pattern), replacement)
    for needed, pattern, replacement in (
        ("", rf"([^{_ALNUM} \t\n\v\f\r.'`,\-\u2018\u2019])", r" \1 "),
        (",", r"([^0-9]),([^0-9])", r"\1 , \2"),
        (",", r"([0-9]),([^0-9])", r"\1 , \2"),
        (",", r"([^0-9]),([0-9])", r"\1 , \2"),
        ("", r"[`\u2018\u2019]", "'"),
        ("", r"[\u201c\u201d]|''", ' " '),
        ("\u2013", "\u2013", "-"),
        ("--", "--", "-"),
        ("-", rf"([{_ALNUM}.])-([{_ALNUM}])", r"\1 \2"),
        ("'", rf"([^{_LETTER}])'([^{_LETTER}])", r"\1 ' \2"),
        ("'", rf"([^{_ALNUM}])'([{_LETTER}])", r"\1 ' \2"),
        ("'", rf"([{_LETTER}])'([^{_LETTER}])", r"\1 ' \2"),
        ("'", rf"([{_LETTER}])'([{_LETTER}])", r"\1 '\2"),
        ("'", r"([0-9])'(s)", r"\1 '\2"),
    )
)
_DOTS = re.compile(r"(\.{2,})")
_TOKEN = re.compile(r"[^ \t\n\r\f]+")
_HAS_LETTER = re.compile(f"[{_LETTER}]")
_STARTS_LOWER = re.compile("[a-z]")
_STARTS_DIGIT = re.compile("[0-9]")
_WIDE_SPACES = re.compile("[\u2000-\u200a\u202f\u205f\u3000\u00a0]")
_JAVA_TRIM = "".join(map(chr, range(33)))


def words(text: str, prefixes: Mapping[str, bool]) -> list[str]:
    """Return the lower-case tokens METEOR compares.

    ``prefixes`` maps an abbreviation that keeps its full stop ("Mr") to whether it does so only
    before a number ("No").
    """
    line = " ".join(_full_stops(list(_tokens(text)), prefixes))
    line = _WIDE_SPACES.sub(" ", line).strip(_JAVA_TRIM)
    return _TOKEN.findall(line.lower())


def _tokens(text: str) -> Iterator[str]:
    """Yield the tokens, with sentence-final full stops still attached to their words."""
    # A run of dots is a token of its own whatever surrounds it, so each stretch between two runs
    # is separated alone. (The jar swaps runs for the word DOTMULTI and back instead, and so
    # mistreats a text that holds that word.)
    for number, stretch in enumerate(_DOTS.split(text)):
        if number % 2:
            yield stretch
        else:
            yield from _TOKEN.findall(_separate(f" {stretch} "))


def _separate(text: str) -> str:
    for needed, pattern, replacement in _RULES:
        if needed in text:
            text = pattern.sub(replacement, text)
    return text


def _full_stops(tokens: list[str], prefixes: Mapping[str, bool]) -> Iterator[str]:
    """Cut off the full stops that end sentences; drop those of acronyms."""
    for token, following in zip_longest(tokens, tokens[1:], fillvalue=""):
        base = token[:-1]
        if not token.endswith(".") or not base.strip("."):
            yield token
        elif "." in base and _HAS_LETTER.search(base):
            yield token.replace(".", "")
        elif _keeps_full_stop(base, following, prefixes):
            yield token
        else:
            yield base
            yield "."


def _keeps_full_stop(base: str, following: str, prefixes: Mapping[str, bool]) -> bool:
    only_before_number = prefixes.get(base)
    if only_before_number is False or _STARTS_LOWER.match(following):
        return True
    return only_before_number is True and _STARTS_DIGIT.match(following) is not None
