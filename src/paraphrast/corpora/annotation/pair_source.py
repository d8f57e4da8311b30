"""Pairs to annotate from a table: what `build` and `tag` write, or any other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paraphrast.corpora.annotation.pair_item import PURPOSES, PairAnswer, PairItem, ranges_of
from paraphrast.corpora.annotation.project_settings import ProjectSettings
from paraphrast.corpora.annotation.store.event_log import check_item_id
from paraphrast.errors import InputError
from paraphrast.io.cells import text_cell
from paraphrast.meta.file_rows import read_rows
from paraphrast.text.words import WordText


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A pair of a table, and what a tagger said of it if the table holds that."""

    pair: PairItem
    tagged: PairAnswer | None = None


def read_items(
    path: str, settings: ProjectSettings, *, notes: list[str] | None = None
) -> Iterator[SourceRow]:
    """Yield the pairs of a table, each with its id, or "row 3" if the table has none.

    Texts are `text1` and `text2`, or `a` and `b`; with `tokens1` and `tokens2` the words are
    given. Rows of `paraphrast tag -f jsonl` are read too, with their tags.

    Where `purpose` is "training" or "gold", `label`, `tags1` and `tags2`, or `rating` are
    the known answer, and `note` is told to annotators after training. Of other rows they are
    passed over.
    """
    seen: dict[str, str] = {}
    for number, found in enumerate(read_rows(path, [] if notes is None else notes), 1):
        where = found.where
        row = {key: cell for key, cell in found.cells.items() if cell not in (None, "")}
        ident = check_item_id(str(row.get("id", f"row {number}")), where)
        if ident in seen:
            raise InputError(f"{where}: the id {ident!r} is that of {seen[ident]}, too")
        seen[ident] = where
        pair = _item(ident, row, where, settings)
        yield SourceRow(pair, _tagged(row) if settings.takes_spans else None)


def _item(ident: str, row: Mapping[str, Any], where: str, settings: ProjectSettings) -> PairItem:
    texts = _texts(row, where)
    purpose = str(row.get("purpose", "work")).strip().lower()
    if purpose not in PURPOSES:
        raise InputError(f"{where}: purpose is {', '.join(PURPOSES)}; got {purpose!r}")
    item = PairItem(
        id=ident,
        text1=texts[0],
        text2=texts[1],
        purpose=purpose,
        note=str(row.get("note", "")) if purpose != "work" else "",
    )
    if purpose == "work":
        return item
    gold = _gold(item, row, where, settings)
    return PairItem(
        id=item.id, text1=item.text1, text2=item.text2, purpose=purpose, gold=gold, note=item.note
    )


def _texts(row: Mapping[str, Any], where: str) -> tuple[WordText, WordText]:
    if "tokens1" in row and "tokens2" in row:
        first, second = (
            _given_words(row[key], f"{where}, {key}") for key in ("tokens1", "tokens2")
        )
        return first, second
    if all(_is_tagged(row.get(name)) for name in ("a", "b")):
        words = [_given_words(row[name]["words"], f"{where}, {name}") for name in ("a", "b")]
        return words[0], words[1]
    for names in (("text1", "text2"), ("a", "b")):
        if all(name in row for name in names):
            texts = [text_cell(row[name], f"{where}, {name}") for name in names]
            break
    else:
        raise InputError(f"{where}: no texts; name them text1 and text2, a and b, or tokens1 and 2")
    found = [WordText.of(text) for text in texts]
    for name, text in zip(("first", "second"), found, strict=True):
        if not text.spans:
            raise InputError(f"{where}: the {name} text holds no word")
    return found[0], found[1]


def _is_tagged(cell: object) -> bool:
    return isinstance(cell, dict) and {"words", "tags"} <= cell.keys()


def _tagged(row: Mapping[str, Any]) -> PairAnswer | None:
    if not all(_is_tagged(row.get(name)) for name in ("a", "b")):
        return None
    return PairAnswer(spans1=ranges_of(row["a"]["tags"]), spans2=ranges_of(row["b"]["tags"]))


def _given_words(cell: object, where: str) -> WordText:
    words = _list(cell, where)
    if not words or not all(isinstance(word, str) and word.split() == [word] for word in words):
        raise InputError(f"{where}: a list of words without spaces is needed; got {cell!r:.60}")
    return WordText.from_words(words)


def _list(cell: object, where: str) -> list[Any]:
    """Read a list, or the JSON of one, or words apart by spaces, from a cell."""
    if isinstance(cell, list):
        return cell
    if not isinstance(cell, str):
        raise InputError(f"{where}: a list is needed; got {cell!r:.60}")
    try:
        found = json.loads(cell)
    except ValueError:
        found = None
    return found if isinstance(found, list) else cell.split(" ")


def _gold(
    item: PairItem, row: Mapping[str, Any], where: str, settings: ProjectSettings
) -> PairAnswer:
    spans = []
    for name, text in (("tags1", item.text1), ("tags2", item.text2)):
        tags = [str(tag) for tag in _list(row.get(name, []), f"{where}, {name}")]
        if tags and (len(tags) != len(text) or {*tags} - {"0", "1"}):
            raise InputError(f"{where}: {name} needs a 0 or 1 for each of {len(text)} words")
        spans.append(ranges_of([int(tag) for tag in tags]))
    try:
        return PairAnswer(
            label=str(row["label"]) if settings.takes_label and "label" in row else None,
            spans1=spans[0] if settings.takes_spans else (),
            spans2=spans[1] if settings.takes_spans else (),
            rating=float(row["rating"]) if settings.takes_rating and "rating" in row else None,
        ).checked(item, settings, final=True)
    except (InputError, ValueError) as error:
        raise InputError(f"{where}: a {item.purpose} item needs its answer: {error}") from error
