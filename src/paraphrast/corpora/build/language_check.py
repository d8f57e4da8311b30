"""Is a sentence in the language it should be in? By Compact Language Detector 2, or by its script.

CLD2 (package pycld2, extra `language`) has its data inside, and is fast enough for millions of
sentences; the other detectors that come without a download are slower, if some of them know
Spanish and Portuguese a little better.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import regex

from paraphrast.errors import ConfigError, MissingExtra, did_you_mean
from paraphrast.models.scripts import FOREIGN, letters

MODEL, SCRIPT, NONE = CHECKS = ("model", "script", "none")

Check = Callable[[str], str | None]
"""From a text to what speaks against it: another language, or other letters; None if nothing."""

_ALIASES = {"he": "iw", "jv": "jw", "nb": "no", "fil": "tl", "sh": "sr"}  # as CLD2 has it
_UNKNOWN = "unknown"
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_PROBE = "aяא한ก漢"  # letters of which every script knows at most two


def language_check(language: str, how: str) -> Check:
    """Return what checks texts for a language, an ISO 639-1 code such as "en"."""
    if how not in CHECKS:
        near = did_you_mean(how, CHECKS)
        raise ConfigError(f"check must be one of {', '.join(CHECKS)}; got {how!r}{near}")
    if how == NONE:
        return lambda _text: None
    return _by_model(language) if how == MODEL else _by_script(language)


def language_label(language: str, how: str) -> str:
    """Return what a signature says of a check."""
    label = f"{language}|{how}"
    return f"{label}|cld2 {_cld2().VERSION}" if how == MODEL else label


def _by_model(language: str) -> Check:
    """Take the language that is likeliest; without a guess it is unknown."""
    cld2 = _cld2()
    known = _known()
    wanted = _ALIASES.get(language, language)
    if wanted not in known:
        raise ConfigError(
            f"the detector knows no language {language!r}{did_you_mean(language, known)}; it takes "
            'codes such as "en"; check = "none" goes without'
        )

    def check(text: str) -> str | None:
        try:
            _, _, ((_, found, *_), *_) = cld2.detect(text, bestEffort=True)
        except cld2.error:  # noncharacters and the like
            return _UNKNOWN
        found = found.partition("-")[0]
        return None if found == wanted else _UNKNOWN if found == "un" else str(found)

    return check


def _by_script(language: str) -> Check:
    """Ask for most letters to be of the language's script, and in Japanese for a kana."""
    if not letters(_PROBE, (language,))[1]:
        raise ConfigError(
            f"the script of the language {language!r} is not known here; "
            'check = "model" detects languages, check = "none" goes without'
        )
    japanese = language == "ja"

    def check(text: str) -> str | None:
        total, foreign = letters(text, (language,))
        if foreign > FOREIGN * total:
            return "other letters"
        return "no kana" if japanese and not _KANA.search(text) else None

    return check


@cache
def _cld2() -> Any:
    try:
        return import_module("pycld2")
    except ImportError as error:
        raise MissingExtra("language", "pycld2") from error


@cache
def _known() -> frozenset[str]:
    detected = set(_cld2().DETECTED_LANGUAGES)
    return frozenset(code for name, code in _cld2().LANGUAGES if name in detected)
