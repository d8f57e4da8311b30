"""doccano's JSONL: a line an answer; both texts are one, a line end between them.

Its offsets are UTF-16 units, unless a project counts grapheme clusters, which is not read.
Labels are `label`, spans `entities`; with both, `cats` and `entities`. Columns that doccano does
not know, such as `item`, it hands on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from paraphrast.corpora.annotation.exchange.answer_rows import ForeignAnswer, known_pair
from paraphrast.corpora.annotation.exchange.text_offsets import from_utf16, to_utf16
from paraphrast.corpora.annotation.judging.outcomes import ItemOutcome
from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem, word_range
from paraphrast.corpora.annotation.project_settings import ProjectSettings
from paraphrast.errors import ConfigError, InputError
from paraphrast.meta.file_rows import FileRow

_MARK = "not paraphrased"
_GAP = "\n"


def doccano_rows(
    outcomes: Iterable[ItemOutcome], settings: ProjectSettings
) -> Iterator[dict[str, Any]]:
    """Yield a line for each answer; doccano knows no ratings."""
    if settings.takes_rating:
        raise ConfigError("doccano has no ratings; export to another layout")
    number = 0
    for outcome in outcomes:
        pair = outcome.record.pair
        for name, answer in outcome.by_annotator.items():
            number += 1
            yield {
                "id": number,
                "item": pair.id,
                "username": name,
                "text": _joined(pair),
                **_labels(pair, answer, settings),
                "Comments": [],
            }


def read_doccano(
    rows: Iterable[FileRow], pairs: dict[str, PairItem], annotator: str | None
) -> Iterator[ForeignAnswer]:
    """Read lines that doccano wrote of lines like ours."""
    for row in rows:
        ident = row.name("item") or row.name("id")
        pair = known_pair(pairs, ident, row.where)
        text = _joined(pair)
        if row.cells.get("text") != text:
            raise InputError(f"{row.where}: the text is not the two of {ident!r}, one a line")
        name = annotator or row.name("username")
        if not name:
            raise InputError(f"{row.where}: whose answer is this? Give an annotator")
        answer = _answer(pair, text, row)
        yield ForeignAnswer(item=ident, annotator=name, answer=answer, where=row.where)


def _joined(pair: PairItem) -> str:
    return pair.text1.text + _GAP + pair.text2.text


def _labels(pair: PairItem, answer: PairAnswer, settings: ProjectSettings) -> dict[str, Any]:
    if not settings.takes_spans:
        return {"label": [answer.label]}
    text, written = _joined(pair), answer.to_dict(pair)
    second = len(pair.text1.text) + len(_GAP)
    spans = [
        [to_utf16(text, start + before), to_utf16(text, end + before), _MARK]
        for side, before in (("spans1", 0), ("spans2", second))
        for start, end in (span["characters"] for span in written[side])
    ]
    return {"cats": [answer.label], "entities": spans} if settings.takes_label else {"label": spans}


def _answer(pair: PairItem, text: str, row: FileRow) -> PairAnswer:
    label: str | None = None
    spans: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    second = len(pair.text1.text) + len(_GAP)
    for mark in [*_cells(row, "label"), *_cells(row, "cats"), *_cells(row, "entities")]:
        if isinstance(mark, str):
            label = mark
            continue
        start, end = (from_utf16(text, unit, row.where) for unit in _ends(mark, row.where))
        side = int(start >= second)
        one = (pair.text1, pair.text2)[side]
        found = word_range(one, start - side * second, end - side * second)
        if found is None or (not side and end > second):
            raise InputError(f"{row.where}: a span from {start} to {end} lies in neither text")
        spans[side].append(found)
    return PairAnswer(label=label, spans1=tuple(spans[0]), spans2=tuple(spans[1]))


def _cells(row: FileRow, name: str) -> list[Any]:
    value = row.cells.get(name) or []
    if not isinstance(value, list):
        raise InputError(f"{row.where}: {name} is a list; got {value!r:.40}")
    return value


def _ends(mark: Any, where: str) -> tuple[int, int]:
    try:
        if isinstance(mark, dict):
            return int(mark["start_offset"]), int(mark["end_offset"])
        return int(mark[0]), int(mark[1])
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"{where}: {mark!r:.60} is no span of doccano's") from error
