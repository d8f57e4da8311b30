"""Pairs to tag, from a table: JSONL or TSV, gzipped or not, or standard input.

A row holds `tokens1` and `tokens2` (given words, which are kept), or the texts `text1` and
`text2`, or `a` and `b`: the first of these that the row has. `tags1` and `tags2` are the right
tags of given words; `id` is handed on. Other columns are passed over. In JSONL words and tags are
lists, in TSV they are separated by single spaces.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paraphrast.errors import ConfigError, InputError, check_characters
from paraphrast.io.fields import STDIN, format_of_name, label, repeated
from paraphrast.io.streams import Lines, Source, open_source
from paraphrast.text.words import WordText

_WORDS = ("tokens1", "tokens2")
_NAMES = (_WORDS, ("text1", "text2"), ("a", "b"))
_TAGS = ("tags1", "tags2")

Cells = Mapping[str, Any]
Tags = tuple[int, ...]
Reader = Callable[[Source], Iterator[tuple[str, Cells]]]


@dataclass(frozen=True, slots=True)
class PairRow:
    """One pair: where it stands, its texts, the right tags if they were asked for, its id."""

    where: str
    pair: tuple[WordText, WordText]
    gold: tuple[Tags, Tags] | None = None
    id: str | int | float | None = None


def read_pairs(
    path: str, *, gold: bool = False, format: str | None = None, notes: list[str] | None = None
) -> Iterator[PairRow]:
    """Yield the pairs of a file, or of standard input for "-"; `gold` demands the right tags.

    The format is that of the file's name (JSONL for standard input) unless given. `notes` takes
    what was mended on the way.
    """
    read = _reader(path, format)
    seen = False
    with open_source(path, [] if notes is None else notes) as source:
        for where, cells in read(source):
            seen = True
            yield _pair_row(where, cells, gold=gold)
    if not seen:
        raise InputError(f"{label(path)} is empty: there are no rows in it")


def check_words(words: object, where: str) -> list[str]:
    """Demand a list of words, none of them empty."""
    if not isinstance(words, list):
        raise InputError(f"{where}: a list of words is needed; got {words!r:.40}")
    for number, word in enumerate(words, start=1):
        if not isinstance(word, str):
            raise InputError(f"{where}, word {number}: text is needed; got {word!r:.40}")
        if not word:
            raise InputError(f"{where}, word {number} is empty; leave it out")
    check_characters("".join(words), where)
    return words


def check_text(text: object, where: str) -> str:
    """Demand one text."""
    if not isinstance(text, str):
        raise InputError(f"{where}: text is needed; got {text!r:.40}")
    check_characters(text, where)
    return text


def _reader(path: str, format: str | None) -> Reader:
    chosen = format or ("jsonl" if path == STDIN else format_of_name(path))
    if chosen is None or chosen not in _READERS:
        asked = f"the format {chosen!r} is not read" if chosen else "the name tells no format"
        raise ConfigError(f"{label(path)}: {asked}; pairs are read from jsonl or tsv")
    return _READERS[chosen]


def _numbered(source: Source) -> Iterator[tuple[str, str]]:
    """Lines with their places; a blank line at the end is passed over."""
    blank = ""
    blocks = Lines(source)
    for block in blocks:
        for number, line in enumerate(block, start=blocks.first):
            if blank:
                raise InputError(f"{blank}: a blank line between rows; remove it")
            where = f"{source.label}, line {number}"
            if line.strip(" \r"):
                yield where, line
            else:
                blank = where
        source.rows += len(block)


def _jsonl(source: Source) -> Iterator[tuple[str, Cells]]:
    for where, line in _numbered(source):
        try:
            cells = json.loads(line, object_pairs_hook=_unique)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: not valid JSON: {error}") from error
        if not isinstance(cells, dict):
            raise InputError(f"{where}: JSONL holds one object, {{...}}, per line")
        yield where, cells


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if (key := repeated(key for key, _ in pairs)) is not None:
        raise ValueError(f"the key {key!r} occurs twice in one object")
    return dict(pairs)


def _tsv(source: Source) -> Iterator[tuple[str, Cells]]:
    """A header, then rows; nothing is quoted or escaped."""
    header: list[str] = []
    for where, line in _numbered(source):
        cells = line.split("\t")
        if not header:
            if (name := repeated(cells)) is not None:
                raise InputError(f"{where}: two columns are named {name!r}; rename one")
            header = cells
            continue
        if len(cells) != len(header):
            raise InputError(f"{where}: {len(cells)} fields where the header has {len(header)}")
        row: dict[str, Any] = dict(zip(header, cells, strict=True))
        row |= {name: _split(row[name]) for name in _WORDS if name in row}
        row |= {name: [_number(tag) for tag in _split(row[name])] for name in _TAGS if name in row}
        yield where, row


def _split(cell: str) -> list[str]:
    return cell.split(" ") if cell else []


def _number(cell: str) -> int | str:
    return int(cell) if cell in ("0", "1") else cell


_READERS: dict[str, Reader] = {"jsonl": _jsonl, "tsv": _tsv}


def _pair_row(where: str, cells: Cells, *, gold: bool) -> PairRow:
    names = _chosen(where, cells)
    values = [cells[name] for name in names]
    if names == _WORDS:
        lists = [check_words(v, f"{where}, {n}") for n, v in zip(names, values, strict=True)]
        a, b = (WordText.from_words(words) for words in lists)
    else:
        texts = [check_text(v, f"{where}, {n}") for n, v in zip(names, values, strict=True)]
        a, b = (WordText.of(text) for text in texts)
    ident = cells.get("id")
    if not isinstance(ident, str | int | float | None):
        raise InputError(f"{where}: the id must be a text or a number; got {ident!r:.40}")
    return PairRow(where, (a, b), _gold(where, cells, (a, b)) if gold else None, ident)


def _chosen(where: str, cells: Cells) -> tuple[str, str]:
    for first, second in _NAMES:
        if first in cells and second in cells:
            return first, second
    for first, second in _NAMES:
        if first in cells or second in cells:
            there, lacking = (first, second) if first in cells else (second, first)
            raise InputError(f"{where}: {there!r} is there but {lacking!r} is not")
    has = ", ".join(cells) or "nothing"
    raise InputError(
        f"{where}: no texts; name them text1 and text2, a and b, or, as lists of words, "
        f"tokens1 and tokens2; it has: {has}"
    )


def _gold(where: str, cells: Cells, pair: tuple[WordText, WordText]) -> tuple[Tags, Tags]:
    for name in (*_WORDS, *_TAGS):
        if name not in cells:
            raise InputError(
                f"{where}: no {name!r}; right tags need tokens1, tokens2, tags1 and tags2"
            )
    first, second = (
        _tags(where, name, cells[name], len(text)) for name, text in zip(_TAGS, pair, strict=True)
    )
    return first, second


def _tags(where: str, name: str, tags: object, words: int) -> Tags:
    if not isinstance(tags, list):
        raise InputError(f"{where}, {name}: a list of tags is needed; got {tags!r:.40}")
    if len(tags) != words:
        tokens = name.replace("tags", "tokens")
        raise InputError(f"{where}: {tokens} has {words} words but {name} has {len(tags)} tags")
    for number, tag in enumerate(tags, start=1):
        if isinstance(tag, bool) or tag not in (0, 1):
            raise InputError(f"{where}, {name}, word {number}: a tag is 0 or 1; got {tag!r:.40}")
    return tuple(map(int, tags))
