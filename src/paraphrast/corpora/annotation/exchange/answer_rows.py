"""Answers as rows: who said what of which pair, when, in what time, and on which suggestion."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from paraphrast.corpora.annotation.assignment_state import AssignmentState
from paraphrast.corpora.annotation.judging.outcomes import ItemOutcome
from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem
from paraphrast.corpora.annotation.store.event_log import iso_time
from paraphrast.errors import InputError
from paraphrast.meta.file_rows import FileRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignAnswer:
    """An answer that comes from a file."""

    item: str
    annotator: str
    answer: PairAnswer
    where: str
    at: float | None = None
    seconds: float = 0.0


def answer_rows(outcomes: Iterable[ItemOutcome]) -> Iterator[dict[str, Any]]:
    """Yield a row for each answer that is in."""
    for outcome in outcomes:
        for state in outcome.states:
            yield _row(outcome, state)


def read_answers(
    rows: Iterable[FileRow], pairs: dict[str, PairItem], annotator: str | None
) -> Iterator[ForeignAnswer]:
    """Read rows of our own; `annotator` is whose they are where a row does not say."""
    for row in rows:
        cells = row.cells
        item, name = row.name("id"), row.name("annotator") or annotator
        pair = known_pair(pairs, item, row.where)
        if name is None:
            raise InputError(f"{row.where}: whose answer is this? Give an annotator")
        for side, text in (("text1", pair.text1), ("text2", pair.text2)):
            if cells.get(side) is not None and cells[side] != text.text:
                raise InputError(f"{row.where}: {side} of {item!r} is not that of the project")
        try:
            answer = PairAnswer.from_dict(cells)
            seconds = float(cells.get("seconds") or 0.0)
        except (TypeError, ValueError, KeyError) as error:
            raise InputError(f"{row.where}: this is no answer ({error!r})") from error
        yield ForeignAnswer(
            item=item,
            annotator=name,
            answer=answer,
            where=row.where,
            at=moment(cells.get("submitted"), row.where),
            seconds=seconds,
        )


def known_pair(pairs: dict[str, PairItem], ident: str, where: str) -> PairItem:
    """Return the pair that an answer is about."""
    if ident not in pairs:
        raise InputError(f"{where}: the project has no item {ident!r}; add its pair first")
    return pairs[ident]


def moment(cell: object, where: str) -> float | None:
    """Read a time of ISO 8601; None if there is none."""
    if cell in (None, ""):
        return None
    try:
        found = datetime.datetime.fromisoformat(str(cell))
    except ValueError as error:
        raise InputError(f"{where}: {cell!r} is no time of ISO 8601") from error
    return (found if found.tzinfo else found.replace(tzinfo=datetime.UTC)).timestamp()


def _row(outcome: ItemOutcome, state: AssignmentState) -> dict[str, Any]:
    pair = outcome.record.pair
    answer = outcome.by_annotator[state.annotator]
    tags = answer.tags(pair)
    return {
        "id": pair.id,
        "purpose": pair.purpose,
        "revision": state.revision,
        "text1": pair.text1.text,
        "text2": pair.text2.text,
        "tokens1": pair.text1.words,
        "tokens2": pair.text2.words,
        "annotator": state.annotator,
        **answer.to_dict(pair),
        "tags1": tags[0],
        "tags2": tags[1],
        "opened": iso_time(state.opened_at),
        "submitted": iso_time(state.submitted_at or 0.0),
        "seconds": state.seconds,
        "guideline": state.guideline,
        "blind": state.blind,
        "suggested": state.suggested,
        "flag": state.flag,
        "comments": list(state.comments),
        "via": state.via,
        "is_final": outcome.answer == answer,
    }
