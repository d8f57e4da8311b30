"""Tokenisers that split a whole batch at once.

`13a`, `intl`, `char` and `none` give the tokens of sacrebleu's tokenisers of the same name;
`zh`, `ja-mecab`, `ko-mecab` and the SentencePiece ones are sacrebleu's own, through an extra.
`google` is rouge-score's; `unicode` is its Unicode-aware sister: the same tokens on ASCII text,
and words of any script elsewhere.

A batch is joined into one string, so that each replacement is one pass in C, not one per text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import chain, pairwise
from typing import Any

from paraphrast.errors import ConfigError, MissingExtra, did_you_mean
from paraphrast.text.porter import stem
from paraphrast.text.traits import SPACELESS

Tokens = list[list[str]]

_PUNCTUATION_13A = [bytes([c]) for c in b'{|}~[\\]^_`!"#$%&()*+:;<=>?@/']
_STOPS_BEFORE_DIGIT = re.compile(rb"[.,]+(?=[0-9])")
_DIGIT_DASH = re.compile(rb"-(?<=[0-9]-)")
_HIDE = bytes.maketrans(b".,", b"\xfe\xff")  # bytes that UTF-8 never uses
_SHOW = bytes.maketrans(b"\xfe\xff", b".,")
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def _lines_13a(texts: list[str]) -> str:
    texts = [text.rstrip() for text in texts]
    blob = " \n ".join(texts)
    if blob.count("\n") == len(texts) - 1:
        blob = blob.replace("<skipped>", "")
    else:  # texts that span lines; what the removals join up stays, as in sacrebleu
        parts = (text.replace("<skipped>", "").replace("-\n", "") for text in texts)
        blob = " \n ".join(text.replace("\n", " ") for text in parts)
    blob = f" {blob} "
    if "&" in blob:
        for entity, char in _ENTITIES:
            blob = blob.replace(entity, char)
    raw = blob.encode("utf-8", "surrogatepass")
    for mark in _PUNCTUATION_13A:
        raw = raw.replace(mark, b" %b " % mark)
    raw = _STOPS_BEFORE_DIGIT.sub(_hide_glued_stop, raw)
    raw = raw.replace(b".", b" . ").replace(b",", b" , ").translate(_SHOW)
    return _DIGIT_DASH.sub(b" - ", raw).decode("utf-8", "surrogatepass")


def _hide_glued_stop(match: re.Match[bytes]) -> bytes:
    """Hide the period or comma that mteval-v13a leaves attached to the digit after it.

    Every stop is split off except one before a digit, and that one only when mteval's first
    substitution, which consumes the non-digit it looks at, skips it: a lone stop between two
    digits; in a run of stops, every other one.
    """
    run = match.group()
    digit_before = match.string[match.start() - 1] in b"0123456789"
    glued = len(run) % 2 == digit_before
    return run[:-1] + run[-1:].translate(_HIDE) if glued else run


@cache
def _intl_patterns() -> tuple[Any, Any, Any]:
    regex = import_module("regex")
    return (
        regex.compile(r"(\P{N})(\p{P})"),
        regex.compile(r"(\p{P})(\P{N})"),
        regex.compile(r"(\p{S})"),
    )


def _lines_intl(texts: list[str]) -> str:
    after, before, symbol = _intl_patterns()
    # A digit on either side of each text stands for "nothing there": the patterns never match it.
    blob = "0\n0".join(text.rstrip().replace("\n", " ") for text in texts)
    blob = after.sub(r"\1 \2 ", f"0{blob}0")
    blob = before.sub(r" \1 \2", blob)
    blob = str(symbol.sub(r" \1 ", blob))
    return blob[1:-1].replace("0\n0", "\n")


def _split_none(texts: list[str]) -> Tokens:
    return [text.split() for text in texts]


def _split_char(texts: list[str]) -> Tokens:
    return [list("".join(text.split())) for text in texts]


_ALNUM = bytes(c if chr(c) in "abcdefghijklmnopqrstuvwxyz0123456789\n" else 32 for c in range(256))


def _lines_google(texts: list[str]) -> str:
    blob = _one_line_each([text.lower() for text in texts])
    return blob.encode("ascii", "replace").translate(_ALNUM).decode("ascii")


def _one_line_each(texts: list[str]) -> str:
    blob = "\n".join(texts)
    if blob.count("\n") != len(texts) - 1:
        blob = "\n".join(text.replace("\n", " ") for text in texts)
    return blob


@cache
def _word_pattern() -> Any:
    """Match one word: a character of a script written without spaces, or a run of the others.

    Marks stay with their letters, so Devanagari and decomposed accents are not cut apart.
    """
    return import_module("regex").compile(
        rf"[{SPACELESS}&&[\p{{L}}\p{{N}}]][\p{{M}}]*|[[\p{{L}}\p{{N}}\p{{M}}]--[{SPACELESS}]]+",
        import_module("regex").V1,
    )


def _lines_unicode(texts: list[str]) -> str:
    if all(map(str.isascii, texts)):
        return _lines_google(texts)
    return "\n".join(map(_unicode_words, texts))


def _unicode_words(text: str) -> str:
    if text.isascii():
        return _lines_google([text])
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(_word_pattern().findall(folded))


_MARKS = re.escape("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_OPENING = re.compile(rf"[{_MARKS}](?<!\S[{_MARKS}])(?=\S*[^\s{_MARKS}](?!\S))")
_CLOSING = re.compile(rf"[{_MARKS}](?<=\S[{_MARKS}])(?!\S)")


def _lines_chrf(texts: list[str]) -> str:
    """Split one punctuation mark off each word: its last character, else its first (chrF++)."""
    blob = _OPENING.sub(r"\g<0> ", _one_line_each(texts))
    return _CLOSING.sub(r" \g<0>", blob)


# Those that rewrite a batch as lines of space-separated tokens, and those that cut text by text.
_LINES: dict[str, Callable[[list[str]], str]] = {
    "13a": _lines_13a,
    "intl": _lines_intl,
    "chrf": _lines_chrf,
    "google": _lines_google,
    "unicode": _lines_unicode,
}
_SPLITTERS: dict[str, Callable[[list[str]], Tokens]] = {"none": _split_none, "char": _split_char}
# sacrebleu's own tokenisers and the extra that brings what they need
_BORROWED = {
    "zh": "sacrebleu",
    "ja-mecab": "ja",
    "ko-mecab": "ko",
    "spm": "spm",
    "flores101": "spm",
    "flores200": "spm",
    "spBLEU-1K": "spm",
}
BLEU_TOKENISERS = ("13a", "intl", "char", "none", *_BORROWED)
WORD_TOKENISERS = ("unicode", "google", *BLEU_TOKENISERS)


@cache
def _borrowed(name: str) -> Callable[[str], str]:
    """Return sacrebleu's tokeniser; a missing package becomes the command that installs it."""
    extra = _BORROWED[name]
    try:
        bleu = import_module("sacrebleu.metrics.bleu")
        tokeniser: Callable[[str], str] = bleu._get_tokenizer(name)()  # noqa: SLF001
    except (ImportError, RuntimeError) as error:
        raise MissingExtra(
            extra, "sacrebleu" if extra == "sacrebleu" else f"sacrebleu[{extra}]"
        ) from error
    return tokeniser


def tokeniser_label(name: str) -> str:
    """Return what a signature says: borrowed tokenisers change with the package they come from."""
    if name not in _BORROWED:
        return name
    try:
        return f"{name}-sacrebleu{version('sacrebleu')}"
    except PackageNotFoundError:
        return name


@lru_cache(maxsize=1 << 17)
def stem_long(word: str) -> str:
    """Stem words of more than three characters, as ROUGE-1.5.5 does."""
    return stem(word) if len(word) > 3 else word


@dataclass(frozen=True, slots=True)
class Tokeniser:
    """A named way to split texts into tokens; hashable, so that batches can cache by it."""

    name: str
    lowercase: bool = False
    stemmer: bool = False

    def __post_init__(self) -> None:
        known = [*_LINES, *_SPLITTERS, *_BORROWED]
        if self.name not in known:
            hint = did_you_mean(self.name, known)
            raise ConfigError(f"unknown tokeniser {self.name!r}{hint}; known: {', '.join(known)}")

    def __call__(self, texts: list[str]) -> Tokens:
        """Return the tokens of each text."""
        tokens, mark = self.marked(texts)
        ends = [i for i, token in enumerate(tokens) if token == mark]
        return [tokens[a + 1 : b] for a, b in pairwise([-1, *ends])]

    def marked(self, texts: list[str]) -> tuple[list[str], str]:
        """Return the tokens of all texts in one list, with a mark after each text, and the mark.

        The mark is not a token of any of these texts. One flat list keeps the work in C.
        """
        if self.lowercase:
            texts = [text.lower() for text in texts]
        if self.name in _LINES:
            tokens, mark = _marked_lines(_LINES[self.name](texts)) if texts else ([], "\n")
        else:
            mark = "\n"  # white space is never inside a token
            tokens = list(chain.from_iterable([*words, mark] for words in self._split(texts)))
        return (list(map(stem_long, tokens)) if self.stemmer else tokens), mark

    def _split(self, texts: list[str]) -> Tokens:
        if self.name in _SPLITTERS:
            return _SPLITTERS[self.name](texts)
        split = _borrowed(self.name)
        return [split(text.rstrip()).split() for text in texts]


def _marked_lines(blob: str) -> tuple[list[str], str]:
    """Split lines of tokens in one call; the mark is a character the text does not hold."""
    mark = next(c for c in chain("\0", map(chr, range(0xE000, 0x110000))) if c not in blob)
    return f"{blob}\n".replace("\n", f" {mark} ").split(), mark
