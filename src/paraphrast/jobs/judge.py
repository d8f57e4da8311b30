"""Judge pairs of texts: the function behind `paraphrast.judge` and `paraphrast judge`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from paraphrast.io import Field, Rows, chunks
from paraphrast.jobs.text_pairs import paired_texts, text_cell
from paraphrast.meaning.judge import Judge
from paraphrast.meaning.tag_evaluation import window_notes
from paraphrast.meaning.tag_rows import check_text, read_pairs
from paraphrast.meaning.verdict import Verdict
from paraphrast.text.words import WordText

_CHUNK = 1024  # enough to find pairs of like length, few enough to hold


@overload
def judge(  # type: ignore[overload-overlap]  # a text is a list of letters, too
    a: str, b: str, *, model: str = ..., threads: int | None = ..., device: str = ...
) -> Verdict: ...
@overload
def judge(
    a: Sequence[str],
    b: Sequence[str],
    *,
    model: str = ...,
    threads: int | None = ...,
    device: str = ...,
) -> list[Verdict]: ...
def judge(
    a: Any,
    b: Any,
    *,
    model: str = "mini",
    threads: int | None = None,
    device: str = "cpu",
) -> Verdict | list[Verdict]:
    """Say whether two texts say the same thing, and why not.

    Two lists of the same length give a list of verdicts, which is much faster than one call for
    each.

    a: A text, or a list of texts.
    b: The text to hold it against, or as many.
    model: Weights: "mini", "base", a directory or "org/name".
    threads: Threads of the model; one for each core.
    device: Where the model runs: "cpu", "cuda" or "cuda:1".
    """
    if isinstance(a, str) and isinstance(b, str):
        pairs = [(check_text(a, "a"), check_text(b, "b"))]
    else:
        pairs = paired_texts(a, b, ("a", "b"), "judge")
    judge = Judge.load(model, threads=threads, device=device)
    found = judge.judge([(WordText.of(one), WordText.of(other)) for one, other in pairs])
    for note in judge.notes():
        warnings.warn(note, UserWarning, stacklevel=2)
    return found[0] if isinstance(a, str) else found


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A verdict, the number of its row from 1, and the id of the row if it had one."""

    row: int
    verdict: Verdict
    id: str | int | float | None = None

    def to_dict(self) -> dict[str, Any]:
        named = {} if self.id is None else {"id": self.id}
        return {"row": self.row, **named, **self.verdict.to_dict()}


Progress = Callable[[int], None] | None


def judge_texts(
    a: str,
    b: str,
    *,
    model: str = "mini",
    threads: int | None = None,
    device: str = "cpu",
    notes: list[str],
) -> Iterator[JudgedRow]:
    """Judge two texts like the only row of a file: warnings become notes."""
    judge = Judge.load(model, threads=threads, device=device)
    pair = WordText.of(check_text(a, "a")), WordText.of(check_text(b, "b"))
    yield JudgedRow(1, judge.judge([pair])[0])
    notes += judge.notes()


def judge_pairs(
    path: str,
    *,
    format: str | None = None,
    model: str = "mini",
    threads: int | None = None,
    device: str = "cpu",
    progress: Progress = None,
    notes: list[str] | None = None,
) -> Iterator[JudgedRow]:
    """Yield the verdicts of a file of pairs, JSONL or TSV, reading as it goes.

    `paraphrast.meaning.tag_rows` names the columns. A mistake in a later row is raised when it is
    reached: use no result before the iteration has ended.
    """
    notes = [] if notes is None else notes
    rows = ((row.pair, row.id) for row in read_pairs(path, format=format, notes=notes))
    yield from _judged(rows, notes, progress, model=model, threads=threads, device=device)


def judge_columns(
    a: Field,
    b: Field,
    *,
    model: str = "mini",
    threads: int | None = None,
    device: str = "cpu",
    progress: Progress = None,
    notes: list[str] | None = None,
) -> Iterator[JudgedRow]:
    """Yield the verdicts of two columns of files, row by row; see `judge_pairs`."""
    notes = [] if notes is None else notes
    read = Rows([a, b])
    pairs = (
        ((WordText.of(text_cell(one, a, number)), WordText.of(text_cell(other, b, number))), None)
        for number, (one, other) in enumerate(read, 1)
    )
    yield from _judged(pairs, notes, progress, model=model, threads=threads, device=device)
    notes += read.notes


def _judged(
    rows: Iterable[tuple[tuple[WordText, WordText], str | int | float | None]],
    notes: list[str],
    progress: Progress,
    **place: Any,
) -> Iterator[JudgedRow]:
    judge, number, limited = None, 0, 0
    windowed: list[str] = []
    for block in chunks(rows, _CHUNK):
        judge = judge or Judge.load(**place)
        found = judge.judge([pair for pair, _ in block], advance=progress)
        for (_, ident), verdict in zip(block, found, strict=True):
            number += 1
            if verdict.tags.windows > 1:
                windowed.append(f"row {number}")
                limited += verdict.tags.limited
            yield JudgedRow(number, verdict, ident)
    notes += window_notes(windowed, limited) + (judge.notes() if judge else [])
