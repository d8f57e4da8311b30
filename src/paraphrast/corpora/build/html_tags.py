"""Take HTML tags out of a text, and nothing that only looks like one."""

from __future__ import annotations

import regex

# Elements that stand inside a line: a browser puts no space where their tags were.
_INSIDE = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr o:p q s "
    "samp small span strike strong sub sup time tt u var wbr"
)
_APART = (
    "address area article aside audio base blockquote body br button canvas caption center col "
    "colgroup dd details div dl dt embed fieldset figcaption figure footer form frame frameset h1 "
    "h2 h3 h4 h5 h6 head header hr html iframe img input legend li link main map meta nav noscript "
    "object ol option p param picture pre script section select source style summary svg table "
    "tbody td textarea tfoot th thead title tr ul video"
)
_FLAGS = (
    "async autoplay checked compact controls defer disabled hidden ismap loop multiple muted "
    "noshade nowrap open readonly required reversed selected"
)
# No part reaches over another "<", so that no text takes longer than its length warrants.
_VALUE = r"""(?:"[^"<]*+"|'[^'<]*+'|[^\s"'<>=`]++)"""
_ATTRIBUTE = rf"\s++(?:[\w:.-]++\s*+=\s*+{_VALUE}|(?:{_FLAGS.replace(' ', '|')})(?=[\s/>]))"


def _tags(names: str) -> regex.Pattern[str]:
    either = names.replace(" ", "|")
    return regex.compile(
        rf"<(?:/(?:{either})|(?:{either})(?:{_ATTRIBUTE})*+)\s*+/?+>", regex.IGNORECASE
    )


_INSIDE_TAG, _APART_TAG = _tags(_INSIDE), _tags(_APART)
_UNSEEN = regex.compile(
    r"<!--(?:[^-<]|-(?!->)|<(?!!--))*+-->|<!doctype\s[^<>]*+>"
    rf"|<(script|style)(?:{_ATTRIBUTE})*+\s*+>(?:[^<]|<(?!/?(?:script|style)\b))*+</\1\s*+>",
    regex.IGNORECASE,
)


def without_tags(text: str) -> str:
    """Return the text without HTML's tags, comments and scripts; tags of blocks leave a space.

    A tag is one of HTML's elements with attributes as HTML writes them: "a < b", "<3", "x <b and c>
    d", addresses and placeholders in angle brackets stay.
    """
    if "<" not in text:
        return text
    text = _UNSEEN.sub("", text)
    return str(_INSIDE_TAG.sub("", _APART_TAG.sub(" ", text)))
