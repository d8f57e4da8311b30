"""Words of Japanese: MeCab through fugashi, with the dictionary of unidic-lite (extra `ja`)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version

from paraphrast.errors import MissingExtra
from paraphrast.text.tokenise import Tokeniser, Tokens

JAPANESE = "ja"

_PACKAGES = ("fugashi", "unidic_lite")


@dataclass(frozen=True, slots=True)
class JapaneseTokeniser(Tokeniser):
    """Splits Japanese into UniDic's short units, after NFKC and case folding.

    As with "unicode", only units with a letter or digit are words. White space ends a word, so
    text that is tokenised already is split further, never joined.
    """

    name: str = JAPANESE

    def __post_init__(self) -> None:
        _parser()

    def _split(self, texts: list[str]) -> Tokens:
        parse = _parser()
        return [
            [unit for unit in parse(_folded(text)).split() if any(map(str.isalnum, unit))]
            for text in texts
        ]


def japanese_label() -> str:
    """Return what a signature says: words change with the dictionary."""
    _parser()
    return f"{JAPANESE}-fugashi{version('fugashi')}-unidic_lite{version('unidic-lite')}"


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.replace("\0", " ").split())  # a line's end and NUL would end the parse


@cache
def _parser() -> Callable[[str], str]:
    for package in _PACKAGES:
        try:
            import_module(package)
        except ImportError as error:
            raise MissingExtra(JAPANESE, package) from error
    # unidic_lite is named: fugashi would prefer a unidic that happens to be installed
    folder = import_module("unidic_lite").DICDIR
    tagger = import_module("fugashi").GenericTagger(
        f'-r "{folder}/mecabrc" -d "{folder}" -O wakati'
    )
    parse: Callable[[str], str] = tagger.parse
    return parse
